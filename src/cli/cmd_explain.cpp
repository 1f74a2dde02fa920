#include <algorithm>
#include <iostream>

#include "cli/commands.h"
#include "cli/explanation.h"
#include "cli/knowledge.h"
#include "cli/known_trials.h"
#include "cli/next_command.h"
#include "cli/overruling.h"
#include "cli/stored_source.h"
#include "compile/render.h"
#include "core/error.h"
#include "core/shell.h"
#include "report/explain_text.h"
#include "spec/resolve.h"
#include "store/ladder.h"

namespace tuner::cli {
namespace {

[[noreturn]] void no_database(const Context& context) {
  throw NothingFound("there is no database yet", context.places.database,
                     with_places(context, "tuner sweep configs/quickstart.yaml"));
}

// What TRIAL names; empty for PARAM=VALUE or nothing. Throws UserError for a word that is neither.
std::optional<TrialName> named_trial(const Command& command, const std::vector<std::string>& words) {
  const std::string usage = "tuner explain " + command.usage;
  std::optional<TrialName> name;
  for (const std::string& word : words) {
    if (word.find('=') != std::string::npos) continue;
    name = required_trial_name(word, "tuner explain");
    if (words.size() > 1) throw UserError("one trial at a time, or none and PARAM=VALUE", "tuner explain", usage);
  }
  return name;
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
                     with_question(context, "tuner sweep " + problem_words(kernel, problem)));
}

// What is asked for by kernel, shape and parameters.
struct Wanted {
  const spec::KernelSpec* kernel;
  TrialsOf trials;
  Facts params;
  bool host;
};

Wanted wanted_of(const Context& context, const spec::Catalog& catalog, bool with_params) {
  const Arguments& arguments = context.arguments;
  const spec::KernelSpec& kernel =
      spec::in_regime(kernel_named(context, catalog, arguments.required("--kernel"), "--kernel"),
                      arguments.text("--regime", spec::plain_regime), "--regime");
  const Facts params = with_params ? parse_assignments(arguments.all("TRIAL"), "tuner explain") : Facts{};
  check_parameters(kernel, params, "tuner explain");
  return {&kernel,
          {spec::make_problem(kernel, parse_shape(arguments.required("--shape"), "--shape"),
                              parse_assignments(arguments.all("--set"), "--set"), "--set"),
           arguments.text("--regime", spec::plain_regime), arguments.text("--gpu")},
          params,
          arguments.text("--device") == "host"};
}

std::vector<KnownTrial> fitting(std::vector<KnownTrial> trials, const Wanted& wanted) {
  const auto is_other = [&wanted](const KnownTrial& known) {
    return known.emulated != wanted.host || !agrees(known.trial.config, wanted.params);
  };
  trials.erase(std::remove_if(trials.begin(), trials.end(), is_other), trials.end());
  return trials;
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

// Today's files where they give what the trial was made of, else the texts that the database kept.
int print_source(const Context& context, const spec::Catalog& catalog, const store::Store* store,
                 const report::Explanation& e) {
  const Trial& trial = e.trial;
  compile::set_include_folders({context.places.templates() + "/include"});
  std::optional<compile::Source> source;
  if (const spec::KernelSpec* kernel = catalog.find(trial.problem.kernel)) {
    try {
      source = compile::render(spec::launched_in(*kernel, trial.regime), trial.config, trial.problem, e.gpu);
    } catch (const UserError&) {
      // Its template or a header has gone.
    }
  }
  if (!source || (source->hash != trial.source_hash && !trial.source_hash.empty())) {
    const auto kept = store != nullptr ? stored_source(*store, trial, e.gpu) : std::nullopt;
    const std::string name = "trial " + report::trial_name(e.layer, trial.id);
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
  std::cout << (context.json ? report::source_json(e, text) : text);
  return 0;
}

bool wins(const report::Explanation& e) { return e.result && e.result->winner == e.trial.id; }

// One of several is shown when only its source is asked for: the winner of its problem. Trials of the host device, and
// those that PARAM=VALUE leaves, may have none.
void keep_winner(std::vector<report::Explanation>& all, const std::string& list) {
  const auto winner = std::find_if(all.begin(), all.end(), wins);
  if (winner != all.end()) all = {report::Explanation(*winner)};
  if (all.size() > 1)
    throw UserError("the source of which? " + std::to_string(all.size()) + " trials fit, and none of them won",
                    "--source", "name one by its number or its PARAM=VALUEs; they are listed by " + list);
}

report::Explanation explained(const KnownTrials& known, const spec::Catalog& catalog, const KnownTrial& one) {
  report::Explanation e = one.entry != nullptr ? explanation_of(*one.entry, catalog, one.trial)
                                               : explanation_of(*known.database(), catalog, one.trial);
  if (known.database() && !e.emulated) e.counters = known.database()->counters(e.gpu, e.trial.problem, e.trial.config);
  return e;
}

// What a line of a list shows: there may be thousands.
report::Explanation line_of(const KnownTrial& one) {
  report::Explanation e;
  e.layer = one.layer;
  e.gpu = one.gpu;
  e.trial = one.trial;
  if (one.entry != nullptr) e.result = one.entry->result;
  return e;
}

// Those of the database, else of the first layer of results files that has any, else what the host device tried.
std::vector<KnownTrial> matching(KnownTrials& known, Wanted wanted) {
  std::vector<KnownTrial> found = fitting(known.in_database(wanted.trials), wanted);
  if (!found.empty()) return found;
  for (KnownTrial& one : fitting(known.in_files(wanted.trials), wanted)) {
    if (!found.empty() && found.front().layer != one.layer) break;
    found.push_back(std::move(one));
  }
  if (!found.empty() || wanted.host || !wanted.trials.gpu.empty()) return found;
  wanted.host = true;
  return fitting(known.in_database(wanted.trials), wanted);
}

std::vector<report::Explanation> explanations(const Context& context, const spec::Catalog& catalog, KnownTrials& known,
                                              const std::optional<TrialName>& name) {
  const Arguments& arguments = context.arguments;
  if (name) {
    const bool of_problem = arguments.has("--kernel") || arguments.has("--shape");
    const auto wanted = of_problem ? std::optional(wanted_of(context, catalog, false)) : std::nullopt;
    return {explained(known, catalog, known.named(*name, wanted ? &wanted->trials : nullptr, "tuner explain"))};
  }
  const Wanted wanted = wanted_of(context, catalog, true);
  const std::vector<KnownTrial> trials = matching(known, wanted);
  const bool listed = trials.size() > 1 && !arguments.has("--source");
  std::vector<report::Explanation> found;
  for (const KnownTrial& one : trials) found.push_back(listed ? line_of(one) : explained(known, catalog, one));
  if (found.empty() && !known.database()) no_database(context);
  if (found.empty()) not_tried(context, *wanted.kernel, wanted.trials.problem, wanted.params);
  return found;
}

// What was asked, for one of the trials.
std::string command_of_one(const Context& context, const report::Explanation& e) {
  const std::string command = "tuner explain TRIAL";
  if (e.layer == "user") return with_places(context, command);
  return with_question(context, command + " " + problem_words(e.trial.problem));
}

// Results files, and databases that took them in, hold few of the trials that were made.
std::string share_kept(const std::vector<report::Explanation>& found) {
  const report::Explanation& e = found.front();
  if (e.layer == "user" || !e.result || e.result->candidates <= 0) return {};
  return e.layer + " results keep the winner, its ties, the default and the best of each variant, of " +
         std::to_string(e.result->candidates) + " configurations\n";
}

void print_list(const Context& context, const std::vector<report::Explanation>& found) {
  std::cout << (context.json ? report::trials_json(found) : report::trials_text(found, context.style));
  if (context.quiet || context.json) return;
  std::cerr << share_kept(found) << found.size() << " trials fit; " << command_of_one(context, found.front())
            << " says more of one\n";
}

}  // namespace

int cmd_explain(const Context& context) {
  const Arguments& arguments = context.arguments;
  const spec::Catalog catalog = load_catalog(context);
  const std::vector<std::string>& words = arguments.all("TRIAL");
  if (words.empty() && !arguments.has("--kernel"))
    throw UserError("which trial?", "tuner explain", "tuner explain " + arguments.command->usage);
  const std::optional<TrialName> name = named_trial(*arguments.command, words);
  if (!name) {
    arguments.required("--kernel");
    arguments.required("--shape");
  }
  KnownTrials known(context);
  std::vector<report::Explanation> found = explanations(context, catalog, known, name);
  if (arguments.has("--source"))
    keep_winner(found, with_question(context, "tuner explain " + problem_words(found.front().trial.problem)));
  if (found.size() > 1) {
    print_list(context, found);
    return 0;
  }
  report::Explanation& e = found.front();
  if (arguments.has("--source"))
    return print_source(context, catalog, e.layer == "user" && known.database() ? &*known.database() : nullptr, e);
  e.overruled = overruled(open_layers(context), e.trial, e.gpu);
  std::cout << (context.json ? report::explain_json(e) : report::explain_text(e, context.style));
  return 0;
}

}  // namespace tuner::cli
