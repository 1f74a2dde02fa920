#include "tune/run_alone.h"

#include "tune/timing.h"
#include "tune/verify_all.h"

namespace tuner::tune {
namespace {

Verdict verified_and_timed(Candidate& candidate, int index, Session& session) {
  for (int kills = 1;; ++kills) {
    try {
      const Verdict verdict = verify_one(candidate, index, session);
      return verdict.ok() ? time_one(candidate, index, session) : verdict;
    } catch (const worker::WorkerLost& killed) {
      if (kills == worker::most_kills_by_others) return {Reason::worker_lost, killed.what()};
    }
  }
}

}  // namespace

int run_alone(const std::vector<int>& which, CandidateSet& set, const ProblemContext& context) {
  int charged = 0;
  for (const int index : which) {
    Candidate& candidate = set.all[static_cast<std::size_t>(index)];
    if (candidate.trial.status != Status::verified || context.stop()) continue;
    const Verdict verdict = verified_and_timed(candidate, index, context.session);
    if (verdict.ok()) continue;
    ++charged;
    reject(candidate, verdict);
  }
  return charged;
}

}  // namespace tuner::tune
