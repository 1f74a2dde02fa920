// Results in this process' memory against what they must be, on all CPUs it may use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/trial.h"
#include "device/device.h"
#include "measure/reference.h"

namespace tuner::measure {

// The bytes outputs are filled with before a run. The first reads as NaN, the second is finite in every type.
inline constexpr int nan_poison = 0xff;
inline constexpr int finite_poison = 0x4b;

// What one result must be: a view of its reference, which outlives it.
struct Expectation {
  const Reference* reference = nullptr;
  bool exact = true;            // the rounded reference, bit for bit
  device::Tolerance tolerance;  // else

  std::size_t elements() const { return reference->value.size(); }
  double value(std::size_t i) const;
  double bound(std::size_t i) const;  // 0 where exact
};

// Bit for bit the correctly rounded reference.
Expectation expect_exact(const Reference& reference);

// What `bound` (core/execution.h) lets pass. terms: |out - reference| <= gamma * sum |terms| + half a step of the
// output format, with gamma = n u / (1 - n u), u the unit of the accumulator (2^-24; 2^-53 for f64 results) and n =
// chain + 2: a product is rounded as well, and so is a conversion (N. J. Higham, Accuracy and Stability of Numerical
// Algorithms, 2002, section 3.1). Where `chain` is 0, `terms` stands for it. Integers are compared exactly, whatever
// `bound` says.
Expectation expect_within(const Reference& reference, const ErrorBound& bound, std::int64_t chain, std::int64_t terms);

struct Judgement {
  Reason reason = Reason::none;
  std::string detail;
  double max_err_over_bound = 0;
  double max_rel_err = 0;  // the largest error over the largest |reference|
  bool ok() const { return reason == Reason::none; }
};

// `first` was left by a run over nan_poison, `second` by one over finite_poison on the same inputs.
struct TwoRuns {
  std::span<const std::byte> first;
  std::span<const std::byte> second;
  bool must_agree = true;  // bit by bit
};
Judgement judge(const Expectation& expected, const TwoRuns& runs);

// What the device found where it found nothing outside of tolerance: as judge would have put it.
Judgement judged_by_device(const Expectation& expected, const device::Compared& compared);

// One run alone: the poison it ran over is not looked for.
Judgement judge(const Expectation& expected, std::span<const std::byte> out);

// Names the first element in which two outputs of one run after another differ; empty when none does.
std::string first_difference(const std::string& name, Type type, std::span<const std::byte> a,
                             std::span<const std::byte> b);

}  // namespace tuner::measure
