// Recomputes what a result claims from the samples beside it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/statistics.h"
#include "core/trial.h"
#include "store/results_file.h"

namespace tuner::store {
namespace {

constexpr double tolerance = 1e-6;             // samples are kept as floats, statistics are of doubles
constexpr double former_least_margin = 0.005;  // of rows up to November 2026

bool same(double a, double b) {
  return std::abs(a - b) <= tolerance * std::max(1.0, std::max(std::abs(a), std::abs(b)));
}

std::vector<double> doubles(const std::vector<float>& samples) { return {samples.begin(), samples.end()}; }

const Trial* find(const Entry& entry, std::int64_t id) {
  for (const Trial& trial : entry.trials)
    if (trial.id == id) return &trial;
  return nullptr;
}

std::optional<std::string> wrong_statistic(const std::string& who, const std::vector<float>& samples, double time_us,
                                           double claimed_spread) {
  const double time = median(doubles(samples));
  if (!same(time, time_us))
    return fmt::format("{} claims {} us where its samples' median is {} us", who, time_us, time);
  const double width = spread(doubles(samples));
  if (!same(width, claimed_spread))
    return fmt::format("{} claims a spread of {} where its samples give {}", who, claimed_spread, width);
  return std::nullopt;
}

// Median over paired rounds, as measure::decide; of costs where something else than the time is the objective.
double ratio(const Entry& entry, const Trial& a, const Trial& b) {
  if (!entry.result.objective.empty()) return a.cost / b.cost;
  std::vector<double> logs;
  for (std::size_t i = 0; i < a.samples_us.size(); ++i)
    logs.push_back(std::log(static_cast<double>(a.samples_us[i]) / static_cast<double>(b.samples_us[i])));
  return std::exp(median(std::move(logs)));
}

bool may_win(const Entry& entry, const Trial& trial) {
  const bool ranked = entry.result.objective.empty() || trial.cost > 0;
  return trial.finalist && trial.status == Status::measured && trial.deterministic && ranked;
}

auto preference(const Entry& entry, const Trial& trial) {
  const Trial* standard = find(entry, entry.result.default_trial);
  const bool is_default =
      standard != nullptr &&
      (standard->id == trial.id || (standard->status == Status::duplicate && standard->duplicate_of == trial.id));
  std::int64_t threads = 0;
  std::int64_t shared = 0;
  for (const Step& step : trial.steps) {
    threads = std::max(threads, step.block.x * step.block.y * step.block.z);
    shared = std::max(shared, step.shared_bytes + trial.static_shared_bytes);
  }
  return std::tuple(entry.result.incumbent != trial.id, !is_default, trial.registers * threads, shared);
}

std::optional<std::string> wrong_ties(const Entry& entry) {
  std::vector<const Trial*> finalists;
  for (const Trial& trial : entry.trials) {
    if (!may_win(entry, trial)) continue;
    if (!finalists.empty() && trial.samples_us.size() != finalists.front()->samples_us.size())
      return "its finalists have not the same number of rounds";
    finalists.push_back(&trial);
  }
  if (finalists.empty()) return "it has no finalist";
  const Trial* best = finalists.front();
  for (const Trial* trial : finalists)
    if (ratio(entry, *trial, *best) < 1) best = trial;
  const auto& tied = entry.result.tied;
  for (const Trial* trial : finalists) {
    const double behind = ratio(entry, *trial, *best) - 1;
    const bool claimed = std::find(tied.begin(), tied.end(), trial->id) != tied.end();
    if (std::abs(behind - entry.result.margin) <= tolerance) continue;
    if ((behind <= entry.result.margin) != claimed)
      return fmt::format("trial {} is {} the ties, {:.4f} % behind the fastest at a margin of {:.4f} %", trial->id,
                         claimed ? "among" : "not among", 100 * behind, 100 * entry.result.margin);
  }
  for (const std::int64_t id : tied) {
    const auto is = [id](const Trial* trial) { return trial->id == id; };
    if (std::none_of(finalists.begin(), finalists.end(), is))
      return fmt::format("the tied trial {} is no finalist", id);
  }
  return std::nullopt;
}

std::optional<std::string> wrong_winner(const Entry& entry) {
  const ProblemResult& row = entry.result;
  if (row.tied.empty() || row.tied.front() != row.winner) return "the winner is not the first of the ties";
  if (!same(row.margin, std::max(least_margin, row.noise_floor)) &&
      !same(row.margin, std::max(former_least_margin, row.noise_floor)))
    return "the margin is not the larger of 0.2 % and the noise floor";
  for (std::size_t i = 1; i < row.tied.size(); ++i) {
    if (preference(entry, *find(entry, row.tied[i])) < preference(entry, *find(entry, row.tied[i - 1])))
      return fmt::format("of the ties, trial {} is preferred to trial {}", row.tied[i], row.tied[i - 1]);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> disagreement(const Entry& entry) {
  for (const Trial& trial : entry.trials) {
    if (trial.status == Status::measured && trial.samples_us.empty())
      return fmt::format("trial {} is measured and has no samples", trial.id);
    if (trial.samples_us.empty()) continue;
    if (auto wrong = wrong_statistic(fmt::format("trial {}", trial.id), trial.samples_us, trial.time_us, trial.spread))
      return wrong;
  }
  for (const Baseline& baseline : entry.result.baselines) {
    if (baseline.samples_us.empty()) continue;
    if (auto wrong = wrong_statistic(baseline.name, baseline.samples_us, baseline.time_us, baseline.spread))
      return wrong;
  }
  if (entry.emulated) return std::nullopt;
  if (auto wrong = wrong_ties(entry)) return wrong;
  return wrong_winner(entry);
}

std::vector<std::int64_t> tied_by_rule(const Entry& entry) {
  std::vector<const Trial*> finalists;
  for (const Trial& trial : entry.trials)
    if (may_win(entry, trial)) finalists.push_back(&trial);
  if (finalists.empty()) return {};
  const Trial* best = finalists.front();
  for (const Trial* trial : finalists)
    if (ratio(entry, *trial, *best) < 1) best = trial;
  std::vector<const Trial*> tied;
  for (const Trial* trial : finalists)
    if (ratio(entry, *trial, *best) - 1 <= entry.result.margin) tied.push_back(trial);
  std::sort(tied.begin(), tied.end(), [&entry](const Trial* a, const Trial* b) {
    return std::pair(preference(entry, *a), a->id) < std::pair(preference(entry, *b), b->id);
  });
  std::vector<std::int64_t> ids;
  for (const Trial* trial : tied) ids.push_back(trial->id);
  return ids;
}

}  // namespace tuner::store
