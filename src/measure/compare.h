// Which of two kernels is faster: from rounds that both ran in to a ratio, its interval, and a word. Pure; knows no
// device.
//
// Method: both are loaded twice, so that a kernel has a twin whose code and graphs lie elsewhere; a round runs all
// four, in random order. Drift is common to a round and cancels in the logarithms of its ratios. A batch is many rounds
// of one placement; the next begins with everything placed anew, in another process, because where things lie moves a
// time by as much as the noise and no number of rounds in one place shows it. The interval is that of the mean over
// batches.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace tuner::measure {

enum class Finding { same, faster, slower, undecided };  // of B against A
std::string_view to_text(Finding finding);

enum class Gate { none, passed, tripped, undecided };
std::string_view to_text(Gate gate);  // "none" where none was asked for

struct CompareRules {
  double least_margin = 0.005;  // who differs by less is the same
  double fail_if_slower = -1;   // a share, 0.02; negative: no gate
  int rounds = 60;              // of a batch
  int least_rounds = 8;         // of a batch, where time is up
  int least_batches = 3;        // from which the spread between placements is known
  int most_batches = 16;
  bool gated() const { return fail_if_slower >= 0; }
};

// B's time over A's: 1.03 is 3 % slower.
struct Ratio {
  double ratio = 1;
  double low = 0;
  double high = 0;  // 0: there is no interval
};

struct Comparison {
  Ratio ratio;
  Finding finding = Finding::undecided;
  Gate gate = Gate::none;
  double margin = 0;       // within it they are the same: the least margin or the noise floor, the larger
  double noise_floor = 0;  // how far apart this comparison would find a kernel and itself, with 99 %
  double a_us = 0;         // medians of all samples
  double b_us = 0;
  double a_spread = 0;  // half the interquartile range over the median
  double b_spread = 0;
  int batches = 0;
  int rounds = 0;  // of all batches
};

// Microseconds a launch of one round.
struct Round {
  double a = 0, a_twin = 0, b = 0, b_twin = 0;
};
using Batch = std::vector<Round>;

// From batches of at least a round each, all samples positive. With fewer than two batches there is no interval, with
// fewer than the least no decision.
//
// Of a batch: d, the median over rounds of the mean logarithm of b/a and b_twin/a_twin; e, that of a_twin/a and of
// b_twin/b. Twins of one program differ by nothing but their places, so that e over the square root of two scatters as
// d does. The interval of d's mean is the wider of two: 99.9 % of Student's t with the scatter of d and both e (3 K - 1
// degrees of freedom for K batches), 99 % with the scatter of d alone (K - 1), which counts what hits a placement of
// all four alike. It is looked at after every batch; simulated over all looks it holds the true ratio in about 99 %.
Comparison compare(const std::vector<Batch>& batches, const CompareRules& rules);

// Where the rounds come from.
class Rounds {
 public:
  virtual ~Rounds() = default;
  // Both kernels and their twins, placed anew.
  virtual void place(int batch) = 0;
  virtual Round next(std::uint64_t seed) = 0;
  // Asked before every round and batch beyond the least.
  virtual bool out_of_time() = 0;
};

// Batches until the finding, and the gate where there is one, are decided, or time or batches are used up.
Comparison compare(Rounds& rounds, const CompareRules& rules);

// A time as it was stored, of another day than the one it is held against.
struct StoredTime {
  double time_us = 0;
  double spread = 0;
  std::vector<float> samples_us{};  // may be empty
  double noise_floor = 0;           // of its problem
};

// What one kernel's time moves by between runs: clocks, temperature, placement.
inline constexpr double between_runs = 0.01;

// From two runs: 99 % of the medians' own scatter, both noise floors, and `between_runs`, as roots of squares; the
// margin is the least one and `between_runs`. From the same paired rounds (`paired`, equally many samples): the median
// of their ratios, its scatter and the noise floor. The very same samples are the same measurement, without an interval
// around it. None where a scatter is unknown.
Comparison compare_stored(const StoredTime& a, const StoredTime& b, bool paired, const CompareRules& rules);

}  // namespace tuner::measure
