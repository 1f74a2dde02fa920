#include "measure/race.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace tuner::measure {
namespace {

// Of ratios' logarithms: their median and how well it is known.
struct Lead {
  double median = 0;
  double error = 0;  // standard error of the median
  double least = 0;  // the smallest
};

Lead lead_of(const std::vector<double>& mine, const std::vector<double>& leaders) {
  std::vector<double> logs(mine.size());
  for (std::size_t r = 0; r < mine.size(); ++r) logs[r] = std::log(mine[r] / leaders[r]);
  Lead lead;
  lead.median = median(logs);
  lead.least = *std::min_element(logs.begin(), logs.end());
  for (double& value : logs) value = std::fabs(value - lead.median);
  // 1.483 MAD estimates a deviation; a median of r values scatters 1.25 times as much as their mean.
  lead.error = 1.25 * 1.483 * median(logs) / std::sqrt(static_cast<double>(mine.size()));
  return lead;
}

// Row by row, the median over rounds of the logarithm of each sample over its round's median: drift common to a round
// cancels. Every row equally long, at least 1.
std::vector<double> standings(const std::vector<const std::vector<double>*>& rows) {
  const std::size_t rounds = rows.front()->size();
  std::vector<double> common(rounds);
  for (std::size_t r = 0; r < rounds; ++r) {
    std::vector<double> column(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) column[i] = (*rows[i])[r];
    common[r] = std::log(median(std::move(column)));
  }
  std::vector<double> standing(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<double> logs(rounds);
    for (std::size_t r = 0; r < rounds; ++r) logs[r] = std::log((*rows[i])[r]) - common[r];
    standing[i] = median(std::move(logs));
  }
  return standing;
}

bool is_time(double us) { return std::isfinite(us) && us > 0; }

// How far apart two rows of paired rounds are: |median log(a/b)| and the 99 % bound of its error.
struct Apart {
  double median = 0;
  double bound = 0;
};

Apart apart_of(const std::vector<double>& a, const std::vector<double>& b) {
  assert(a.size() == b.size());
  std::vector<double> logs;
  for (std::size_t r = 0; r < a.size(); ++r)
    if (is_time(a[r]) && is_time(b[r])) logs.push_back(std::log(a[r] / b[r]));
  if (logs.empty()) return {};
  const double middle = median(logs);
  std::vector<double> deviations;
  for (const double log : logs) deviations.push_back(std::fabs(log - middle));
  constexpr double sigma_per_mad = 1.4826, median_over_mean_error = 1.2533, z_99 = 2.576;
  const double error = median_over_mean_error * sigma_per_mad * median(deviations) / std::sqrt(logs.size());
  return {std::fabs(middle), z_99 * error};
}

}  // namespace

double noise_floor(const std::vector<double>& a, const std::vector<double>& b) {
  const Apart apart = apart_of(a, b);
  return apart.median + apart.bound;
}

bool enough_rounds(const std::vector<double>& a, const std::vector<double>& b, const FinalOptions& options) {
  if (static_cast<int>(a.size()) >= options.max_rounds) return true;
  const Apart apart = apart_of(a, b);
  return apart.median + apart.bound <= options.wanted || apart.median - apart.bound > options.wanted;
}

Race::Race(int candidates, std::vector<int> anchors, RaceOptions options)
    : options_(options),
      samples_(static_cast<std::size_t>(candidates)),
      alive_(static_cast<std::size_t>(candidates), true),
      early_(static_cast<std::size_t>(candidates), false),
      anchors_(std::move(anchors)) {
  std::sort(anchors_.begin(), anchors_.end());
  anchors_.erase(std::unique(anchors_.begin(), anchors_.end()), anchors_.end());
  assert(anchors_.empty() || (anchors_.front() >= 0 && anchors_.back() < candidates));
}

bool Race::is_anchor(int candidate) const { return std::binary_search(anchors_.begin(), anchors_.end(), candidate); }

std::vector<int> Race::survivors() const {
  std::vector<int> alive;
  for (std::size_t i = 0; i < alive_.size(); ++i)
    if (alive_[i]) alive.push_back(static_cast<int>(i));
  return alive;
}

std::vector<int> Race::ask() const {
  const std::vector<int> alive = survivors();
  if (round_ >= options_.max_rounds) return {};
  if (alive.size() <= 1 && round_ > 0) return {};
  const auto rivals = std::count_if(alive.begin(), alive.end(), [&](int i) { return !is_anchor(i); });
  if (round_ >= options_.first_test && rivals <= options_.finalists) return {};
  return alive;
}

void Race::tell(const std::vector<double>& us) {
  const std::vector<int> asked = survivors();
  assert(us.size() == asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto candidate = static_cast<std::size_t>(asked[i]);
    if (is_time(us[i]))
      samples_[candidate].push_back(us[i]);
    else
      alive_[candidate] = false;
  }
  ++round_;
  if (round_ == 1)
    leave_early();
  else
    eliminate();
}

void Race::leave_early() {
  double leader = std::numeric_limits<double>::infinity();
  for (const int i : survivors()) leader = std::min(leader, samples_[static_cast<std::size_t>(i)].front());
  for (const int i : survivors()) {
    const auto at = static_cast<std::size_t>(i);
    if (is_anchor(i) || samples_[at].front() <= options_.early_factor * leader) continue;
    alive_[at] = false;
    early_[at] = true;
  }
}

std::vector<int> Race::ranking() const {
  std::vector<int> order = survivors();
  if (order.empty()) return order;
  std::vector<const std::vector<double>*> rows;
  for (const int i : order) rows.push_back(&samples_[static_cast<std::size_t>(i)]);
  const std::vector<double> standing = standings(rows);
  std::vector<std::size_t> by(order.size());
  std::iota(by.begin(), by.end(), 0);
  std::stable_sort(by.begin(), by.end(), [&](std::size_t a, std::size_t b) { return standing[a] < standing[b]; });
  std::vector<int> ranked;
  for (const std::size_t i : by) ranked.push_back(order[i]);
  return ranked;
}

void Race::eliminate() {
  if (round_ < options_.coarse_test) return;
  const std::vector<int> ranked = ranking();
  if (ranked.size() < 2) return;
  const auto& leader = samples_[static_cast<std::size_t>(ranked.front())];
  for (const int i : ranked) {
    if (i == ranked.front() || is_anchor(i)) continue;
    const auto at = static_cast<std::size_t>(i);
    const Lead lead = lead_of(samples_[at], leader);
    const bool far = lead.least > std::log(options_.coarse_factor);
    const bool proven =
        round_ >= options_.first_test && lead.median - options_.z * lead.error > 0 && lead.median > options_.min_gap;
    if (far || proven) alive_[at] = false;
  }
}

bool Race::left_early(int candidate) const { return early_[static_cast<std::size_t>(candidate)]; }

const std::vector<double>& Race::samples(int candidate) const { return samples_[static_cast<std::size_t>(candidate)]; }

std::vector<int> Race::finalists() const {
  std::vector<int> chosen;
  int rivals = 0;
  for (const int i : round_ == 0 ? std::vector<int>{} : ranking())
    if (is_anchor(i) || rivals++ < options_.finalists) chosen.push_back(i);
  return chosen;
}

}  // namespace tuner::measure
