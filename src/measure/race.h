// From rounds of samples to a winner: who leaves early, who is tied, who wins. Pure; knows no device.
//
// Method: interleaved rounds (every survivor once a round, in random order), comparison within rounds by log ratios to
// the leader, elimination by median and MAD, paired confirmation of finalists.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/statistics.h"

namespace tuner::measure {

struct RaceOptions {
  double early_factor = 3.0;    // leaves after its first replay when this much slower than the leader
  int coarse_test = 3;          // rounds before those leave who were far behind in every one
  double coarse_factor = 1.25;  // far behind
  int first_test = 8;           // rounds before anyone leaves for a small gap
  int max_rounds = 20;          // of selection
  double z = 4.0;               // standard errors
  double min_gap = 0.002;       // never eliminated for less
  int finalists = 6;            // besides the anchors
};

using tuner::median;
using tuner::spread;

class Race {
 public:
  // `anchors` (the default, the incumbent) are never eliminated.
  Race(int candidates, std::vector<int> anchors, RaceOptions options);
  // Who takes part in the next round; empty when the race is over.
  std::vector<int> ask() const;
  // One sample a candidate that was asked, in that order. One that is no positive number takes the candidate out.
  void tell(const std::vector<double>& us);
  bool left_early(int candidate) const;  // by the three-times rule
  const std::vector<double>& samples(int candidate) const;
  // Best first by the median of ratios to the leader; the anchors among them wherever they stand.
  std::vector<int> finalists() const;
  int rounds() const { return round_; }

 private:
  bool is_anchor(int candidate) const;
  std::vector<int> survivors() const;
  std::vector<int> ranking() const;  // survivors, best first
  void leave_early();
  void eliminate();

  RaceOptions options_;
  std::vector<std::vector<double>> samples_;
  std::vector<bool> alive_;
  std::vector<bool> early_;
  std::vector<int> anchors_;
  int round_ = 0;
};

// What breaks a tie, in this order: incumbent, default, registers x threads, shared memory, manifest order.
struct TieKey {
  bool incumbent = false;
  bool is_default = false;
  std::int64_t registers_times_threads = 0;
  std::int64_t shared_bytes = 0;
  std::int64_t manifest_order = 0;
  bool eligible = true;  // a non-deterministic candidate does not win unless asked for
};

// What a finalist is ranked by if it takes this time, lower is better. Not a number: it cannot win.
using CostOf = std::function<double(int finalist, double us)>;

struct Decision {
  int winner = -1;
  std::vector<int> tied;      // in order of preference, the winner first
  std::vector<double> ratio;  // median of paired ratios to the fastest, one a finalist
  double margin = 0;
  std::vector<double> cost;  // of its time relative to the fastest, one a finalist; empty where the time is the cost
};

// `paired[i][r]`: sample of finalist i in paired round r; every row equally long. Ties: within max(0.2 %, noise_floor)
// of the best, by time, or by what `cost` makes of the fastest one's time and the paired ratio to it.
Decision decide(const std::vector<std::vector<double>>& paired, const std::vector<TieKey>& keys, double noise_floor,
                const CostOf& cost = {});

// How far apart one kernel loaded twice was measured to be: the 99 % bound of |median log(a/b)| over paired rounds, the
// very statistic by which candidates are compared (normal approximation, standard error from the median absolute
// deviation).
double noise_floor(const std::vector<double>& a, const std::vector<double>& b);

// How many paired rounds the finalists run: of the tied the preferred one wins, so the margin is what a pick may cost.
struct FinalOptions {
  int rounds = 60;                            // at least, and as many more at a time
  int max_rounds = 1200;                      // what 3 % of noise needs
  double wanted = 0.005;                      // noise floor at which no more are run
  std::chrono::milliseconds most_time{3000};  // of all, unless the first ones take longer
};

// Whether more rounds of one kernel loaded twice would not help: they are close enough to each other, or steadily
// further apart than is wanted, as two places in memory can be.
bool enough_rounds(const std::vector<double>& a, const std::vector<double>& b, const FinalOptions& options);

}  // namespace tuner::measure
