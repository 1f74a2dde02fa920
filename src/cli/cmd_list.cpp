#include <iostream>

#include "cli/commands.h"
#include "cli/knowledge.h"
#include "report/list_text.h"
#include "store/gpu_choice.h"

namespace tuner::cli {
namespace {

bool wanted(const store::Entry& entry, const Context& context) {
  const Arguments& arguments = context.arguments;
  const bool host = arguments.text("--device") == "host";
  if (entry.emulated != host) return false;
  if (arguments.has("--kernel") && entry.result.problem.kernel != arguments.text("--kernel")) return false;
  if (arguments.has("--regime") && entry.result.regime != arguments.text("--regime")) return false;
  return store::contains_blind(entry.gpu.name, arguments.text("--gpu"));
}

}  // namespace

int cmd_list(const Context& context) {
  if (context.arguments.has("--kernel"))
    spec::Catalog::load(context.places.kernel_folders).at(context.arguments.text("--kernel"), "--kernel");
  const store::Layers layers = open_layers(context);
  std::vector<const store::Entry*> entries;
  for (const store::Entry& entry : layers.entries())
    if (wanted(entry, context)) entries.push_back(&entry);
  if (context.json) {
    std::cout << report::list_json(entries);
    return 0;
  }
  if (entries.empty()) {
    if (!context.quiet) std::cerr << "nothing is known yet; tuner sweep configs/quickstart.yaml\n";
    return 0;
  }
  std::cout << report::list_text(entries, context.style);
  return 0;
}

}  // namespace tuner::cli
