// What people said of a problem's configurations.
#pragma once

#include <string>

#include "tune/candidates.h"
#include "tune/overrules.h"

namespace tuner::tune {

// Takes out what is forbidden (counted among the exclusions) and puts in the pinned configuration, whatever the sweep
// asked for: it runs to the end, so that its cost is known. Throws UserError where nothing is left.
void obey(CandidateSet& set, const spec::PlannedProblem& planned, const Overrules& overrules, const GpuFacts& gpu,
          const std::string& regime);

}  // namespace tuner::tune
