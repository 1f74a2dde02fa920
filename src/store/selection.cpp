#include "store/selection.h"

#include <algorithm>

namespace tuner::store {

namespace {

// The trial that was timed to the end and stands for `trial`; null when there is none.
const Trial* timed_for(const Trial& trial, const std::vector<Trial>& all) {
  if (trial.status == Status::measured) return &trial;
  if (trial.status != Status::duplicate) return nullptr;
  for (const Trial& original : all)
    if (original.id == trial.duplicate_of) return original.status == Status::measured ? &original : nullptr;
  return nullptr;
}

double own_cost(const Trial& trial) { return trial.cost > 0 ? trial.cost : trial.time_us; }

// Timed to the end before left early; then the lower cost.
bool better(const Trial& a, double a_cost, const Trial& b, double b_cost) {
  const bool a_left = a.status == Status::eliminated;
  const bool b_left = b.status == Status::eliminated;
  return a_left == b_left ? a_cost < b_cost : b_left;
}

}  // namespace

double time_of(const Trial& trial, const std::vector<Trial>& all) {
  const Trial* timed = timed_for(trial, all);
  return timed == nullptr ? 0 : timed->time_us;
}

double cost_of(const Trial& trial, const std::vector<Trial>& all) {
  const Trial* timed = timed_for(trial, all);
  return timed == nullptr ? 0 : own_cost(*timed);
}

double cost_or_sample_of(const Trial& trial, const std::vector<Trial>& all) {
  return trial.status == Status::eliminated ? own_cost(trial) : cost_of(trial, all);
}

std::vector<const Trial*> best_of_each(const std::vector<Trial>& trials, std::string_view parameter,
                                       const std::function<bool(const Trial&)>& allowed) {
  struct Best {
    const Trial* trial;
    double cost;
    const Value* value;
  };
  std::vector<Best> best;
  for (const Trial& trial : trials) {
    const Value* value = trial.config.find(parameter);
    const double cost = cost_or_sample_of(trial, trials);
    if (value == nullptr || cost <= 0) continue;
    const auto same = std::find_if(best.begin(), best.end(), [&](const Best& b) { return *b.value == *value; });
    if (same != best.end() && !better(trial, cost, *same->trial, same->cost)) continue;
    if (allowed && !allowed(trial)) continue;
    if (same == best.end())
      best.push_back({&trial, cost, value});
    else
      *same = {&trial, cost, value};
  }
  std::stable_sort(best.begin(), best.end(), [](const Best& a, const Best& b) { return a.cost < b.cost; });
  std::vector<const Trial*> out;
  for (const Best& b : best) out.push_back(b.trial);
  return out;
}

std::vector<std::int64_t> shown_ids(const ProblemResult& result, const std::vector<Trial>& trials) {
  std::vector<std::int64_t> ids;
  const auto add = [&](std::int64_t id) {
    if (id != 0 && std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  };
  add(result.winner);
  for (const std::int64_t id : result.tied) add(id);
  add(result.default_trial);
  add(result.traveller);
  for (const Trial* trial : best_of_each(trials, "variant")) add(trial->id);
  for (const Trial& trial : trials)
    if (trial.finalist && trial.status == Status::measured) add(trial.id);
  for (const Trial& trial : trials)
    if (std::find(ids.begin(), ids.end(), trial.id) != ids.end()) add(trial.duplicate_of);
  return ids;
}

}  // namespace tuner::store
