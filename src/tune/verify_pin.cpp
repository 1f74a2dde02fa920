#include "tune/verify_pin.h"

#include "core/error.h"
#include "tune/verify_all.h"
#include "tune/workloads.h"

namespace tuner::tune {
namespace {

space::Partial only(const Config& config) {
  space::Partial partial;
  for (const auto& [name, value] : config.params) partial.push_back({name, {value}});
  return partial;
}

}  // namespace

Verdict verify_config(const spec::KernelSpec& kernel, const Problem& problem, const Config& config,
                      const SweepOptions& options, compile::Cache& cache) {
  SweepOptions verifying = options;
  verifying.shared = true;  // nothing is timed
  Session session = open_session(verifying, cache);
  const spec::PlannedProblem planned{&kernel, problem, only(config)};
  CandidateSet set = enumerate(planned, session.gpu());
  const auto sources = render_all(planned, set, session.gpu());
  for (std::size_t i = 0; i < sources.size(); ++i) set.all[i].source_hash = sources[i].hash;
  session.builder->build(sources, [](std::size_t, std::size_t) {});
  judge_artifacts(set, set.all.size(), *session.builder, session.gpu());
  Candidate& candidate = set.all.front();
  if (candidate.trial.status == Status::rejected) return {candidate.trial.reason, candidate.trial.detail};
  if (!candidate.built) throw Interrupted();
  set_workloads(planned, set, workload_of(planned, session), false, session);
  return verify_one(candidate, 0, session);
}

}  // namespace tuner::tune
