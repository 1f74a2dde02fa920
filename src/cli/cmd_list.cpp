#include <iostream>

#include "cli/commands.h"
#include "cli/knowledge.h"
#include "report/list_text.h"
#include "report/overrules_text.h"
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

// A pin or forbid of every GPU holds for the one that is asked about.
bool for_gpu(const std::string& part, const std::string& asked) {
  return part.empty() || store::contains_blind(part, asked) || store::contains_blind(asked, part);
}

bool wanted(const store::Pin& pin, const Context& context) {
  const Arguments& arguments = context.arguments;
  if (arguments.has("--kernel") && pin.problem.kernel != arguments.text("--kernel")) return false;
  if (arguments.has("--regime") && pin.regime != arguments.text("--regime")) return false;
  return for_gpu(pin.gpu, arguments.text("--gpu"));
}

bool wanted(const store::Forbid& forbid, const Context& context) {
  const std::string kernel = context.arguments.text("--kernel");
  if (!kernel.empty() && !forbid.kernel.empty() && forbid.kernel != kernel) return false;
  return for_gpu(forbid.gpu, context.arguments.text("--gpu"));
}

}  // namespace

int cmd_list(const Context& context) {
  if (context.arguments.has("--kernel"))
    spec::Catalog::load(context.places.kernel_folders).at(context.arguments.text("--kernel"), "--kernel");
  const store::Layers layers = open_layers(context);
  std::vector<const store::Entry*> entries;
  for (const store::Entry& entry : layers.entries())
    if (wanted(entry, context)) entries.push_back(&entry);
  std::vector<store::Pin> pins;
  for (const store::Pin& pin : layers.pins())
    if (wanted(pin, context)) pins.push_back(pin);
  std::vector<store::Forbid> forbids;
  for (const store::Forbid& forbid : layers.forbids())
    if (wanted(forbid, context)) forbids.push_back(forbid);
  if (context.json) {
    std::cout << report::list_json(entries, report::pins_json(pins), report::forbids_json(forbids));
    return 0;
  }
  const std::string overruled = report::overrules_text(pins, forbids, context.style);
  if (entries.empty() && overruled.empty()) {
    if (!context.quiet) std::cerr << "nothing is known yet; tuner sweep configs/quickstart.yaml\n";
    return 0;
  }
  if (!entries.empty()) std::cout << report::list_text(entries, context.style);
  if (!entries.empty() && !overruled.empty()) std::cout << "\n";
  std::cout << overruled;
  return 0;
}

}  // namespace tuner::cli
