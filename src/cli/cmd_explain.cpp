#include <algorithm>
#include <charconv>
#include <iostream>
#include <set>

#include "cli/commands.h"
#include "cli/knowledge.h"
#include "cli/overruling.h"
#include "compile/render.h"
#include "core/error.h"
#include "core/suggest.h"
#include "report/explain_text.h"
#include "spec/resolve.h"
#include "store/gpu_choice.h"
#include "store/ladder.h"

namespace tuner::cli {
namespace {

store::Store database(const Context& context) {
  std::optional<store::Store> store = open_database(context);
  if (!store)
    throw NothingFound("there is no database yet", context.places.database, "tuner sweep configs/quickstart.yaml");
  return std::move(*store);
}

std::optional<std::int64_t> trial_number(const std::string& text) {
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc{} || end != text.data() + text.size() || id < 1) return std::nullopt;
  return id;
}

bool agrees(const Config& config, const Facts& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&config](const auto& pair) {
    const Value* value = config.find(pair.first);
    return value && *value == pair.second;
  });
}

// A configuration that was asked for and is not among the trials: a constraint excludes it, or it was never asked
// about.
[[noreturn]] void not_tried(const Context& context, const spec::KernelSpec& kernel, const Problem& problem,
                            const Facts& wanted) {
  space::Partial partial;
  for (const auto& [name, value] : wanted) partial.push_back({name, {value}});
  const GpuFacts gpu = gpu_here(context).value_or(gpu_of_arch(90));
  const space::Scope scope = spec::base_scope(kernel, problem, gpu);
  const std::string what = kernel.name + " " + shape_text(problem.dims);
  if (!wanted.empty() && !kernel.space.complete(scope, partial)) {
    const auto exclusions = kernel.space.exclusions(scope, partial);
    std::string excluded;
    for (const auto& [constraint, n] : exclusions) excluded += (excluded.empty() ? std::string() : ", ") + constraint;
    throw NothingFound("no configuration like this is legal at " + what, kernel.path,
                       excluded.empty() ? std::string() : "excluded by: " + excluded);
  }
  throw NothingFound("no such trial of " + what, context.places.database,
                     "tuner sweep --kernel " + kernel.name + " --shape " + shape_text(problem.dims));
}

std::vector<Trial> matching_trials(const Context& context, const spec::Catalog& catalog, const store::Store& store) {
  const Arguments& arguments = context.arguments;
  const spec::KernelSpec& kernel = catalog.at(arguments.required("--kernel"), "--kernel");
  const Facts wanted = parse_assignments(arguments.all("TRIAL"), "tuner explain");
  check_parameters(kernel, wanted, "tuner explain");
  const Problem problem = spec::make_problem(kernel, parse_shape(arguments.required("--shape"), "--shape"),
                                             parse_assignments(arguments.all("--set"), "--set"), "--set");
  const bool host = arguments.text("--device") == "host";
  std::vector<Trial> found;
  std::set<std::string> seen;
  for (const store::RunRecord& run : store.runs()) {
    if (run.facts.emulated != host || !seen.insert(store::gpu_key(run.facts.gpu)).second) continue;
    if (!store::contains_blind(run.facts.gpu.name, arguments.text("--gpu"))) continue;
    for (Trial& trial : store.trials(run.facts.gpu, problem, arguments.text("--regime", "plain")))
      if (agrees(trial.config, wanted)) found.push_back(std::move(trial));
  }
  if (found.empty()) not_tried(context, kernel, problem, wanted);
  return found;
}

