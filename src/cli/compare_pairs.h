// The problems that both sides of `tuner compare` know, with what each chooses there.
#pragma once

#include <vector>

#include "cli/compare_side.h"

namespace tuner::cli {

struct Pair {
  Asked asked;
  Chosen a, b;
};

// In the order of A's problems, else B's, else of all that is known (of the GPU `here` where there is one); those that
// --kernel, --shape, --set, --regime and --gpu leave. Sides that know no problems answer for the one that the flags
// name. Throws UserError where the flags name none, NothingFound where nothing is left that both know.
std::vector<Pair> pairs_of(const Side& a, const Side& b, const Known& known, const std::optional<GpuFacts>& here);

}  // namespace tuner::cli
