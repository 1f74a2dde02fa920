// Short names for configurations that stand beside each other.
#pragma once

#include <string>
#include <vector>

#include "core/config.h"

namespace tuner::report {

struct TellingNames {
  std::string parameter;           // where one named parameter tells them all apart, and names are its values
  std::vector<std::string> names;  // one for each
};

// For each the parameters that tell it from the others, as few as do, in manifest order: "naive", of the parameter
// variant, or "variant=vec block_size=64". Of one alone, and of equal ones, the whole label.
TellingNames telling_names(const std::vector<Config>& configs);

}  // namespace tuner::report
