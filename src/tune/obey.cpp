#include "tune/obey.h"

#include <algorithm>

#include "store/ladder.h"

namespace tuner::tune {

std::optional<NothingFound> all_forbidden(const spec::PlannedProblem& planned,
                                          const std::vector<store::Forbid>& forbids, const GpuFacts& gpu) {
  const spec::KernelSpec& kernel = *planned.kernel;
  std::vector<const store::Forbid*> in_the_way;
  bool left = false;
  kernel.space.for_each(spec::base_scope(kernel, planned.problem, gpu), planned.only, [&](const Config& config) {
    const store::Forbid* forbid = store::forbid_of(forbids, kernel.name, gpu, config);
    left = forbid == nullptr;
    if (!left && std::find(in_the_way.begin(), in_the_way.end(), forbid) == in_the_way.end())
      in_the_way.push_back(forbid);
    return !left;
  });
  if (left || in_the_way.empty()) return std::nullopt;
  std::string by;
  for (const store::Forbid* forbid : in_the_way)
    by += (by.empty() ? "" : ", ") + forbid->layer + " forbids " + forbid->params.label() + " (" + forbid->why + ")";
  return NothingFound(
      kernel.name + " " + shape_text(planned.problem.dims) + ": every configuration that was asked for is forbidden",
      by, "tuner list shows the forbids, tuner forbid --remove takes one back");
}

void obey(CandidateSet& set, const spec::PlannedProblem& planned, const Overrules& overrules, const GpuFacts& gpu,
          const std::string& regime) {
  const spec::KernelSpec& kernel = *planned.kernel;
  const auto forbidden = [&](const Candidate& candidate) {
    return store::is_forbidden(overrules.forbids, kernel.name, gpu, candidate.trial.config);
  };
  const auto first = std::remove_if(set.all.begin(), set.all.end(), forbidden);
  if (first != set.all.end()) set.excluded["forbidden"] += set.all.end() - first;
  set.all.erase(first, set.all.end());
  if (set.all.empty()) throw *all_forbidden(planned, overrules.forbids, gpu);
  include_pinned(set, planned, overrules, gpu, regime);
}

void include_pinned(CandidateSet& set, const spec::PlannedProblem& planned, const Overrules& overrules,
                    const GpuFacts& gpu, const std::string& regime) {
  const spec::KernelSpec& kernel = *planned.kernel;
  const store::Pin* pin = store::pin_for(overrules.pins, planned.problem, regime, gpu);
  if (pin == nullptr || store::is_forbidden(overrules.forbids, kernel.name, gpu, pin->config)) return;
  if (kernel.space.why_illegal(spec::base_scope(kernel, planned.problem, gpu), pin->config)) return;
  set.pinned = include(set, planned, pin->config, gpu);
}

}  // namespace tuner::tune
