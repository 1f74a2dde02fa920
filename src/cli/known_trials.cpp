#include "cli/known_trials.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <set>

#include "cli/knowledge.h"
#include "cli/next_command.h"
#include "core/error.h"
#include "report/explain_text.h"
#include "store/gpu_choice.h"
#include "store/ladder.h"

namespace tuner::cli {
namespace {

bool same_problem(const Problem& a, const Problem& b) {
  return a.kernel == b.kernel && a.dims == b.dims && facts_key(a.facts) == facts_key(b.facts);
}

store::Layers open_files(const Context& context) {
  store::Layers::Places places = context.places.layers();
  places.database.clear();
  std::vector<std::string> warnings;
  store::Layers layers = store::Layers::open(places, warnings);
  for (const std::string& warning : warnings) std::cerr << context.notes.text("warning: " + warning) << "\n";
  return layers;
}

std::string sweep_of(const Context& context, const Problem& problem) {
  return with_question(context, "tuner sweep " + problem_words(problem));
}

}  // namespace

bool agrees(const Config& config, const Facts& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&config](const auto& pair) {
    const Value* value = config.find(pair.first);
    return value && *value == pair.second;
  });
}

std::string problem_title(const Problem& problem, const Problem& beside) {
  const std::string title = problem.kernel + " " + shape_text(problem.dims);
  const bool alike = problem.kernel == beside.kernel && problem.dims == beside.dims;
  return alike && !same_problem(problem, beside) ? title + " " + facts_key(problem.facts) : title;
}

std::string names_of(const std::vector<KnownTrial>& trials) {
  std::map<int, std::set<std::int64_t>> ids;
  std::map<int, std::string> layers;
  for (const KnownTrial& known : trials) {
    const int rank = store::layer_rank(known.layer);
    layers[rank] = known.layer;
    ids[rank].insert(known.trial.id);
  }
  std::string text;
  for (const auto& [rank, of_layer] : ids)
    for (auto first = of_layer.begin(); first != of_layer.end();) {
      auto last = first;
      for (auto next = std::next(first); next != of_layer.end() && *next == *last + 1; ++next) last = next;
      text += (text.empty() ? "" : ", ") + report::trial_name(layers[rank], *first);
      if (last != first) text += " to " + report::trial_name(layers[rank], *last);
      first = std::next(last);
    }
  return text;
}

KnownTrials::KnownTrials(const Context& context) : context_(context), database_(open_database(context)) {}

std::vector<KnownTrial> KnownTrials::in_database(const TrialsOf& wanted) const {
  std::vector<KnownTrial> found;
  if (!database_) return found;
  std::set<std::string> seen;
  for (const store::RunRecord& run : database_->runs()) {
    const GpuFacts& gpu = run.facts.gpu;
    if (!store::is_called(gpu, wanted.gpu) || !seen.insert(store::gpu_key(gpu)).second) continue;
    for (Trial& trial : database_->trials(gpu, wanted.problem, wanted.regime))
      found.push_back({"user", gpu, run.facts.emulated, std::move(trial), nullptr});
  }
  return found;
}

std::vector<KnownTrial> KnownTrials::in_files(const TrialsOf& wanted) {
  if (!files_) files_.emplace(open_files(context_));
  std::vector<KnownTrial> found;
  for (const store::Entry& entry : whole_entries(context_, *files_)) {
    if (entry.result.regime != wanted.regime || !same_problem(entry.result.problem, wanted.problem)) continue;
    if (!store::is_called(entry.gpu, wanted.gpu)) continue;
    for (const Trial& trial : entry.trials) found.push_back({entry.layer, entry.gpu, entry.emulated, trial, &entry});
  }
  return found;
}

KnownTrial KnownTrials::of_database(std::int64_t id) const {
  if (!database_)
    throw NothingFound("there is no database yet", context_.places.database,
                       with_places(context_, "tuner sweep configs/quickstart.yaml"));
  std::optional<Trial> trial = database_->trial(id);
  if (!trial)
    throw NothingFound("there is no trial " + std::to_string(id), database_->path(),
                       with_places(context_, "tuner explain --kernel K --shape MxN") + " lists those of a problem");
  KnownTrial known;
  if (const auto run = database_->run_of_trial(id)) {
    known.gpu = run->facts.gpu;
    known.emulated = run->facts.emulated;
  }
  known.trial = std::move(*trial);
  return known;
}

KnownTrial KnownTrials::of_file(const TrialName& name, const TrialsOf& wanted, const std::string& where) {
  std::vector<KnownTrial> found = in_files(wanted);
  const std::string known = names_of(found);
  found.erase(
      std::remove_if(found.begin(), found.end(),
                     [&name](const KnownTrial& one) { return one.layer != name.layer || one.trial.id != name.id; }),
      found.end());
  const std::string title = report::trial_name(name.layer, name.id);
  if (found.empty())
    throw NothingFound("there is no trial " + title + " of " + problem_title(wanted.problem, {}), where,
                       known.empty() ? sweep_of(context_, wanted.problem) : "known of it: " + known);
  if (found.size() == 1) return found.front();
  std::string gpus;
  for (const KnownTrial& one : found) gpus += (gpus.empty() ? "" : ", ") + store::described(one.gpu);
  throw UserError("there are several trials " + title + ", of different GPUs", where, "--gpu names one of: " + gpus);
}

KnownTrial KnownTrials::named(const TrialName& name, const TrialsOf* wanted, const std::string& where) {
  if (name.layer != "user") {
    const std::string title = report::trial_name(name.layer, name.id);
    if (wanted == nullptr)
      throw UserError("which problem's " + title + "? results files number the trials of each", where,
                      "tuner explain " + title + " --kernel K --shape MxN");
    return of_file(name, *wanted, where);
  }
  KnownTrial known = of_database(name.id);
  if (wanted == nullptr) return known;
  const bool fits = same_problem(known.trial.problem, wanted->problem) && known.trial.regime == wanted->regime;
  if (fits && store::is_called(known.gpu, wanted->gpu)) return known;
  std::vector<KnownTrial> others = in_database(*wanted);
  for (KnownTrial& other : in_files(*wanted)) others.push_back(std::move(other));
  const std::string names = names_of(others);
  const std::string regime = known.trial.regime == wanted->regime ? std::string() : " " + known.trial.regime;
  throw UserError(
      "trial " + std::to_string(name.id) + " is of " + problem_title(known.trial.problem, wanted->problem) + regime +
          " on " + known.gpu.name + ", not of " + problem_title(wanted->problem, known.trial.problem) +
          (wanted->gpu.empty() ? std::string() : " on " + wanted->gpu),
      where,
      names.empty() ? "none is known of that: " + sweep_of(context_, wanted->problem) : "trials of that: " + names);
}

}  // namespace tuner::cli
