#include "tune/searching.h"

#include "search/walked_domain.h"
#include "spec/resolve.h"
#include "store/ladder.h"

namespace tuner::tune {
namespace {

// At most `most` + 1 of them are looked at.
bool has_more(const spec::PlannedProblem& planned, const GpuFacts& gpu, std::int64_t most) {
  std::int64_t found = 0;
  planned.kernel->space.for_each(spec::base_scope(*planned.kernel, planned.problem, gpu), planned.only,
                                 [&](const Config&) { return ++found <= most; });
  return found > most;
}

}  // namespace

std::optional<Searching> searching_of(const spec::SweepPlan& plan, const spec::PlannedProblem& planned,
                                      const GpuFacts& gpu) {
  Searching searching;
  searching.chosen_for_size = plan.search.empty();
  searching.by = search::choice_of(plan.search.empty() ? search::default_strategy : plan.search,
                                   plan.search_where.empty() ? "--search" : plan.search_where);
  searching.seed = plan.seed;
  if (plan.trials_budget > 0) searching.trials = plan.trials_budget;
  if (plan.search == "exhaustive" || !planned.anchors.empty()) return std::nullopt;
  const bool external = !searching.by.command.empty();
  const std::int64_t tried_in_full = plan.search.empty() ? most_enumerated : searching.trials;
  if (!external && !has_more(planned, gpu, tried_in_full)) return std::nullopt;
  return searching;
}

std::unique_ptr<search::Domain> domain_of(const spec::PlannedProblem& planned, const Overrules* overrules,
                                          const GpuFacts& gpu) {
  const spec::KernelSpec& kernel = *planned.kernel;
  const auto scope = spec::base_scope(kernel, planned.problem, gpu);
  const auto allowed = [&kernel, overrules, gpu](const Config& config) {
    return overrules == nullptr || !store::is_forbidden(overrules->forbids, kernel.name, gpu, config);
  };
  const auto axes = search::axes_of(kernel.space);
  std::vector<search::Point> points;
  bool all = true;
  kernel.space.for_each(scope, planned.only, [&](const Config& config) {
    if (allowed(config)) points.push_back(*search::point_of(axes, config));
    return all = static_cast<std::int64_t>(points.size()) <= most_enumerated;
  });
  if (all && !points.empty()) return std::make_unique<search::ListedDomain>(axes, std::move(points));
  return std::make_unique<search::WalkedDomain>(kernel.space, scope, planned.only, allowed);
}

}  // namespace tuner::tune
