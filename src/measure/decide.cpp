// The last word: from paired rounds of the finalists to a winner and who is tied with it.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <tuple>

#include "core/trial.h"
#include "measure/race.h"

namespace tuner::measure {
namespace {

double ratio_between(const std::vector<double>& mine, const std::vector<double>& other) {
  std::vector<double> logs(mine.size());
  for (std::size_t r = 0; r < mine.size(); ++r) logs[r] = std::log(mine[r] / other[r]);
  return std::exp(median(std::move(logs)));
}

// Of those that may win when `only_eligible`: the one no other beats in most rounds; -1 when there is none.
int fastest_of(const std::vector<std::vector<double>>& paired, const std::vector<TieKey>& keys, bool only_eligible) {
  int best = -1;
  for (std::size_t i = 0; i < paired.size(); ++i) {
    if (only_eligible && !keys[i].eligible) continue;
    if (best < 0 || ratio_between(paired[i], paired[static_cast<std::size_t>(best)]) < 1) best = static_cast<int>(i);
  }
  return best;
}

auto preference(const TieKey& key) {
  return std::tuple(!key.incumbent, !key.is_default, key.registers_times_threads, key.shared_bytes, key.manifest_order);
}

}  // namespace

namespace {

// Among those that may win, the one with the least cost; -1 when there is none.
int cheapest_of(const std::vector<double>& cost, const std::vector<TieKey>& keys) {
  int best = -1;
  for (std::size_t i = 0; i < cost.size(); ++i) {
    if (!keys[i].eligible || !(cost[i] > 0) || !std::isfinite(cost[i])) continue;
    if (best < 0 || cost[i] < cost[static_cast<std::size_t>(best)]) best = static_cast<int>(i);
  }
  return best;
}

}  // namespace

Decision decide(const std::vector<std::vector<double>>& paired, const std::vector<TieKey>& keys, double noise_floor,
                const CostOf& cost) {
  assert(paired.size() == keys.size());
  Decision decision;
  decision.margin = std::max(least_margin, noise_floor);
  const int fastest = fastest_of(paired, keys, false);
  if (fastest < 0) return decision;
  const std::vector<double>& fastest_row = paired[static_cast<std::size_t>(fastest)];
  for (const auto& samples : paired) decision.ratio.push_back(ratio_between(samples, fastest_row));
  const double fastest_us = median(fastest_row);
  for (std::size_t i = 0; cost && i < paired.size(); ++i)
    decision.cost.push_back(cost(static_cast<int>(i), fastest_us * decision.ratio[i]));
  const int best = cost ? cheapest_of(decision.cost, keys) : fastest_of(paired, keys, true);
  if (best < 0) return decision;
  const auto behind = [&](std::size_t i) {
    const auto of = static_cast<std::size_t>(best);
    return cost ? decision.cost[i] / decision.cost[of] : ratio_between(paired[i], paired[of]);
  };
  for (std::size_t i = 0; i < paired.size(); ++i)
    if (keys[i].eligible && behind(i) > 0 && behind(i) <= 1 + decision.margin)
      decision.tied.push_back(static_cast<int>(i));
  std::stable_sort(decision.tied.begin(), decision.tied.end(), [&](int a, int b) {
    return preference(keys[static_cast<std::size_t>(a)]) < preference(keys[static_cast<std::size_t>(b)]);
  });
  decision.winner = decision.tied.front();
  return decision;
}

}  // namespace tuner::measure
