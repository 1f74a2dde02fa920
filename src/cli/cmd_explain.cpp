#include <algorithm>
#include <charconv>
#include <iostream>
#include <set>

#include "cli/commands.h"
#include "cli/explanation.h"
#include "cli/knowledge.h"
#include "cli/overruling.h"
#include "cli/stored_source.h"
#include "compile/render.h"
#include "core/error.h"
#include "core/suggest.h"
#include "report/explain_text.h"
#include "spec/resolve.h"
#include "store/gpu_choice.h"
#include "store/ladder.h"

namespace tuner::cli {
namespace {

[[noreturn]] void no_database(const Context& context) {
  throw NothingFound("there is no database yet", context.places.database, "tuner sweep configs/quickstart.yaml");
}

std::optional<std::int64_t> trial_number(const std::string& text) {
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc{} || end != text.data() + text.size() || id < 1) return std::nullopt;
  return id;
}

// Throws UserError for a word that is neither a trial's number nor PARAM=VALUE.
void check_words(const Command& command, const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (word.find('=') == std::string::npos && !(words.size() == 1 && trial_number(word)))
      throw UserError(words.size() > 1 && trial_number(word) ? "one trial at a time, or none and PARAM=VALUE"
                                                             : "'" + word + "' is no trial: they are numbered from 1",
                      "tuner explain", "tuner explain " + command.usage);
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

// What is asked for by kernel, shape and parameters.
struct Wanted {
  const spec::KernelSpec* kernel;
  Problem problem;
  Facts params;
  std::string regime;
  std::string gpu;
  bool host;
};

Wanted wanted_of(const Context& context, const spec::Catalog& catalog) {
  const Arguments& arguments = context.arguments;
  const spec::KernelSpec& kernel = catalog.at(arguments.required("--kernel"), "--kernel");
  const Facts params = parse_assignments(arguments.all("TRIAL"), "tuner explain");
  check_parameters(kernel, params, "tuner explain");
  return {&kernel,
          spec::make_problem(kernel, parse_shape(arguments.required("--shape"), "--shape"),
                             parse_assignments(arguments.all("--set"), "--set"), "--set"),
          params,
          arguments.text("--regime", "plain"),
          arguments.text("--gpu"),
          arguments.text("--device") == "host"};
}

std::vector<Trial> matching_trials(const store::Store& store, const Wanted& wanted) {
  std::vector<Trial> found;
  std::set<std::string> seen;
  for (const store::RunRecord& run : store.runs()) {
    if (run.facts.emulated != wanted.host || !seen.insert(store::gpu_key(run.facts.gpu)).second) continue;
    if (!store::is_called(run.facts.gpu, wanted.gpu)) continue;
    for (Trial& trial : store.trials(run.facts.gpu, wanted.problem, wanted.regime))
      if (agrees(trial.config, wanted.params)) found.push_back(std::move(trial));
  }
  return found;
}

bool same_problem(const Problem& a, const Problem& b) {
  return a.kernel == b.kernel && a.dims == b.dims && facts_key(a.facts) == facts_key(b.facts);
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

// Of the first layer of results files that has any.
std::vector<report::Explanation> matching_results(const Context& context, const spec::Catalog& catalog,
                                                  const Wanted& wanted) {
  store::Layers::Places places = context.places.layers();
  places.database.clear();
  std::vector<std::string> warnings;
  const store::Layers layers = store::Layers::open(places, warnings);
  for (const std::string& warning : warnings) std::cerr << context.notes.text("warning: " + warning) << "\n";
  std::vector<report::Explanation> found;
  for (const store::Entry& entry : whole_entries(context, layers)) {
    if (entry.emulated != wanted.host || entry.result.regime != wanted.regime) continue;
    if (!same_problem(entry.result.problem, wanted.problem) || !store::is_called(entry.gpu, wanted.gpu)) continue;
    if (!found.empty() && found.front().layer != entry.layer) break;
    for (const Trial& trial : entry.trials)
      if (agrees(trial.config, wanted.params)) found.push_back(explanation_of(entry, catalog, trial));
  }
  return found;
}

// Today's files where they give what the trial was made of, else the texts that the database kept.
int print_source(const Context& context, const spec::Catalog& catalog, const store::Store* store,
                 const report::Explanation& e) {
  const Trial& trial = e.trial;
  compile::set_include_folders({context.places.templates() + "/include"});
  std::optional<compile::Source> source;
  if (const spec::KernelSpec* kernel = catalog.find(trial.problem.kernel)) {
    try {
      source = compile::render(*kernel, trial.config, trial.problem, e.gpu);
    } catch (const UserError&) {
      // Its template or a header has gone.
    }
  }
  if (!source || (source->hash != trial.source_hash && !trial.source_hash.empty())) {
    const auto kept = store != nullptr ? stored_source(*store, trial, e.gpu) : std::nullopt;
    const std::string name = "trial " + std::to_string(trial.id);
    if (!kept && !source)
      throw NothingFound("the source of " + name + " is gone", trial.problem.kernel,
                         "name the folder of its manifest with --kernels");
    if (!kept)
      std::cerr << context.notes.text("warning: the template has changed since " + name + "; this is what it is now\n");
    if (kept && !context.quiet)
      std::cerr << context.notes.text("note: the files have changed since " + name +
                                      "; this is the source it was made of\n");
    if (kept) source = kept;
  }
  const std::string text = compile::inlined(*source);
  std::cout << (context.json ? report::source_json(trial, text) : text);
  return 0;
}

bool wins(const report::Explanation& e) { return e.result && e.result->winner == e.trial.id; }

// One of several is shown when only its source is asked for: the winner of its problem.
void keep_winner(std::vector<report::Explanation>& all) {
  const auto winner = std::find_if(all.begin(), all.end(), wins);
  if (winner != all.end()) all = {report::Explanation(*winner)};
}

std::vector<report::Explanation> explanations(const Context& context, const spec::Catalog& catalog,
                                              const std::optional<store::Store>& store) {
  const std::vector<std::string>& words = context.arguments.all("TRIAL");
  if (words.size() == 1 && trial_number(words.front())) {
    if (!store) no_database(context);
    const std::optional<Trial> trial = store->trial(*trial_number(words.front()));
    if (!trial)
      throw NothingFound("there is no trial " + words.front(), store->path(), "tuner list shows what is known");
    return {explanation_of(*store, catalog, *trial)};
  }
  const Wanted wanted = wanted_of(context, catalog);
  std::vector<report::Explanation> found;
  const std::vector<Trial> trials = store ? matching_trials(*store, wanted) : std::vector<Trial>{};
  const bool listed = trials.size() > 1 && !context.arguments.has("--source");  // a line each
  for (const Trial& trial : trials) {
    found.push_back(listed ? report::Explanation{} : explanation_of(*store, catalog, trial));
    found.back().trial = trial;
  }
  if (found.empty()) found = matching_results(context, catalog, wanted);
  if (found.empty() && !store) no_database(context);
  if (found.empty()) not_tried(context, *wanted.kernel, wanted.problem, wanted.params);
  return found;
}

}  // namespace

int cmd_explain(const Context& context) {
  const Arguments& arguments = context.arguments;
  const spec::Catalog catalog = spec::Catalog::load(context.places.kernel_folders);
  const std::vector<std::string>& words = arguments.all("TRIAL");
  if (words.empty() && !arguments.has("--kernel"))
    throw UserError("which trial?", "tuner explain", "tuner explain " + arguments.command->usage);
  check_words(*arguments.command, words);
  if (words.size() != 1 || !trial_number(words.front())) {
    arguments.required("--kernel");
    arguments.required("--shape");
  }
  const std::optional<store::Store> store = open_database(context);
  std::vector<report::Explanation> found = explanations(context, catalog, store);
  if (arguments.has("--source")) keep_winner(found);
  if (found.size() > 1) {
    std::vector<Trial> trials;
    for (const report::Explanation& e : found) trials.push_back(e.trial);
    std::cout << (context.json ? report::trials_json(trials) : report::trials_text(trials, context.style));
    if (!context.quiet && !context.json)
      std::cerr << trials.size() << " trials fit; tuner explain TRIAL says more of one\n";
    return 0;
  }
  report::Explanation& e = found.front();
  if (arguments.has("--source"))
    return print_source(context, catalog, e.layer == "user" && store ? &*store : nullptr, e);
  e.overruled = overruled(open_layers(context), e.trial, e.gpu);
  std::cout << (context.json ? report::explain_json(e) : report::explain_text(e, context.style));
  return 0;
}

}  // namespace tuner::cli
