#include <algorithm>
#include <iterator>
#include <list>
#include <set>

#include "core/error.h"
#include "core/suggest.h"
#include "store/database.h"
#include "store/gpu_choice.h"
#include "store/ladder.h"
#include "store/layer_rows.h"
#include "store/lookup.h"
#include "store/results_file.h"
#include "store/selection.h"
#include "store/stored_entries.h"

namespace tuner::store {

struct Layers::State : LayerRows {
  static constexpr std::int64_t damaged = INT64_MIN;  // for Entry::unread

  std::optional<Store> store;
  std::list<std::vector<Pin>> tried;
  std::list<Entry> widened;  // database rows with every trial, read when asked for; answers point at them
  std::optional<EntryReader> reader;

  bool database_named = false;
  std::vector<std::string> warnings;  // of what was read late
  std::set<std::string> warned_of;    // sources

  void read_from_file(Entry& entry) const {
    const FileResult& result = file_results[static_cast<std::size_t>(-entry.unread - 1)];
    Entry whole = result.file->whole(result.index);
    whole.layer = entry.layer;
    entry = std::move(whole);
  }
  // A result of a file or a row of the default database that cannot be read is left out with a warning, as all of its
  // source would have been.
  void read_rest(Entry& entry) {
    if (entry.unread == 0 || entry.unread == damaged) return;
    const bool of_file = entry.unread < 0;
    try {
      of_file ? read_from_file(entry) : reader->read_rest(entry);
    } catch (const Error& problem) {
      if (!of_file && database_named) throw;
      if (warned_of.insert(entry.source).second)
        warnings.push_back(of_file ? left_out(entry.source, problem)
                                   : "rows of the database are left out: " + std::string(problem.what()));
      entry.unread = damaged;
      entry.result.winner = 0;
    }
  }
  Ladder::ReadRest reading() {
    return [this](const Entry& entry) { read_rest(entries[static_cast<std::size_t>(&entry - entries.data())]); };
  }
};

namespace {

bool has_rows(const std::string& path) { return read_header(path).present; }

std::string with_dims(const KernelKnowledge& kernels) {
  std::string text;
  for (const std::string& name : kernels.kernels())
    text += (text.empty() ? "" : ", ") + name + " (" + std::to_string(kernels.dims(name)) + ")";
  return text;
}

std::string kernels_of(const KernelKnowledge& kernels, std::size_t dims) {
  std::string text;
  for (const std::string& name : kernels.kernels())
    if (kernels.dims(name) == dims) text += (text.empty() ? "" : ", ") + name;
  return text;
}

[[noreturn]] void wrong_dims(const Query& query, const KernelKnowledge& kernels) {
  const std::string size = std::to_string(query.dims.size());
  const std::string having = kernels_of(kernels, query.dims.size());
  const std::string hint = having.empty() ? "known, with their number of dimensions: " + with_dims(kernels)
                                          : "kernels with " + size + ": " + having;
  const std::string who = query.kernel.empty() ? "no kernel" : "kernel '" + query.kernel + "'";
  throw UserError(who + (query.kernel.empty() ? " has " : " does not have ") + size +
                      (query.dims.size() == 1 ? " dimension" : " dimensions") + ", as " + shape_text(query.dims) +
                      " has",
                  "--shape", hint);
}

std::vector<std::string> choose_kernels(const Query& query, const KernelKnowledge& kernels,
                                        const std::vector<Entry>& entries, const std::vector<GpuFacts>& gpus) {
  const auto all = kernels.kernels();
  if (!query.kernel.empty()) {
    if (kernels.dims(query.kernel) == 0)
      throw UserError("unknown kernel '" + query.kernel + "'", "--kernel", did_you_mean(query.kernel, all));
    if (kernels.dims(query.kernel) != query.dims.size()) wrong_dims(query, kernels);
    return {query.kernel};
  }
  std::vector<std::string> fitting;
  std::vector<std::string> tuned;
  for (const std::string& name : all) {
    if (kernels.dims(name) != query.dims.size()) continue;
    fitting.push_back(name);
    const bool has_row = std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) {
      const ProblemResult& row = entry.result;
      return row.problem.kernel == name && row.problem.dims == query.dims && row.regime == query.regime &&
             std::any_of(gpus.begin(), gpus.end(), [&](const GpuFacts& gpu) {
               return same_model(gpu, entry.gpu) && entry.emulated == (gpu.name == "host");
             });
    });
    if (has_row) tuned.push_back(name);
  }
  if (fitting.empty()) wrong_dims(query, kernels);
  return tuned.empty() ? fitting : tuned;
}

}  // namespace

Layers::Layers(std::unique_ptr<State> state) : state_(std::move(state)) {}
Layers::Layers(Layers&&) noexcept = default;
Layers::~Layers() = default;

