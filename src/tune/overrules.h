// Pins and forbids of every layer, as a sweep obeys them.
#pragma once

#include <vector>

#include "store/store.h"

namespace tuner::tune {

struct Overrules {
  std::vector<store::Pin> pins;
  std::vector<store::Forbid> forbids;
};

}  // namespace tuner::tune
