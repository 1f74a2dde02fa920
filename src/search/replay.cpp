#include "search/replay.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace tuner::search {
namespace {

std::vector<Point> points_of(const Recording& recording) {
  std::vector<Point> points;
  for (const Recording::Row& row : recording.rows) points.push_back(row.point);
  return points;
}

}  // namespace

Replay::Replay(const Recording& recording) : recording_(recording), domain_(recording.axes, points_of(recording)) {}

const Recording::Row& Replay::row_of(const Point& point) const { return recording_.rows[domain_.place_of(point)]; }

std::vector<Reached> Replay::run(const MakeStrategy& make, const ReplayOptions& options) const {
  std::vector<Reached> all;
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    const auto strategy = make(domain_, options.seed + static_cast<std::uint64_t>(repeat));
    all.push_back(run_once(*strategy, options));
  }
  return all;
}

// The anchor is the first good one, as in a sweep whose default is wrong: what a ratio is of makes no difference here,
// as recorded times do not drift.
Reached Replay::run_once(Strategy& strategy, const ReplayOptions& options) const {
  const double goal = recording_.least() * (1 + options.within);
  const std::size_t most = options.trials > 0 ? options.trials : recording_.rows.size();
  Reached reached;
  double anchor = 0;
  for (std::size_t tried = 0; tried < most;) {
    const std::vector<Point> asked = strategy.ask(std::min(options.at_once, most - tried));
    if (asked.empty()) break;
    std::vector<Outcome> outcomes;
    for (const Point& point : asked) {
      const Recording::Row& row = row_of(point);
      ++reached.trials;
      reached.seconds += row.seconds;
      if (row.time > 0 && row.time <= goal) {
        reached.reached = true;
        return reached;
      }
      if (anchor == 0) anchor = row.time;
      outcomes.push_back({point, row.time > 0 ? row.time / anchor : std::numeric_limits<double>::quiet_NaN()});
    }
    tried += asked.size();
    strategy.tell(outcomes);
  }
  return reached;
}

double quantile_of(const std::vector<Reached>& all, double Reached::*what, double q) {
  assert(!all.empty());
  std::vector<double> values;
  for (const Reached& one : all) values.push_back(one.reached ? one.*what : std::numeric_limits<double>::infinity());
  std::sort(values.begin(), values.end());
  const auto at = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(at, 1) - 1];
}

}  // namespace tuner::search
