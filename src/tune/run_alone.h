// Who killed the worker: everyone who was in it, one at a time.
#pragma once

#include <vector>

#include "tune/candidates.h"
#include "tune/tune_problem.h"

namespace tuner::tune {

// Each of these candidates that stands as verified, verified and timed once with nobody beside it; who loses the worker
// is charged. Returns how many were.
int run_alone(const std::vector<int>& which, CandidateSet& set, const ProblemContext& context);

}  // namespace tuner::tune
