#include "tune/run_alone.h"

#include "tune/timing.h"
#include "tune/verify_all.h"

namespace tuner::tune {

int run_alone(const std::vector<int>& which, CandidateSet& set, const ProblemContext& context) {
  int charged = 0;
  for (const int index : which) {
    Candidate& candidate = set.all[static_cast<std::size_t>(index)];
    if (candidate.trial.status != Status::verified || context.stop()) continue;
    Verdict verdict = verify_one(candidate, index, context.session);
    if (verdict.ok()) verdict = time_one(candidate, index, context.session);
    if (verdict.ok()) continue;
    ++charged;
    candidate.trial.status = Status::rejected;
    candidate.trial.reason = verdict.reason;
    candidate.trial.detail = verdict.detail;
  }
  return charged;
}

}  // namespace tuner::tune
