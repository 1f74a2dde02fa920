// Every candidate verified, one at a time, by a worker that may die of it.
#pragma once

#include <functional>

#include "store/store.h"
#include "tune/candidates.h"

namespace tuner::tune {

using Progress = std::function<void(std::int64_t done, std::int64_t of, int rejected)>;

// The candidates from `first` on. Module ids are candidate index + 1; workload 0 is the problem itself. Each trial is
// stored as `started` before it runs and with its verdict after; where an error that is no verdict ends it, as what it
// was before. Candidates that passed in a worker since lost are for verify_again().
void verify_from(std::size_t first, CandidateSet& set, Session& session, store::Store& store, std::int64_t run,
                 const std::function<bool()>& stop, const Progress& progress);

// Of these candidates those that stand as verified, but not in the present worker.
void verify_again(const std::vector<int>& which, CandidateSet& set, Session& session, store::Store& store,
                  std::int64_t run, const std::function<bool()>& stop);

// Every candidate that stands as verified but not in the present worker.
void verify_again(CandidateSet& set, Session& session, store::Store& store, std::int64_t run,
                  const std::function<bool()>& stop);

// Verifies one again in the present worker, without storing; used after a worker was lost.
Verdict verify_one(Candidate& candidate, int index, Session& session);

}  // namespace tuner::tune
