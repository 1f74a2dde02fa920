#include "cli/best_configs.h"

#include "cli/knowledge.h"
#include "cli/overruling.h"

namespace tuner::cli {

std::vector<ChosenConfig> best_configs(const Context& context, const store::KernelKnowledge& kernels,
                                       const Problem& problem, const GpuFacts& gpu, int top) {
  store::Query query;
  query.kernel = problem.kernel;
  query.dims = problem.dims;
  query.facts = parse_assignments(context.arguments.all("--set"), "--set");
  query.here = gpu;
  query.top = top;
  const store::Layers layers = open_layers(context);
  std::vector<const store::Forbid*> in_the_way;
  const auto answers = layers.best(query, kernels, &in_the_way);
  if (answers.empty()) no_answer(query.dims, in_the_way);
  std::vector<ChosenConfig> configs;
  for (const store::Answer& answer : answers)
    configs.push_back({answer.config, "what best answers: " + std::string(to_text(answer.match))});
  return configs;
}

}  // namespace tuner::cli
