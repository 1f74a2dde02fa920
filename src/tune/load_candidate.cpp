#include "tune/load_candidate.h"

namespace tuner::tune {

Verdict load_candidate(const Candidate& candidate, int index, Session& session) {
  worker::Member member;
  member.id = member.module = index + 1;
  member.workload = candidate.workload;
  member.execution = candidate.execution;
  const worker::Recorded recorded = session.bench->load_member(member);
  return recorded.problem.empty() ? Verdict{} : Verdict{Reason::launch_error, recorded.problem};
}

}  // namespace tuner::tune
