// Short names for configurations that stand beside each other.
#pragma once

#include <string>
#include <vector>

#include "core/config.h"

namespace tuner::report {

// For each the parameters that tell it from the others, as few as do, in manifest order: "variant=naive". Of one alone,
// and of equal ones, the whole label.
std::vector<std::string> telling_names(const std::vector<Config>& configs);

}  // namespace tuner::report
