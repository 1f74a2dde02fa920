#include "report/figures.h"

#include <algorithm>

namespace tuner::report {

Figures figures_of(double time_us, double spread, const ProblemResult& result) {
  Figures figures;
  figures.time_us = time_us;
  figures.spread = spread;
  if (time_us <= 0) return figures;
  const double bytes = result.bytes_read + result.bytes_written;
  if (bytes > 0) figures.gb_per_s = bytes / time_us / 1e3;
  if (result.flops > 0) figures.tflop_per_s = result.flops / time_us / 1e6;
  if (figures.gb_per_s && result.ceiling.sustained_gb_per_s > 0)
    figures.mbu = *figures.gb_per_s / result.ceiling.sustained_gb_per_s;
  if (result.ceiling.probe_us > 0) figures.sol = std::min(1.0, result.ceiling.probe_us / time_us);
  if (result.bound_by == "compute" && figures.tflop_per_s && result.ceiling.tflop_per_s > 0)
    figures.sol = std::min(1.0, *figures.tflop_per_s / result.ceiling.tflop_per_s);
  return figures;
}

const Trial* find_trial(const std::vector<Trial>& trials, std::int64_t id) {
  const auto found = std::find_if(trials.begin(), trials.end(), [id](const Trial& trial) { return trial.id == id; });
  return found == trials.end() ? nullptr : &*found;
}

const Trial* timed_twin(const Trial& trial, const std::vector<Trial>& trials) {
  const Trial* twin = trial.status == Status::duplicate ? find_trial(trials, trial.duplicate_of) : &trial;
  return twin && twin->time_us > 0 ? twin : nullptr;
}

double own_cost(const Trial& trial) { return trial.cost > 0 ? trial.cost : trial.time_us; }

std::vector<const Trial*> ranking(const std::vector<Trial>& trials) {
  std::vector<const Trial*> ranked;
  for (const Trial& trial : trials)
    if (trial.time_us > 0 && (trial.status == Status::measured || trial.status == Status::eliminated))
      ranked.push_back(&trial);
  std::stable_sort(ranked.begin(), ranked.end(), [](const Trial* a, const Trial* b) {
    if (a->finalist != b->finalist) return a->finalist;
    return own_cost(*a) < own_cost(*b);
  });
  return ranked;
}

std::vector<BestOfValue> best_of_each(const std::vector<const Trial*>& ranked, std::string_view param) {
  std::vector<BestOfValue> best;
  for (const Trial* trial : ranked) {
    const Value* value = trial->config.find(param);
    if (!value) continue;
    const std::string text = to_text(*value);
    const auto known = std::find_if(best.begin(), best.end(), [&](const BestOfValue& b) { return b.value == text; });
    if (known == best.end())
      best.push_back({text, trial});
    else if (own_cost(*trial) < own_cost(*known->trial) && trial->finalist == known->trial->finalist)
      known->trial = trial;
  }
  return best;
}

bool is_from_row(const store::Answer& answer) {
  return answer.entry && (answer.pin == nullptr || answer.trial || !answer.rejected.empty());
}

bool has_time(const store::Answer& answer) {
  return answer.entry && answer.trial && !answer.entry->emulated && answer.trial->time_us > 0 &&
         (answer.match == store::Match::exact || answer.match == store::Match::pinned);
}

}  // namespace tuner::report
