// The finalists of a race once more, in a worker of their own on data of their own, with what they are held against in
// the same rounds: what is published comes from here.
#pragma once

#include <vector>

#include "tune/candidates.h"
#include "tune/costs.h"
#include "tune/timing.h"

namespace tuner::tune {

// `finalists`: indices of candidates, best first. Fills their trials and `timing`. Who is not right here, or faster
// than anything right can be, is rejected and may have driven others out: `timing.again`. Throws WorkerLost.
void confirm(const std::vector<int>& finalists, CandidateSet& set, Session& session, const TimingRequest& request,
             Costs& costs, Timing& timing);

}  // namespace tuner::tune
