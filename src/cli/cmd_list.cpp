#include <algorithm>
#include <iostream>

#include "cli/commands.h"
#include "cli/knowledge.h"
#include "cli/next_command.h"
#include "core/ceiling_probe.h"
#include "core/error.h"
#include "report/figures.h"
#include "report/list_text.h"
#include "report/overrules_text.h"
#include "store/gpu_choice.h"
#include "store/ladder.h"

namespace tuner::cli {
namespace {

bool wanted(const store::Entry& entry, const Context& context) {
  const Arguments& arguments = context.arguments;
  const bool host = arguments.text("--device") == "host";
  if (entry.emulated != host || ceiling_probe(entry.result.problem.kernel) != nullptr) return false;
  if (arguments.has("--kernel") && entry.result.problem.kernel != arguments.text("--kernel")) return false;
  if (arguments.has("--regime") && entry.result.regime != arguments.text("--regime")) return false;
  return store::is_called(entry.gpu, arguments.text("--gpu"));
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

// Throws NothingFound where nothing at all is of a GPU that is called like this.
void refuse_unknown_gpu(const Context& context, const store::Layers& layers) {
  const std::string asked = context.arguments.text("--gpu");
  if (asked.empty() || store::contains_blind("host", asked)) return;
  const auto named = [&asked](const auto& rule) { return !rule.gpu.empty() && for_gpu(rule.gpu, asked); };
  std::vector<std::string> known = store::gpu_names(layers.outlines(), std::nullopt);
  for (const store::Entry& entry : layers.outlines())
    if (store::is_called(entry.gpu, asked)) return;
  if (std::any_of(layers.pins().begin(), layers.pins().end(), named)) return;
  if (std::any_of(layers.forbids().begin(), layers.forbids().end(), named)) return;
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "known: " : ", ") + name;
  throw NothingFound("nothing is known of a GPU called '" + asked + "'", "--gpu",
                     names.empty() ? with_places(context, "tuner sweep configs/quickstart.yaml") : names);
}

// As a look-up of this problem would pass over what is forbidden.
report::Listed listed(const store::Entry& entry, const store::Layers& layers, const spec::Catalog& catalog) {
  const std::string& kernel = entry.result.problem.kernel;
  const Trial* winner = report::find_trial(entry.trials, entry.result.winner);
  const store::Forbid* forbid =
      winner == nullptr ? nullptr : store::forbid_of(layers.forbids(), kernel, entry.gpu, winner->config);
  if (forbid == nullptr) return {&entry, winner, {}, {}};
  if (catalog.find(kernel) == nullptr) return {&entry, nullptr, {forbid}, {}};
  const store::KernelKnowledge knowledge = knowledge_of(catalog);
  const store::Ladder ladder(layers.outlines(), layers.pins(), layers.forbids(), knowledge, [](const auto&) {});
  const auto answer = ladder.of_row(entry);
  if (!answer) return {&entry, nullptr, {forbid}, {}};
  return {&entry, answer->trial, answer->forbidden, {}};
}

report::Listed with_metrics(report::Listed row, const spec::Catalog& catalog) {
  const store::Entry& entry = *row.entry;
  const Trial* timed = row.best == nullptr ? nullptr : report::timed_twin(*row.best, entry.trials);
  if (timed != nullptr && timed->time_us > 0 && !entry.emulated)
    row.metrics = metrics_of(catalog, entry.result.problem, row.best->config, entry.gpu, timed->time_us);
  return row;
}

}  // namespace

int cmd_list(const Context& context) {
  const spec::Catalog catalog = load_catalog(context);
  if (context.arguments.has("--kernel")) kernel_named(context, catalog, context.arguments.text("--kernel"), "--kernel");
  const store::Layers layers = open_layers(context);
  std::vector<report::Listed> rows;
  for (const store::Entry& entry : whole_entries(context, layers))
    if (wanted(entry, context)) rows.push_back(with_metrics(listed(entry, layers, catalog), catalog));
  std::vector<store::Pin> pins;
  for (const store::Pin& pin : layers.pins())
    if (wanted(pin, context)) pins.push_back(pin);
  std::vector<store::Forbid> forbids;
  for (const store::Forbid& forbid : layers.forbids())
    if (wanted(forbid, context)) forbids.push_back(forbid);
  if (context.json) std::cout << report::list_json(rows, report::pins_json(pins), report::forbids_json(forbids));
  refuse_unknown_gpu(context, layers);
  if (context.json) return 0;
  const std::string overruled = report::overrules_text(pins, forbids, context.style);
  if (rows.empty() && overruled.empty()) {
    const bool known = !layers.outlines().empty() || !layers.pins().empty() || !layers.forbids().empty();
    if (!context.quiet && context.arguments.text("--device") == "host")
      std::cerr << "nothing that fits was emulated; " << with_places(context, "tuner sweep configs/quickstart.yaml")
                << "\n";
    else if (!context.quiet)
      std::cerr << (known ? "nothing of what is known fits; tuner list shows all, --device host what was emulated\n"
                          : "nothing is known yet; " + with_places(context, "tuner sweep configs/quickstart.yaml") +
                                "\n");
    return 0;
  }
  if (!rows.empty()) std::cout << report::list_text(rows, context.style);
  if (!rows.empty() && !overruled.empty()) std::cout << "\n";
  std::cout << overruled;
  return 0;
}

}  // namespace tuner::cli
