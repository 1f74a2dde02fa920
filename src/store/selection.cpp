#include "store/selection.h"

#include <algorithm>

namespace tuner::store {

double time_of(const Trial& trial, const std::vector<Trial>& all) {
  if (trial.status == Status::measured) return trial.time_us;
  if (trial.status != Status::duplicate) return 0;
  for (const Trial& original : all) {
    if (original.id == trial.duplicate_of) return original.status == Status::measured ? original.time_us : 0;
  }
  return 0;
}

double time_or_sample_of(const Trial& trial, const std::vector<Trial>& all) {
  return trial.status == Status::eliminated ? trial.time_us : time_of(trial, all);
}

namespace {

// Timed to the end before left early; then the faster.
bool better(const Trial& a, double a_us, const Trial& b, double b_us) {
  const bool a_left = a.status == Status::eliminated;
  const bool b_left = b.status == Status::eliminated;
  return a_left == b_left ? a_us < b_us : b_left;
}

}  // namespace

std::vector<const Trial*> best_of_each(const std::vector<Trial>& trials, std::string_view parameter,
                                       const std::function<bool(const Trial&)>& allowed) {
  struct Best {
    const Trial* trial;
    double time;
    const Value* value;
  };
  std::vector<Best> best;
  for (const Trial& trial : trials) {
    const Value* value = trial.config.find(parameter);
    const double time = time_or_sample_of(trial, trials);
    if (value == nullptr || time <= 0) continue;
    const auto same = std::find_if(best.begin(), best.end(), [&](const Best& b) { return *b.value == *value; });
    if (same != best.end() && !better(trial, time, *same->trial, same->time)) continue;
    if (allowed && !allowed(trial)) continue;
    if (same == best.end())
      best.push_back({&trial, time, value});
    else
      *same = {&trial, time, value};
  }
  std::stable_sort(best.begin(), best.end(), [](const Best& a, const Best& b) { return a.time < b.time; });
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
  for (const Trial* trial : best_of_each(trials, "variant")) add(trial->id);
  for (const Trial& trial : trials)
    if (trial.finalist && trial.status == Status::measured) add(trial.id);
  for (const Trial& trial : trials)
    if (std::find(ids.begin(), ids.end(), trial.id) != ids.end()) add(trial.duplicate_of);
  return ids;
}

}  // namespace tuner::store
