#include "cli/best_configs.h"

#include "cli/knowledge.h"
#include "cli/overruling.h"
#include "export/best_answers.h"

namespace tuner::cli {

std::vector<ChosenConfig> best_configs(const Context& context, const spec::Catalog& catalog, const Problem& problem,
                                       const GpuFacts& gpu, int top) {
  store::Query query;
  query.kernel = problem.kernel;
  query.dims = problem.dims;
  query.facts = parse_assignments(context.arguments.all("--set"), "--set");
  query.here = gpu;
  query.top = top;
  query.regime = context.arguments.text("--regime", spec::plain_regime);
  const store::Layers layers = open_layers(context);
  std::vector<const store::Forbid*> in_the_way;
  const auto answers =
      exporting::best_answers(
          layers, catalog, [&](const std::string& regime) { return knowledge_of(catalog, regime); }, query, in_the_way)
          .answers;
  if (answers.empty()) no_answer(query.dims, in_the_way);
  std::vector<ChosenConfig> configs;
  for (const store::Answer& answer : answers)
    configs.push_back({answer.config, "what best answers: " + std::string(to_text(answer.match)) +
                                          (answer.regime == query.regime ? "" : " in the regime " + answer.regime)});
  return configs;
}

}  // namespace tuner::cli
