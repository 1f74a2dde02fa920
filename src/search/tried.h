// What a strategy remembers: which points are out of the question, and what became of those it knows.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "search/strategy.h"

namespace tuner::search {

class Tried {
 public:
  // Asked for, or told. Whether it was new.
  bool mark(const Point& point) { return ratios_.try_emplace(point, std::numeric_limits<double>::quiet_NaN()).second; }
  bool has(const Point& point) const { return ratios_.count(point) != 0; }
  void tell(const Outcome& outcome);

  // Of those that were told, in the order in which they were.
  const std::vector<Outcome>& told() const { return told_; }
  // Indices of told(): the `most` good ones with the least ratio, best first.
  std::vector<std::size_t> best(std::size_t most) const;
  // Not a number where it is unknown or no good.
  double ratio(const Point& point) const;

  // A legal point that was not tried; empty where there is none, or none was found.
  std::optional<Point> fresh(const Domain& domain, Random& random) const;

 private:
  std::unordered_map<Point, double, PointHash> ratios_;
  std::vector<Outcome> told_;
};

}  // namespace tuner::search