Layers Layers::open(const Places& places, std::vector<std::string>& warnings) {
  LayerRows files;
  std::vector<std::string> of_files;
  read_folder(places.project, "project", files, of_files);
  read_folder(places.site, "site", files, of_files);
  read_folder(places.shipped, "shipped", files, of_files);
  auto state = std::make_unique<State>();
  try {
    state->database_named = places.database_named;
    if (!places.database.empty() && has_rows(places.database)) {
      state->store = Store::open(places.database, Store::Mode::read_only);
      state->entries = store::outlines(*state->store, files.entries.size());
      state->reader.emplace(*state->store);
      state->pins = state->store->pins();
      state->forbids = state->store->forbids();
    }
  } catch (const Error& problem) {
    if (places.database_named) throw;
    state = std::make_unique<State>();
    warnings.push_back("the database is left out: " + std::string(problem.what()));
  }
  const auto append = [](auto& to, auto& more) { std::move(more.begin(), more.end(), std::back_inserter(to)); };
  append(state->entries, files.entries);
  state->files = std::move(files.files);
  state->file_results = std::move(files.file_results);
  append(state->pins, files.pins);
  append(state->forbids, files.forbids);
  append(warnings, of_files);
  sort_entries(state->entries);
  return Layers(std::move(state));
}

const std::vector<Entry>& Layers::entries() const {
  std::vector<Entry>& entries = state_->entries;
  for (Entry& entry : entries) state_->read_rest(entry);
  const auto damaged = [](const Entry& entry) { return entry.unread == State::damaged; };
  entries.erase(std::remove_if(entries.begin(), entries.end(), damaged), entries.end());
  return entries;
}

const std::vector<std::string>& Layers::warnings() const { return state_->warnings; }

const std::vector<Entry>& Layers::outlines() const { return state_->entries; }
const std::vector<Pin>& Layers::pins() const { return state_->pins; }
const std::vector<Forbid>& Layers::forbids() const { return state_->forbids; }

namespace {

const Trial* trial_of(const Entry& entry, std::int64_t id) {
  const auto found =
      std::find_if(entry.trials.begin(), entry.trials.end(), [id](const Trial& trial) { return trial.id == id; });
  return found == entry.trials.end() ? nullptr : &*found;
}

// Timed trials, the best first; those tied with the winner stand before all others, in their order.
std::vector<const Trial*> by_cost(const Entry& entry) {
  std::vector<const Trial*> order;
  const auto add = [&](const Trial* trial) {
    if (trial != nullptr && std::find(order.begin(), order.end(), trial) == order.end()) order.push_back(trial);
  };
  add(trial_of(entry, entry.result.winner));
  for (const std::int64_t id : entry.result.tied) add(trial_of(entry, id));
  std::vector<std::pair<double, const Trial*>> rest;
  for (const Trial& trial : entry.trials)
    if (cost_of(trial, entry.trials) > 0) rest.emplace_back(cost_of(trial, entry.trials), &trial);
  std::stable_sort(rest.begin(), rest.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [cost, trial] : rest) add(trial);
  return order;
}

void check_parameter(const Entry& entry, const std::string& parameter) {
  std::vector<std::string> known;
  for (const Trial& trial : entry.trials)
    for (const auto& [name, value] : trial.config.params) {
      if (name == parameter) return;
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
    }
  if (!known.empty()) throw UserError("unknown parameter '" + parameter + "'", "--by", did_you_mean(parameter, known));
}

using Allowed = std::function<bool(const Trial&)>;

// Of its own value the winner stands for the ties it won.
std::vector<const Trial*> by_value(const Entry& entry, const std::string& parameter, const Allowed& allowed) {
  check_parameter(entry, parameter);
  std::vector<const Trial*> order = best_of_each(entry.trials, parameter, allowed);
  const Trial* winner = trial_of(entry, entry.result.winner);
  const Value* value = winner == nullptr ? nullptr : winner->config.find(parameter);
  if (value == nullptr || !allowed(*winner)) return order;
  for (const Trial*& trial : order)
    if (*trial->config.find(parameter) == *value) trial = winner;
  return order;
}

// Several answers of one exact row, fastest first: the best of each value of a parameter, or the first `top`. The first
// names what forbids better ones.
std::vector<Answer> several(const Ladder& ladder, const Entry& entry, const Problem& problem, const GpuFacts& gpu,
                            const Query& query) {
  std::vector<const Forbid*> forbids;
  const Allowed allowed = [&](const Trial& trial) { return ladder.usable(problem, gpu, trial.config, forbids); };
  const std::vector<const Trial*> order = query.by.empty() ? by_cost(entry) : by_value(entry, query.by, allowed);
  std::vector<Answer> answers;
  for (const Trial* trial : order) {
    if (query.by.empty() && answers.size() >= static_cast<std::size_t>(query.top)) break;
    if (!allowed(*trial)) continue;
    if (auto answer = ladder.exact_answer(problem, gpu, entry, *trial)) answers.push_back(std::move(*answer));
  }
  if (!answers.empty()) answers.front().forbidden = forbids;
  return answers;
}

bool was_right(const Trial& trial) {
  return trial.status == Status::verified || trial.status == Status::measured || trial.status == Status::eliminated ||
         trial.status == Status::duplicate;
}

// What is known of the pinned configuration: from the row that would answer exactly, else from the database.
void judge_pin(Answer& answer, const std::string& regime, const std::optional<Store>& store, std::list<Entry>& kept) {
  if (answer.trial == nullptr && store) {
    const auto here = [&answer](const GpuFacts& gpu) { return gpu_key(gpu) == gpu_key(answer.gpu); };
    if (const auto trial = newest_trial(*store, {answer.problem, regime, answer.config}, here)) {
      if (trial->status == Status::rejected) answer.rejected = std::string(title(trial->reason));
      if (was_right(*trial)) answer.unverified = false;
      if (auto entry = entry_of(*store, *trial)) {
        kept.push_back(std::move(*entry));
        answer.entry = &kept.back();
        answer.trial = trial_of(kept.back(), trial->id);
      }
    }
  }
  if (answer.trial == nullptr) return;
  if (answer.trial->status == Status::rejected) answer.rejected = std::string(title(answer.trial->reason));
  if (was_right(*answer.trial)) answer.unverified = false;
  const Trial* winner = trial_of(*answer.entry, answer.entry->result.winner);
  const double own = cost_or_sample_of(*answer.trial, answer.entry->trials);
  const double best = winner == nullptr ? 0 : cost_of(*winner, answer.entry->trials);
  if (own > 0 && best > 0 && !answer.entry->emulated) answer.cost = own / best - 1;
}

}  // namespace

