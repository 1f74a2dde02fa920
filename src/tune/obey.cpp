#include "tune/obey.h"

#include <algorithm>

#include "core/error.h"
#include "store/ladder.h"

namespace tuner::tune {

void obey(CandidateSet& set, const spec::PlannedProblem& planned, const Overrules& overrules, const GpuFacts& gpu,
          const std::string& regime) {
  const spec::KernelSpec& kernel = *planned.kernel;
  const auto forbidden = [&](const Candidate& candidate) {
    return store::is_forbidden(overrules.forbids, kernel.name, gpu, candidate.trial.config);
  };
  const auto first = std::remove_if(set.all.begin(), set.all.end(), forbidden);
  if (first != set.all.end()) set.excluded["forbidden"] += set.all.end() - first;
  set.all.erase(first, set.all.end());
  if (set.all.empty())
    throw UserError("every configuration that was asked for is forbidden",
                    kernel.name + " " + shape_text(planned.problem.dims), "see tuner list, and tuner forbid --remove");

  const store::Pin* pin = store::pin_for(overrules.pins, planned.problem, regime, gpu);
  if (pin == nullptr || store::is_forbidden(overrules.forbids, kernel.name, gpu, pin->config)) return;
  if (kernel.space.why_illegal(spec::base_scope(kernel, planned.problem, gpu), pin->config)) return;
  const auto same = [&](const Candidate& candidate) { return candidate.trial.config == pin->config; };
  auto found = std::find_if(set.all.begin(), set.all.end(), same);
  if (found == set.all.end()) {
    set.all.push_back(candidate_of(planned, pin->config, set, gpu));
    found = std::prev(set.all.end());
  }
  set.pinned = static_cast<int>(found - set.all.begin());
}

}  // namespace tuner::tune
