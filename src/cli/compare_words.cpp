// The sides of `tuner compare` that are today's code with a configuration of some kind.
#include <algorithm>
#include <map>
#include <sstream>

#include "cli/chosen_config.h"
#include "cli/compare_sides.h"
#include "cli/knowledge.h"
#include "cli/known_trials.h"
#include "core/error.h"
#include "export/best_answers.h"
#include "spec/resolve.h"
#include "store/stored_entries.h"

namespace tuner::cli {
namespace {

store::Query query_of(const Asked& asked) {
  store::Query query;
  query.kernel = asked.problem.kernel;
  query.dims = asked.problem.dims;
  query.facts = asked.problem.facts;
  query.here = asked.gpu;
  query.regime = asked.regime;
  return query;
}

// The trial of this configuration among those of a row, with its time.
void note_time(const store::Entry& entry, const Config& config, Chosen& chosen) {
  for (const Trial& trial : entry.trials) {
    if (trial.config != config || !(trial.time_us > 0)) continue;
    chosen.stored = stored_time(entry, trial);
    chosen.rounds = rounds_of(entry, trial);
    chosen.gpu = entry.gpu;
    chosen.gpu.driver = entry.driver;
    return;
  }
}

std::vector<store::Answer> answers_to(const Asked& asked, const Known& known) {
  if (known.catalog.find(asked.problem.kernel) == nullptr) return {};
  std::vector<const store::Forbid*> in_the_way;
  return exporting::best_answers(
             known.layers, known.catalog,
             [&](const std::string& regime) { return knowledge_of(known.catalog, regime); }, query_of(asked),
             in_the_way)
      .answers;
}

const store::Entry* exact_row(const Asked& asked, const Known& known) {
  for (const store::Answer& answer : answers_to(asked, known))
    if (answer.match == store::Match::exact || answer.match == store::Match::pinned) return answer.entry;
  return nullptr;
}

class WordsSide : public Side {
 public:
  WordsSide(const std::string& word, const Known& known) : Side(word), known_(known) {}

  Chosen choose(const Asked& asked) const override {
    if (title() == "best") return best_choice(asked, known_);
    if (title() == "pinned") return pinned_choice(asked);
    const spec::KernelSpec& kernel = kernel_of(asked);
    Chosen chosen{{}, asked.problem, {}, "the manifest's default"};
    if (title() == "default") {
      const auto standard = spec::default_config(kernel, asked.problem, asked.gpu);
      if (!standard) return {"no default is legal at " + name_of(asked.problem), {}, {}, {}};
      chosen.config = *standard;
    } else {
      const ChosenConfig like =
          config_like(known_.context, kernel, asked.problem, asked.gpu, words(), [](const Config&) { return true; });
      chosen.config = like.config;
      chosen.origin = like.origin;
    }
    if (const store::Entry* row = exact_row(asked, known_)) note_time(*row, chosen.config, chosen);
    return chosen;
  }

  const spec::KernelSpec& code(const Asked& asked, Chosen&) override { return kernel_of(asked); }

 private:
  const spec::KernelSpec& kernel_of(const Asked& asked) const {
    return spec::in_regime(known_.catalog.at(asked.problem.kernel, title()), asked.regime, title());
  }
  Chosen pinned_choice(const Asked& asked) const {
    Chosen chosen = best_choice(asked, known_);
    if (chosen.origin != "pinned") chosen.missing = "nothing is pinned at " + name_of(asked.problem);
    return chosen;
  }
  std::vector<std::string> words() const {
    std::vector<std::string> all;
    std::istringstream in(title());
    for (std::string word; std::getline(in, word, ',');) all.push_back(word);
    return all;
  }

  const Known known_;
};

class TrialSide : public Side {
 public:
  TrialSide(const std::string& name, const store::Entry& entry, const Trial& trial, const Known& known)
      : Side("trial " + name), entry_(entry), trial_(trial) {
    results_ = results_side({title(), {as_winner()}, known.database ? &*known.database : nullptr}, known);
  }

  std::vector<Asked> known() const override { return results_->known(); }
  Chosen choose(const Asked& asked) const override {
    Chosen chosen = results_->choose(asked);
    chosen.origin = title();
    chosen.rounds = rounds_of(entry_, trial_);  // of its row, whoever won there
    return chosen;
  }
  const spec::KernelSpec& code(const Asked& asked, Chosen& chosen) override { return results_->code(asked, chosen); }

 private:
  store::Entry as_winner() const {
    store::Entry entry = entry_;
    entry.result.winner = trial_.id;
    const auto same = [this](const Trial& other) { return other.id == trial_.id; };
    if (std::none_of(entry.trials.begin(), entry.trials.end(), same)) entry.trials.push_back(trial_);
    return entry;
  }

  store::Entry entry_;
  Trial trial_;
  std::unique_ptr<Side> results_;
};

}  // namespace

Chosen best_choice(const Asked& asked, const Known& known) {
  const std::vector<store::Answer> answers = answers_to(asked, known);
  if (answers.empty()) return {"nothing is known of " + name_of(asked.problem), {}, {}, {}};
  const store::Answer& answer = answers.front();
  Chosen chosen{{}, asked.problem, answer.config, std::string(to_text(answer.match))};
  const bool timed_there = answer.match == store::Match::exact || answer.match == store::Match::pinned;
  if (timed_there && answer.entry != nullptr) note_time(*answer.entry, answer.config, chosen);
  return chosen;
}

bool is_choice(const std::string& word) {
  return word == "best" || word == "default" || word == "pinned" || word.find('=') != std::string::npos;
}

std::unique_ptr<Side> words_side(const std::string& word, const Known& known) {
  return std::make_unique<WordsSide>(word, known);
}

std::unique_ptr<Side> trial_side(const std::string& name, const Known& known) {
  const TrialName wanted = required_trial_name(name, "tuner compare");
  const Arguments& arguments = known.context.arguments;
  KnownTrials trials(known.context);
  std::optional<TrialsOf> of;
  if (wanted.layer != "user") {
    const spec::KernelSpec& kernel = known.catalog.at(arguments.required("--kernel"), "--kernel");
    of = TrialsOf{spec::make_problem(kernel, parse_shape(arguments.required("--shape"), "--shape"),
                                     parse_assignments(arguments.all("--set"), "--set"), "--set"),
                  arguments.text("--regime", spec::plain_regime), arguments.text("--gpu")};
  }
  const KnownTrial found = trials.named(wanted, of ? &*of : nullptr, "tuner compare");
  store::Entry entry;
  if (found.entry != nullptr)
    entry = *found.entry;
  else if (auto row = store::entry_of(*known.database, found.trial))
    entry = std::move(*row);
  entry.gpu = found.gpu;
  entry.driver = found.entry != nullptr ? found.entry->driver : found.gpu.driver;
  entry.emulated = found.emulated;
  entry.result.problem = found.trial.problem;
  entry.result.regime = found.trial.regime;
  return std::make_unique<TrialSide>(name, entry, found.trial, known);
}

}  // namespace tuner::cli
