// Strategies compared on recorded sweeps: how much each tries until it is within a share of the best.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "search/recording.h"
#include "search/strategy.h"

namespace tuner::search {

struct ReplayOptions {
  int repeats = 100;
  std::uint64_t seed = 1;   // of the first repeat
  double within = 0.01;     // of the best
  std::size_t trials = 0;   // at most; 0: all there are
  std::size_t at_once = 8;  // asked for at once, as a sweep does
};

// What one repeat took to come there.
struct Reached {
  bool reached = false;
  double trials = 0;   // with the one that came there; all that were tried where none did
  double seconds = 0;  // of these, one after the other
};

using MakeStrategy = std::function<std::unique_ptr<Strategy>(const Domain& domain, std::uint64_t seed)>;

class Replay {
 public:
  // `recording` must outlive it.
  explicit Replay(const Recording& recording);
  const Domain& domain() const { return domain_; }

  // Every repeat with a seed of its own, in their order. Throws what the strategy throws.
  std::vector<Reached> run(const MakeStrategy& make, const ReplayOptions& options) const;

 private:
  Reached run_once(Strategy& strategy, const ReplayOptions& options) const;
  const Recording::Row& row_of(const Point& point) const;

  const Recording& recording_;
  ListedDomain domain_;
};

// The share `q` of the repeats came there with as much or less; infinite where fewer did at all.
double quantile_of(const std::vector<Reached>& all, double Reached::*what, double q);

}  // namespace tuner::search
