#include "store/ladder.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "core/error.h"
#include "store/distance.h"
#include "store/expected_loss.h"
#include "store/gpu_choice.h"
#include "store/selection.h"
#include "store/state.h"

namespace tuner::store {
namespace {

bool is_host(const GpuFacts& gpu) { return gpu.name == "host"; }

const Trial* find_trial(const Entry& entry, std::int64_t id) {
  for (const Trial& trial : entry.trials)
    if (trial.id == id) return &trial;
  return nullptr;
}

// In order of preference.
std::vector<const Trial*> tied_trials(const Entry& entry) {
  std::vector<const Trial*> trials;
  const auto add = [&](std::int64_t id) {
    const Trial* trial = find_trial(entry, id);
    if (trial != nullptr && std::find(trials.begin(), trials.end(), trial) == trials.end()) trials.push_back(trial);
  };
  add(entry.result.winner);
  for (const std::int64_t id : entry.result.tied) add(id);
  return trials;
}

// What answers a neighbour, in order of preference.
std::vector<const Trial*> travelling_trials(const Entry& entry) {
  std::vector<const Trial*> trials = tied_trials(entry);
  const Trial* traveller = entry.result.traveller == 0 ? nullptr : find_trial(entry, entry.result.traveller);
  if (traveller == nullptr) return trials;
  trials.erase(std::remove(trials.begin(), trials.end(), traveller), trials.end());
  trials.insert(trials.begin(), traveller);
  return trials;
}

}  // namespace

struct Ladder::Neighbour {
  const Entry* entry;
  std::tuple<bool, int, int, std::int64_t, std::int64_t, std::size_t> key;
  std::vector<std::int64_t> distance;
};

std::string_view to_text(Match match) {
  switch (match) {
    case Match::pinned:
      return "pinned";
    case Match::exact:
      return "exact";
    case Match::near_shape:
      return "near_shape";
    case Match::near_gpu:
      return "near_gpu";
    case Match::by_default:
      return "default";
  }
  return "default";
}

int layer_rank(std::string_view layer) {
  constexpr std::array<std::string_view, 4> order{"user", "project", "site", "shipped"};
  return static_cast<int>(std::find(order.begin(), order.end(), layer) - order.begin());
}

const Forbid* forbid_of(const std::vector<Forbid>& forbids, const std::string& kernel, const GpuFacts& gpu,
                        const Config& config) {
  const auto found = std::find_if(forbids.begin(), forbids.end(), [&](const Forbid& forbid) {
    if (!forbid.kernel.empty() && forbid.kernel != kernel) return false;
    if (!contains_blind(gpu.name, forbid.gpu)) return false;
    return std::all_of(forbid.params.params.begin(), forbid.params.params.end(), [&](const auto& wanted) {
      const Value* value = config.find(wanted.first);
      return value != nullptr && *value == wanted.second;
    });
  });
  return found == forbids.end() ? nullptr : &*found;
}

bool is_forbidden(const std::vector<Forbid>& forbids, const std::string& kernel, const GpuFacts& gpu,
                  const Config& config) {
  return forbid_of(forbids, kernel, gpu, config) != nullptr;
}

const Pin* pin_for(const std::vector<Pin>& pins, const Problem& problem, const std::string& regime,
                   const GpuFacts& gpu) {
  const Pin* best = nullptr;
  const std::string facts = facts_key(problem.facts);
  for (const Pin& pin : pins) {
    if (pin.problem.kernel != problem.kernel || pin.problem.dims != problem.dims || pin.regime != regime) continue;
    if (facts_key(pin.problem.facts) != facts || !contains_blind(gpu.name, pin.gpu)) continue;
    const auto key = [](const Pin& one) { return std::pair(layer_rank(one.layer), one.gpu.empty()); };
    if (best == nullptr || key(pin) <= key(*best)) best = &pin;
  }
  return best;
}

int fact_mismatches(const KernelKnowledge& kernels, const Problem& asked, const Problem& tuned) {
  if (asked.facts == tuned.facts) return 0;
  const Problem asked_default = kernels.problem(asked.kernel, asked.dims, {});
  const Problem tuned_default = kernels.problem(tuned.kernel, tuned.dims, {});
  int count = 0;
  for (const auto& [name, value] : asked.facts) {
    const Value* other = tuned.fact(name);
    if (other != nullptr && *other == value) continue;
    const Value* here = asked_default.fact(name);
    const Value* there = tuned_default.fact(name);
    const bool both_default =
        other != nullptr && here != nullptr && there != nullptr && *here == value && *there == *other;
    if (!both_default) ++count;
  }
  return count;
}

bool Ladder::usable(const Problem& problem, const GpuFacts& gpu, const Config& config,
                    std::vector<const Forbid*>& forbids) const {
  if (kernels_.why_illegal(problem, config, gpu)) return false;
  const Forbid* forbid = forbid_of(forbids_, problem.kernel, gpu, config);
  if (forbid != nullptr && std::find(forbids.begin(), forbids.end(), forbid) == forbids.end())
    forbids.push_back(forbid);
  return forbid == nullptr;
}

Answer Ladder::filled(const Problem& problem, const GpuFacts& gpu, Match match, const Config& config) const {
  Answer answer;
  answer.problem = problem;
  answer.gpu = gpu;
  answer.match = match;
  answer.config = config;
  answer.steps = kernels_.steps(problem, config, gpu);
  answer.distance = {0, 0};
  return answer;
}

std::optional<Answer> Ladder::pinned(const Problem& problem, const std::string& regime, const GpuFacts& gpu,
                                     Passed& passed) const {
  const Pin* pin = pin_for(pins_, problem, regime, gpu);
  if (pin == nullptr) return std::nullopt;
  if (!usable(problem, gpu, pin->config, passed.forbids)) {
    passed.pin = pin;
    return std::nullopt;
  }
  Answer answer = filled(problem, gpu, Match::pinned, pin->config);
  answer.layer = pin->layer;
  answer.tuned_dims = problem.dims;
  answer.tuned_gpu = gpu.name;
  answer.pin = pin;
  answer.unverified = pin->unverified;
  answer.entry = exact(problem, regime, gpu);
  if (answer.entry != nullptr) {
    for (const Trial& trial : answer.entry->trials)
      if (trial.config == pin->config) answer.trial = &trial;
  }
  return answer;
}

const Entry* Ladder::exact(const Problem& problem, const std::string& regime, const GpuFacts& gpu) const {
  const Entry* best = nullptr;
  const std::string facts = facts_key(problem.facts);
  const auto key = [](const Entry& entry) { return std::pair(entry.shared_gpu, layer_rank(entry.layer)); };
  for (const Entry& entry : entries_) {
    const ProblemResult& row = entry.result;
    if (entry.emulated != is_host(gpu) || row.regime != regime || row.winner == 0) continue;
    if (row.problem.kernel != problem.kernel || row.problem.dims != problem.dims) continue;
    if (facts_key(row.problem.facts) != facts || !same_model(entry.gpu, gpu)) continue;
    if (best == nullptr || key(entry) < key(*best)) best = &entry;
  }
  if (best == nullptr) return nullptr;
  read_rest_(*best);
  return best->result.winner != 0 ? best : exact(problem, regime, gpu);  // there may be none, or a damaged row
}

std::optional<Answer> Ladder::exact_answer(const Problem& problem, const GpuFacts& gpu, const Entry& entry,
                                           const Trial& trial) const {
  Passed ignored;
  auto answer = exact_answer(problem, gpu, entry, trial, ignored);
  if (answer) note_state(*answer);
  return answer;
}

std::optional<Answer> Ladder::exact_answer(const Problem& problem, const GpuFacts& gpu, const Entry& entry,
                                           const Trial& trial, Passed& passed) const {
  if (!usable(problem, gpu, trial.config, passed.forbids)) return std::nullopt;
  Answer answer = filled(problem, gpu, Match::exact, trial.config);
  answer.layer = entry.layer;
  answer.tuned_dims = problem.dims;
  answer.tuned_gpu = entry.gpu.name;
  answer.expected_loss = 0;
  answer.entry = &entry;
  answer.trial = &trial;
  return answer;
}

// The ties in their order; where all are forbidden, the best of the others that is shown.
std::optional<Answer> Ladder::from_exact(const Problem& problem, const GpuFacts& gpu, const Entry& entry,
                                         Passed& passed) const {
  const std::vector<const Trial*> tied = tied_trials(entry);
  for (const Trial* trial : tied)
    if (auto answer = exact_answer(problem, gpu, entry, *trial, passed)) return answer;
  std::vector<std::pair<double, const Trial*>> others;
  for (const Trial& trial : entry.trials) {
    if (cost_of(trial, entry.trials) <= 0 || std::find(tied.begin(), tied.end(), &trial) != tied.end()) continue;
    if (kernels_.deterministic && !kernels_.deterministic(problem, trial.config, gpu)) continue;
    others.emplace_back(cost_of(trial, entry.trials), &trial);
  }
  std::stable_sort(others.begin(), others.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [cost, trial] : others)
    if (auto answer = exact_answer(problem, gpu, entry, *trial, passed)) return answer;
  return std::nullopt;
}

std::vector<Ladder::Neighbour> Ladder::neighbours(const Problem& problem, const std::string& regime,
                                                  const GpuFacts& gpu, Match rung) const {
  std::vector<Neighbour> found;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    const ProblemResult& row = entry.result;
    if (entry.emulated != is_host(gpu) || row.regime != regime || row.winner == 0) continue;
    if (row.problem.kernel != problem.kernel) continue;
    const bool same = same_model(entry.gpu, gpu);
    if (rung == Match::near_shape ? !same : same || entry.gpu.arch != gpu.arch) continue;
    const auto shape = shape_distance(problem.dims, row.problem.dims);
    if (!shape) continue;
    const std::int64_t other = same ? 0 : gpu_distance(gpu, entry.gpu);
    found.push_back({&entry,
                     {entry.shared_gpu, layer_rank(entry.layer), fact_mismatches(kernels_, problem, row.problem),
                      *shape + other, other, i},
                     {*shape, other}});
  }
  std::sort(found.begin(), found.end(), [](const Neighbour& a, const Neighbour& b) { return a.key < b.key; });
  return found;
}

