// A problem's space searched: a strategy asks for a few configurations at a time, they are compiled, verified and timed
// beside the anchor, and the strategy is told.
#pragma once

#include "tune/tune_problem.h"

namespace tuner::tune {

struct Searched {
  int refused = 0, stood = 0;  // as in ProblemDone
  std::vector<std::string> notes;
};

// Adds what is tried to `set`, which holds the default, the winner so far (`winner`, or -1) and the pinned
// configuration, as far as there are any. The anchor is the default, or the first that is right. Afterwards those that
// may be the best stand as verified, in the present worker, for the race between them; all others have what became of
// them. On the host device, which has no times, everything right is as good as any other. Throws what the strategy
// throws.
Searched search_problem(CandidateSet& set, const spec::PlannedProblem& planned, const ProblemContext& context,
                        int winner);

}  // namespace tuner::tune
