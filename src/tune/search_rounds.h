// A few candidates timed beside the anchor of a search.
#pragma once

#include <vector>

#include "tune/candidates.h"
#include "tune/costs.h"

namespace tuner::tune {

// Fills samples, time, spread and `ratio` of each of `members`, verified candidates; the anchor, which is verified and
// may be among them, runs in every round. One that is over three times worse than `best` (a ratio) leaves after its
// first round. Throws WorkerLost when the worker dies in it; the caller decides who is charged.
void time_beside(int anchor, const std::vector<int>& members, double best, CandidateSet& set, Session& session,
                 Costs& costs);

}  // namespace tuner::tune
