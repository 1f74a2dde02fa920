#include "cli/known_best.h"

#include <algorithm>

#include "cli/knowledge.h"
#include "spec/resolve.h"

namespace tuner::cli {
namespace {

// The facts of `like` that the kernel has as well.
Facts shared_facts(const spec::KernelSpec& kernel, const Problem& like) {
  Facts facts;
  for (const auto& [name, value] : like.facts)
    if (std::any_of(kernel.facts.begin(), kernel.facts.end(),
                    [&, &wanted = name](const auto& fact) { return fact.first == wanted; }))
      facts.emplace_back(name, value);
  return facts;
}

}  // namespace

tune::KnownOf known_of(const Context& context, const spec::Catalog& catalog) {
  return [&context, &catalog](const std::string& name, const Problem& like, const std::string& regime,
                              const GpuFacts& gpu) -> std::optional<tune::Known> {
    const spec::KernelSpec* found = catalog.find(name);
    if (found == nullptr) return {};
    const spec::KernelSpec* kernel = &spec::in_regime(*found, regime, name);
    store::Query query;
    query.kernel = name;
    query.dims = like.dims;
    query.facts = shared_facts(*kernel, like);
    query.gpu = gpu.name;
    query.here = gpu;
    query.regime = regime;
    const store::Layers layers = open_layers(context);
    const auto answers = layers.best(query, knowledge_of(catalog));
    const Problem problem = spec::make_problem(*kernel, like.dims, query.facts, name);
    const auto scope = spec::base_scope(*kernel, problem, gpu);
    for (const store::Answer& answer : answers)
      if (answer.gpu.name == gpu.name && !kernel->space.why_illegal(scope, answer.config))
        return tune::Known{kernel, problem, answer.config, std::string(to_text(answer.match))};
    const auto standard = spec::default_config(*kernel, problem, gpu);
    if (!standard) return {};
    return tune::Known{kernel, problem, *standard, std::string(to_text(store::Match::by_default))};
  };
}

}  // namespace tuner::cli
