// Climbs from a point to better neighbours until there is none, then from somewhere else.
#pragma once

#include <functional>
#include <optional>
#include <unordered_set>
#include <vector>

#include "search/tried.h"

namespace tuner::search {

class Climber {
 public:
  // All must outlive it. A climb begins at the best of `starts` points that are drawn.
  Climber(const Domain& domain, Tried& tried, Random& random, std::size_t starts)
      : domain_(domain), tried_(tried), random_(random), starts_(starts), starts_left_(starts) {}

  // The next point, marked as tried: of the neighbours the one for which `worth` is least; empty `worth`: any of them.
  // Empty where it waits for what was asked for, or nothing is left.
  using Worth = std::function<double(const Point&)>;
  std::optional<Point> next(const Worth& worth = {});
  // Of any point; those of others are let be.
  void tell(const Outcome& outcome);
  // The climb goes on from here.
  void move_to(const Outcome& outcome);

 private:
  std::optional<Point> propose(std::optional<Point> point);
  std::optional<Point> neighbour(const Worth& worth);
  void restart();

  const Domain& domain_;
  Tried& tried_;
  Random& random_;
  std::size_t starts_;
  std::size_t starts_left_;
  std::optional<Outcome> centre_;
  std::vector<Point> around_;  // neighbours of the centre
  std::unordered_set<Point, PointHash> pending_;
};

}  // namespace tuner::search
