// Candidates rendered, compiled, and judged by what compiling tells.
#pragma once

#include <vector>

#include "tune/candidates.h"
#include "tune/tune_problem.h"

namespace tuner::tune {

// Those from `first` on, all but those that cost a process before (`deadly`, of the store), whose number is returned.
// Template and headers are kept in the store.
int build_candidates(std::size_t first, CandidateSet& set, const spec::PlannedProblem& planned,
                     const ProblemContext& context, const std::vector<Trial>& deadly);

}  // namespace tuner::tune
