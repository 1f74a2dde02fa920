#include <algorithm>
#include <iostream>

#include "cli/commands.h"
#include "cli/knowledge.h"
#include "core/error.h"
#include "report/best_json.h"
#include "report/best_text.h"

namespace tuner::cli {
namespace {

store::Query query_of(const Context& context) {
  const Arguments& arguments = context.arguments;
  store::Query query;
  query.dims = parse_shape(arguments.required("--shape"), "--shape");
  query.kernel = arguments.text("--kernel");
  query.facts = parse_assignments(arguments.all("--set"), "--set");
  query.gpu = arguments.text("--gpu");
  query.regime = arguments.text("--regime", "plain");
  query.by = arguments.text("--by");
  query.top = static_cast<int>(arguments.integer("--top", 1, 1000000, 1));
  if (query.gpu.empty() || arguments.has("--device")) query.here = gpu_here(context);
  return query;
}

}  // namespace

int cmd_best(const Context& context) {
  const spec::Catalog catalog = spec::Catalog::load(context.places.kernel_folders);
  const store::Query query = query_of(context);
  const store::Layers layers = open_layers(context);
  const std::vector<store::Answer> answers = layers.best(query, knowledge_of(catalog));
  if (query.regime != "plain" && !context.quiet &&
      std::none_of(layers.entries().begin(), layers.entries().end(),
                   [&query](const store::Entry& entry) { return entry.result.regime == query.regime; }))
    std::cerr << "note: nothing was tuned in the regime '" << query.regime << "'\n";
  if (context.json) {
    std::cout << report::best_json(answers, query);
    return 0;
  }
  if (answers.empty())
    throw NothingFound("no kernel has a legal configuration at " + shape_text(query.dims), "--shape",
                       "see 'tuner list'");
  const bool side_by_side = query.top > 1 || !query.by.empty();
  std::cout << (side_by_side ? report::answers_table(answers, query, context.style)
                             : report::answers_text(answers, query, context.style));
  return 0;
}

}  // namespace tuner::cli