std::vector<Answer> Layers::best(const Query& query, const KernelKnowledge& kernels,
                                 std::vector<const Forbid*>* in_the_way) const {
  State& state = *state_;
  const auto gpus = choose_gpus(query, state.entries);
  const auto names = choose_kernels(query, kernels, state.entries, gpus);
  const Ladder ladder(state.entries, state.pins, state.forbids, kernels, state.reading(), query.nvrtc);
  std::vector<Answer> answers;
  std::optional<UserError> refused;
  bool asked = false;
  for (const std::string& name : names) {
    Problem problem;
    try {
      problem = kernels.problem(name, query.dims, query.facts);
      asked = true;
    } catch (const UserError& error) {
      refused = error;  // a fact that this kernel does not have
      continue;
    }
    for (const GpuFacts& gpu : gpus) {
      const Entry* entry = query.by.empty() && query.top <= 1 ? nullptr : ladder.exact(problem, query.regime, gpu);
      auto answer = ladder.answer(problem, query.regime, gpu, in_the_way);
      if (answer && answer->match == Match::pinned) judge_pin(*answer, query.regime, state.store, state.widened);
      std::vector<Answer> more;
      if (entry != nullptr) {
        if (state.store && entry->source == state.store->path()) {
          state.widened.push_back(*entry);
          state.widened.back().trials = all_trials(*state.store, *entry);
          entry = &state.widened.back();
        }
        more = several(ladder, *entry, problem, gpu, query);
      }
      const bool pinned_first = query.by.empty() && answer && answer->match == Match::pinned;
      if (answer && (more.empty() || pinned_first)) answers.push_back(std::move(*answer));
      std::move(more.begin(), more.end(), std::back_inserter(answers));
    }
  }
  if (!asked && refused) throw *refused;
  for (Answer& answer : answers) answer.regime = query.regime;
  for (Answer& answer : answers)
    if (query.gpu.empty() && !query.here && answer.gpu.name.empty()) answer.gpu.arch = 0;
  return answers;
}

std::vector<Answer> Layers::with_pin(const Pin& pin, const std::optional<GpuFacts>& here,
                                     const KernelKnowledge& kernels) const {
  State& state = *state_;
  std::vector<GpuFacts> gpus;
  const auto add = [&](const GpuFacts& gpu) {
    const auto same = [&gpu](const GpuFacts& other) { return gpu_key(other) == gpu_key(gpu); };
    if (contains_blind(gpu.name, pin.gpu) && std::none_of(gpus.begin(), gpus.end(), same)) gpus.push_back(gpu);
  };
  if (here) add(*here);
  for (const Entry& entry : state.entries)
    if (!entry.emulated) add(entry.gpu);
  state.tried.push_back({pin});
  const Ladder ladder(state.entries, state.tried.back(), state.forbids, kernels, state.reading());
  std::vector<Answer> answers;
  for (const GpuFacts& gpu : gpus) {
    auto answer = ladder.answer(pin.problem, pin.regime, gpu);
    if (!answer) continue;
    if (answer->match == Match::pinned) judge_pin(*answer, pin.regime, state.store, state.widened);
    answers.push_back(std::move(*answer));
  }
  return answers;
}

}  // namespace tuner::store
