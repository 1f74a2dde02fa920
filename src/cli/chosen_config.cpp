#include "cli/chosen_config.h"

#include <algorithm>

#include "cli/known_trials.h"
#include "cli/next_command.h"
#include "cli/overruling.h"
#include "core/error.h"
#include "report/explain_text.h"
#include "spec/resolve.h"

namespace tuner::cli {
namespace {

std::string where_of(const Context& context) { return "tuner " + context.arguments.command->name; }

std::string what_of(const Problem& problem) { return problem.kernel + " " + shape_text(problem.dims); }

ChosenConfig of_trial(const Context& context, const TrialsOf& wanted, const std::string& text,
                      const std::string& where) {
  const TrialName name = required_trial_name(text, where);
  KnownTrials trials(context);
  TrialsOf meant = wanted;
  if (name.layer == "user" || trials.in_files(wanted).empty()) meant.gpu.clear();
  const KnownTrial known = trials.named(name, &meant, where);
  ChosenConfig chosen{known.trial.config, {}, 0, known.emulated};
  chosen.origin = "trial " + report::trial_name(name.layer, name.id);
  if (name.layer == "user") chosen.trial = name.id;
  return chosen;
}

// By what the objective made of their times where it is known of both.
bool is_better(const Trial& a, const Trial& b) {
  return a.cost > 0 && b.cost > 0 ? a.cost < b.cost : a.time_us < b.time_us;
}

// The best of the first layer that measured one that agrees; not of the host device, where nothing has a time.
std::optional<ChosenConfig> best_measured(const Context& context, const TrialsOf& wanted, const GpuFacts& gpu,
                                          const Facts& given, const Allowed& allowed) {
  KnownTrials trials(context);
  const KnownTrial* best = nullptr;
  const auto consider = [&](const std::vector<KnownTrial>& all) {
    for (const KnownTrial& known : all) {
      if (known.emulated || known.trial.time_us <= 0 || known.trial.reason != Reason::none) continue;
      if (!store::same_model(known.gpu, gpu) || !agrees(known.trial.config, given)) continue;
      if (best != nullptr && best->layer != known.layer) continue;
      if (best != nullptr && !is_better(known.trial, best->trial)) continue;
      if (allowed(known.trial.config)) best = &known;
    }
  };
  const TrialsOf anywhere{wanted.problem, wanted.regime};
  const std::vector<KnownTrial> own = trials.in_database(anywhere);
  consider(own);
  const std::vector<KnownTrial> others = best == nullptr ? trials.in_files(anywhere) : std::vector<KnownTrial>{};
  consider(others);
  if (best == nullptr) return std::nullopt;
  ChosenConfig chosen{best->trial.config, {}, best->layer == "user" ? best->trial.id : 0};
  chosen.origin = "as given, the rest of trial " + report::trial_name(best->layer, best->trial.id) +
                  ", the fastest measured like it";
  return chosen;
}

// `wanted` and what it leaves open of this default; empty where they contradict each other.
std::optional<space::Partial> joined(const space::Partial& wanted, const space::Partial& usual) {
  space::Partial all = wanted;
  for (const auto& [name, values] : usual) {
    const auto said =
        std::find_if(wanted.begin(), wanted.end(), [&key = name](const auto& one) { return one.first == key; });
    if (said == wanted.end())
      all.push_back({name, values});
    else if (std::find(values.begin(), values.end(), said->second.front()) == values.end())
      return std::nullopt;
  }
  return all;
}

ChosenConfig of_words(const Context& context, const spec::KernelSpec& kernel, const TrialsOf& trials,
                      const GpuFacts& gpu, const Facts& wanted, const Allowed& allowed) {
  check_parameters(kernel, wanted, where_of(context));
  space::Partial partial;
  for (const auto& [name, value] : wanted) partial.push_back({name, {value}});
  const space::Scope scope = spec::base_scope(kernel, trials.problem, gpu);
  const auto first = kernel.space.complete(scope, partial);
  if (!first) {
    std::string excluded;
    for (const auto& [constraint, n] : kernel.space.exclusions(scope, partial))
      excluded += (excluded.empty() ? std::string() : ", ") + constraint;
    throw UserError("no configuration like this is legal at " + what_of(trials.problem), kernel.path,
                    excluded.empty() ? "a parameter that is named is not active there" : "excluded by: " + excluded);
  }
  if (first->params.size() == wanted.size()) return {*first, "as given"};
  if (auto best = best_measured(context, trials, gpu, wanted, allowed)) return *best;
  for (const space::Partial& usual : kernel.defaults)
    if (const auto all = joined(partial, usual))
      if (const auto config = kernel.space.complete(scope, *all); config && allowed(*config))
        return {*config, "as given, the rest the manifest's default"};
  return {*first, "as given, the rest the first legal values"};
}

TrialsOf trials_of(const Context& context, const Problem& problem) {
  return {problem, context.arguments.text("--regime", spec::plain_regime), context.arguments.text("--gpu")};
}

}  // namespace

ChosenConfig config_of_trial(const Context& context, const Problem& problem, const std::string& name,
                             const std::string& where) {
  return of_trial(context, trials_of(context, problem), name, where);
}

ChosenConfig config_like(const Context& context, const spec::KernelSpec& kernel, const Problem& problem,
                         const GpuFacts& gpu, const std::vector<std::string>& words, const Allowed& allowed) {
  const Facts wanted = parse_assignments(words, where_of(context));
  return of_words(context, kernel, trials_of(context, problem), gpu, wanted, allowed);
}

std::optional<ChosenConfig> chosen_config(const Context& context, const spec::KernelSpec& kernel,
                                          const Problem& problem, const GpuFacts& gpu,
                                          const std::vector<std::string>& words, const Allowed& allowed) {
  const std::string where = where_of(context);
  const bool numbered = context.arguments.has("--trial");
  if (numbered && !words.empty())
    throw UserError("--trial and PARAM=VALUE exclude each other", where,
                    where + " " + context.arguments.command->usage);
  if (numbered) return config_of_trial(context, problem, context.arguments.text("--trial"), "--trial");
  if (words.empty()) return std::nullopt;
  return config_like(context, kernel, problem, gpu, words, allowed);
}

void refuse_illegal(const Context& context, const store::KernelKnowledge& kernels, const Problem& problem,
                    const Config& config, const GpuFacts& gpu) {
  if (const auto why = kernels.why_illegal(problem, config, gpu))
    throw UserError(
        "the configuration is illegal: " + config.label() + " at " + what_of(problem), *why,
        with_question(context, "tuner explain " + problem_words(problem)) + " shows legal ones that were tried");
}

}  // namespace tuner::cli