double Ladder::loss_at(const Problem& problem, const Entry& near, double loss) const {
  return fact_mismatches(kernels_, problem, near.result.problem) == 0 ? told_loss(near.result, loss) : -1;
}

std::optional<Answer> Ladder::from_near(const Problem& problem, const std::string& regime, const GpuFacts& gpu,
                                        Match rung, Passed& passed) const {
  for (const Neighbour& near : neighbours(problem, regime, gpu, rung)) {
    read_rest_(*near.entry);
    for (const Trial* trial : travelling_trials(*near.entry)) {
      if (trial->exact_only || !usable(problem, gpu, trial->config, passed.forbids)) continue;
      Answer answer = filled(problem, gpu, rung, trial->config);
      answer.layer = near.entry->layer;
      answer.tuned_dims = near.entry->result.problem.dims;
      answer.tuned_gpu = near.entry->gpu.name;
      answer.distance = near.distance;
      if (trial->id == near.entry->result.traveller)
        answer.expected_loss = loss_at(problem, *near.entry, near.entry->result.expected_loss);
      answer.entry = near.entry;
      answer.trial = trial;
      return answer;
    }
  }
  return std::nullopt;
}

std::optional<Answer> Ladder::by_default(const Problem& problem, const GpuFacts& gpu, Passed& passed) const {
  const auto config = kernels_.default_config(problem, gpu);
  if (!config || !usable(problem, gpu, *config, passed.forbids)) return std::nullopt;
  return filled(problem, gpu, Match::by_default, *config);
}

