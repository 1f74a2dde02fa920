#include "measure/compare.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/statistics.h"

namespace tuner::measure {
namespace {

constexpr double z_99 = 2.576;

// Two-sided quantiles of Student's t from 1 degree of freedom on; beyond the last that of 30.
constexpr std::array<double, 30> t_999 = {636.619, 31.599, 12.924, 8.610, 6.869, 5.959, 5.408, 5.041, 4.781, 4.587,
                                          4.437,   4.318,  4.221,  4.140, 4.073, 4.015, 3.965, 3.922, 3.883, 3.850,
                                          3.819,   3.792,  3.768,  3.745, 3.725, 3.707, 3.690, 3.674, 3.659, 3.646};
constexpr std::array<double, 30> t_99 = {63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169,
                                         3.106,  3.055, 3.012, 2.977, 2.947, 2.921, 2.898, 2.878, 2.861, 2.845,
                                         2.831,  2.819, 2.807, 2.797, 2.787, 2.779, 2.771, 2.763, 2.756, 2.750};

double at_freedom(const std::array<double, 30>& quantiles, std::size_t freedom) {
  return quantiles[std::clamp<std::size_t>(freedom, 1, quantiles.size()) - 1];
}

// Logarithms of ratios of one batch.
struct Contrasts {
  double apart = 0;    // B over A
  double twins_a = 0;  // over the square root of two: as uncertain as `apart`
  double twins_b = 0;
};

Contrasts contrasts_of(const Batch& batch) {
  std::vector<double> apart, twins_a, twins_b;
  for (const Round& round : batch) {
    apart.push_back((std::log(round.b / round.a) + std::log(round.b_twin / round.a_twin)) / 2);
    twins_a.push_back(std::log(round.a_twin / round.a));
    twins_b.push_back(std::log(round.b_twin / round.b));
  }
  return {median(std::move(apart)), median(std::move(twins_a)) / std::sqrt(2),
          median(std::move(twins_b)) / std::sqrt(2)};
}

struct Means {
  double apart = 0, twins_a = 0, twins_b = 0;
};

Means means_of(const std::vector<Contrasts>& all) {
  Means means;
  for (const Contrasts& each : all) {
    means.apart += each.apart;
    means.twins_a += each.twins_a;
    means.twins_b += each.twins_b;
  }
  const auto n = static_cast<double>(all.size());
  return {means.apart / n, means.twins_a / n, means.twins_b / n};
}

// Half the interval of the mean logarithm, and the noise floor. At least two batches.
void bound(const std::vector<Contrasts>& all, Comparison& result) {
  const auto n = static_cast<double>(all.size());
  const Means means = means_of(all);
  double of_apart = 0, of_twins = 0;  // sums of squares
  for (const Contrasts& each : all) {
    of_apart += (each.apart - means.apart) * (each.apart - means.apart);
    of_twins += each.twins_a * each.twins_a + each.twins_b * each.twins_b;
  }
  const std::size_t between = all.size() - 1, pooled = 3 * all.size() - 1;
  const double error = std::sqrt((of_apart + of_twins) / static_cast<double>(pooled) / n);
  const double error_between = std::sqrt(of_apart / static_cast<double>(between) / n);
  const double half = std::max(at_freedom(t_999, pooled) * error, at_freedom(t_99, between) * error_between);
  result.ratio.low = std::exp(means.apart - half);
  result.ratio.high = std::exp(means.apart + half);
  result.noise_floor = std::max(std::fabs(means.twins_a), std::fabs(means.twins_b)) + z_99 * error;
}

void find(Comparison& result) {
  const Ratio& ratio = result.ratio;
  if (!(ratio.high > 0)) return;
  const double most = 1 + result.margin, least = 1 / most;
  if (ratio.low > most)
    result.finding = Finding::slower;
  else if (ratio.high < least)
    result.finding = Finding::faster;
  else if (ratio.low >= least && ratio.high <= most)
    result.finding = Finding::same;
}

// It trips where even the end of the interval that speaks for B is too slow.
void hold(Comparison& result, const CompareRules& rules) {
  if (!rules.gated()) return;
  const double limit = 1 + rules.fail_if_slower;
  const Finding finding = result.finding;
  result.gate = Gate::undecided;
  if (finding == Finding::slower && result.ratio.low > limit)
    result.gate = Gate::tripped;
  else if (finding == Finding::same || finding == Finding::faster ||
           (result.ratio.high > 0 && result.ratio.high <= limit))
    result.gate = Gate::passed;
}

void note_times(const std::vector<Batch>& batches, Comparison& result) {
  std::vector<double> a, b;
  for (const Batch& batch : batches)
    for (const Round& round : batch) {
      a.insert(a.end(), {round.a, round.a_twin});
      b.insert(b.end(), {round.b, round.b_twin});
    }
  result.a_us = median(a);
  result.b_us = median(b);
  result.a_spread = spread(a);
  result.b_spread = spread(b);
  result.batches = static_cast<int>(batches.size());
  result.rounds = static_cast<int>(a.size() / 2);
}

bool decided(const Comparison& result, const CompareRules& rules) {
  return result.finding != Finding::undecided && (!rules.gated() || result.gate != Gate::undecided);
}

std::vector<double> logs_of(const std::vector<float>& samples) {
  std::vector<double> logs;
  for (const float us : samples)
    if (us > 0) logs.push_back(std::log(static_cast<double>(us)));
  return logs;
}

// Standard error of the median, from the median absolute deviation. 0: fewer than two values.
double error_of_median(std::vector<double> values) {
  if (values.size() < 2) return 0;
  constexpr double sigma_per_mad = 1.4826, median_over_mean_error = 1.2533;
  const double middle = median(values);
  for (double& value : values) value = std::fabs(value - middle);
  return median_over_mean_error * sigma_per_mad * median(values) / std::sqrt(static_cast<double>(values.size()));
}

// Of a stored time. Without samples the spread of a single one stands for it. Negative: unknown.
double error_of(const StoredTime& stored) {
  constexpr double sigma_per_half_quartiles = 1.4826;
  constexpr double of_one_sample = 0.05;  // which says nothing of its scatter: more than is usual
  if (stored.samples_us.size() == 1) return of_one_sample;
  if (stored.samples_us.size() >= 2) return error_of_median(logs_of(stored.samples_us));
  return stored.spread > 0 ? sigma_per_half_quartiles * stored.spread : -1;
}

std::vector<double> paired_logs(const StoredTime& a, const StoredTime& b) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < a.samples_us.size(); ++i)
    if (a.samples_us[i] > 0 && b.samples_us[i] > 0)
      logs.push_back(std::log(static_cast<double>(b.samples_us[i]) / static_cast<double>(a.samples_us[i])));
  return logs;
}

}  // namespace

