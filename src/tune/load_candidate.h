// A candidate among those that are timed.
#pragma once

#include "tune/candidates.h"
#include "tune/session.h"

namespace tuner::tune {

// Records it as member and of module `index` + 1 of the present worker, in which it has verified. Why it could not be;
// nothing where it was. Throws WorkerLost.
Verdict load_candidate(const Candidate& candidate, int index, Session& session);

}  // namespace tuner::tune