report::Explanation explanation_of(const store::Store& store, const spec::Catalog& catalog, const Trial& trial) {
  report::Explanation e;
  e.trial = trial;
  if (const auto run = store.run_of_trial(trial.id)) {
    e.gpu = run->facts.gpu;
    e.emulated = run->facts.emulated;
    e.when = std::to_string(run->id) + ", " + run->started_at + ", " + run->facts.command;
  }
  e.result = store.result(e.gpu, trial.problem, trial.regime);
  if (e.result && e.result->winner) e.winner = store.trial(e.result->winner);
  if (trial.duplicate_of) e.twin = store.trial(trial.duplicate_of);
  const spec::KernelSpec* kernel = catalog.find(trial.problem.kernel);
  for (const Step& step : trial.steps) {
    if (!kernel || trial.registers == 0 || step.kind != Step::Kind::launch || step.entry != kernel->entry) continue;
    KernelAttributes attributes;
    attributes.entry = step.entry;
    attributes.registers = trial.registers;
    attributes.static_shared_bytes = trial.static_shared_bytes;
    if (!e.emulated) e.occupancy = compile::occupancy(attributes, step, e.gpu);
  }
  return e;
}

// What people said of this configuration at this problem.
std::vector<std::string> overruled(const store::Layers& layers, const Trial& trial, const GpuFacts& gpu) {
  std::vector<std::string> said;
  const store::Pin* pin = store::pin_for(layers.pins(), trial.problem, trial.regime, gpu);
  if (pin != nullptr && pin->config == trial.config) said.push_back("pinned (" + pin->layer + "): " + pin->why);
  const store::Forbid* forbid = store::forbid_of(layers.forbids(), trial.problem.kernel, gpu, trial.config);
  if (forbid != nullptr)
    said.push_back("forbidden (" + forbid->layer + "): " + forbid->params.label() + ", " + forbid->why);
  return said;
}

int print_source(const Context& context, const spec::Catalog& catalog, const Trial& trial) {
  const compile::Source source =
      compile::render(catalog.at(trial.problem.kernel, "the trial"), trial.config, trial.problem);
  if (source.hash != trial.source_hash && !trial.source_hash.empty())
    std::cerr << context.notes.text("warning: the template has changed since trial " + std::to_string(trial.id) +
                                    "; this is what it is now\n");
  std::cout << compile::inlined(source);
  return 0;
}

// Of several, the winner of their problem, where it is among them.
void keep_winner(const store::Store& store, std::vector<Trial>& trials) {
  const auto run = store.run_of_trial(trials.front().id);
  if (!run) return;
  const auto result = store.result(run->facts.gpu, trials.front().problem, trials.front().regime);
  const auto wins = [&](const Trial& trial) { return result && trial.id == result->winner; };
  const auto winner = std::find_if(trials.begin(), trials.end(), wins);
  if (winner != trials.end()) trials = {Trial(*winner)};
}

}  // namespace

int cmd_explain(const Context& context) {
  const Arguments& arguments = context.arguments;
  const spec::Catalog catalog = spec::Catalog::load(context.places.kernel_folders);
  std::vector<Trial> trials;
  const std::vector<std::string>& words = arguments.all("TRIAL");
  if (words.empty() && !arguments.has("--kernel"))
    throw UserError("which trial?", "tuner explain", "tuner explain " + arguments.command->usage);
  const bool numbered = words.size() == 1 && trial_number(words.front());
  if (!numbered) {
    arguments.required("--kernel");
    arguments.required("--shape");
  }
  const store::Store store = database(context);
  if (numbered) {
    const std::optional<Trial> trial = store.trial(*trial_number(words.front()));
    if (!trial)
      throw NothingFound("there is no trial " + words.front(), store.path(), "tuner list shows what is known");
    trials.push_back(*trial);
  } else {
    trials = matching_trials(context, catalog, store);
  }
  if (arguments.has("--source")) keep_winner(store, trials);
  if (trials.size() > 1) {
    std::cout << report::trials_text(trials, context.style);
    if (!context.quiet) std::cerr << trials.size() << " trials fit; tuner explain TRIAL says more of one\n";
    return 0;
  }
  if (arguments.has("--source")) return print_source(context, catalog, trials.front());
  report::Explanation explanation = explanation_of(store, catalog, trials.front());
  explanation.overruled = overruled(open_layers(context), trials.front(), explanation.gpu);
  std::cout << (context.json ? report::explain_json(explanation) : report::explain_text(explanation, context.style));
  return 0;
}

}  // namespace tuner::cli