std::string_view to_text(Finding finding) {
  constexpr std::array<std::string_view, 4> texts = {"same", "faster", "slower", "undecided"};
  return texts[static_cast<std::size_t>(finding)];
}

std::string_view to_text(Gate gate) {
  constexpr std::array<std::string_view, 4> texts = {"none", "passed", "tripped", "undecided"};
  return texts[static_cast<std::size_t>(gate)];
}

Comparison compare(const std::vector<Batch>& batches, const CompareRules& rules) {
  Comparison result;
  std::vector<Contrasts> all;
  for (const Batch& batch : batches) {
    assert(!batch.empty());
    all.push_back(contrasts_of(batch));
  }
  note_times(batches, result);
  result.ratio.ratio = std::exp(means_of(all).apart);
  if (all.size() >= 2) bound(all, result);
  result.margin = std::max(rules.least_margin, result.noise_floor);
  if (result.batches >= rules.least_batches) find(result);
  hold(result, rules);
  return result;
}

Comparison compare(Rounds& rounds, const CompareRules& rules) {
  std::vector<Batch> batches;
  std::uint64_t seed = 1;
  for (;;) {
    rounds.place(static_cast<int>(batches.size()));
    Batch batch;
    for (int round = 0; round < rules.rounds && (round < rules.least_rounds || !rounds.out_of_time()); ++round)
      batch.push_back(rounds.next(seed++));
    batches.push_back(std::move(batch));
    const auto n = static_cast<int>(batches.size());
    if (n < rules.least_batches) continue;
    Comparison result = compare(batches, rules);
    if (decided(result, rules) || n >= rules.most_batches || rounds.out_of_time()) return result;
  }
}

Comparison compare_stored(const StoredTime& a, const StoredTime& b, bool paired, const CompareRules& rules) {
  Comparison result;
  result.a_us = a.time_us;
  result.b_us = b.time_us;
  result.a_spread = a.spread;
  result.b_spread = b.spread;
  result.noise_floor = std::max(a.noise_floor, b.noise_floor);
  const bool same_numbers = a.samples_us.size() > 1 && a.samples_us == b.samples_us;
  double half = 0;
  if (paired) {
    const std::vector<double> logs = paired_logs(a, b);
    result.ratio.ratio = std::exp(median(logs));
    result.rounds = static_cast<int>(logs.size());
    result.margin = std::max(rules.least_margin, result.noise_floor);
    half = std::hypot(z_99 * error_of_median(logs), result.noise_floor);
  } else {
    const double error_a = error_of(a), error_b = error_of(b);
    result.ratio.ratio = b.time_us / a.time_us;
    result.margin = std::max(rules.least_margin, result.noise_floor) + between_runs;
    half = error_a < 0 || error_b < 0 ? -1
                                      : std::hypot(std::hypot(z_99 * error_a, z_99 * error_b),
                                                   std::hypot(a.noise_floor, b.noise_floor), between_runs);
  }
  if (same_numbers) half = 0;
  if (half >= 0) {
    result.ratio.low = result.ratio.ratio * std::exp(-half);
    result.ratio.high = result.ratio.ratio * std::exp(half);
    find(result);
  }
  hold(result, rules);
  return result;
}

}  // namespace tuner::measure