std::optional<Answer> Ladder::first(const Problem& problem, const std::string& regime, const GpuFacts& gpu,
                                    Passed& passed) const {
  if (auto answer = pinned(problem, regime, gpu, passed)) return answer;
  if (const Entry* entry = exact(problem, regime, gpu)) {
    if (auto answer = from_exact(problem, gpu, *entry, passed)) return answer;
  }
  for (const Match rung : {Match::near_shape, Match::near_gpu}) {
    auto near = from_near(problem, regime, gpu, rung, passed);
    if (!near) continue;
    if (!gives_way(*near->entry)) return near;
    auto standard = by_default(problem, gpu, passed);
    if (!standard) return near;
    standard->passed = near->entry;
    standard->expected_loss = loss_at(problem, *near->entry, near->entry->result.default_loss);
    return standard;
  }
  return by_default(problem, gpu, passed);
}

void Ladder::note_state(Answer& answer) const {
  if (answer.entry != nullptr)
    for (const Trial& trial : answer.entry->trials)
      if (trial.id == answer.entry->result.default_trial)
        answer.default_forbidden = is_forbidden(forbids_, answer.problem.kernel, answer.gpu, trial.config);
  judge_state(answer, kernels_.hashes ? kernels_.hashes(answer.problem.kernel) : KernelHashes{}, nvrtc_);
}

std::optional<Answer> Ladder::of_row(const Entry& entry) const {
  Passed passed;
  auto answer = from_exact(entry.result.problem, entry.gpu, entry, passed);
  if (answer) answer->forbidden = std::move(passed.forbids);
  return answer;
}

std::optional<Answer> Ladder::answer(const Problem& problem, const std::string& regime, const GpuFacts& gpu,
                                     std::vector<const Forbid*>* in_the_way) const {
  Passed passed;
  auto answer = first(problem, regime, gpu, passed);
  if (!answer && in_the_way != nullptr)
    in_the_way->insert(in_the_way->end(), passed.forbids.begin(), passed.forbids.end());
  if (!answer) return answer;
  answer->forbidden = std::move(passed.forbids);
  answer->ignored = passed.pin;
  note_state(*answer);
  return answer;
}

}  // namespace tuner::store
