#include "measure/judge.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/number.h"

namespace tuner::measure {
namespace {

bool within(const Expectation& expected, std::size_t i, double out) {
  const double value = expected.value[i];
  if (out == value) return true;
  if (expected.bound.empty()) return false;
  if (std::isinf(out)) {
    const double threshold = overflow_threshold(expected.type);
    return std::signbit(out) == std::signbit(value) && std::fabs(value) + expected.bound[i] >= threshold;
  }
  return std::fabs(out - value) <= expected.bound[i];
}

// What is wrong with one run, element by element.
struct Scan {
  std::vector<double> out;
  std::int64_t wrong = 0;
  std::int64_t first_wrong = -1;
  double max_used = 0;  // error over bound
  double max_error = 0;
};

Scan scan(const Expectation& expected, std::span<const std::byte> bytes) {
  Scan result;
  result.out = decoded(expected.type, bytes);
  result.out.resize(expected.value.size());  // the half byte behind an odd number of packed ones
  const bool bounded = !expected.bound.empty();
  for (std::size_t i = 0; i < result.out.size(); ++i) {
    const double error = std::fabs(result.out[i] - expected.value[i]);
    const double bound = bounded ? expected.bound[i] : 0;
    if (error <= bound) {
      result.max_error = std::max(result.max_error, error);
      result.max_used = std::max(result.max_used, bounded ? error / bound : 0);
      continue;
    }
    if (within(expected, i, result.out[i])) continue;  // infinite as it may be
    if (std::isfinite(error)) {
      result.max_error = std::max(result.max_error, error);
      if (bounded) result.max_used = std::max(result.max_used, error / bound);
    }
    ++result.wrong;
    if (result.first_wrong < 0) result.first_wrong = static_cast<std::int64_t>(i);
  }
  return result;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values)
    if (std::isfinite(value)) most = std::max(most, std::fabs(value));
  return most;
}

void add_figures(const Expectation& expected, const Scan& found, Judgement& judgement) {
  judgement.max_err_over_bound = std::max(judgement.max_err_over_bound, found.max_used);
  const double most = largest(expected.value);
  if (most > 0) judgement.max_rel_err = std::max(judgement.max_rel_err, found.max_error / most);
}

std::string wrong_text(const Expectation& expected, const Scan& found) {
  const auto at = static_cast<std::size_t>(found.first_wrong);
  std::string bound;
  if (!expected.bound.empty()) bound = fmt::format(" (bound {:.3g})", expected.bound[at]);
  return fmt::format("{}[{}] is {:.9g}, expected {:.9g}{}; {} of {} wrong", expected.name, at, found.out[at],
                     expected.value[at], bound, found.wrong, found.out.size());
}

bool all_are(std::span<const std::byte> bytes, int poison) {
  return std::all_of(bytes.begin(), bytes.end(), [&](std::byte b) { return b == static_cast<std::byte>(poison); });
}

std::string unwritten_text(const Expectation& expected, const TwoRuns& runs) {
  const auto size = static_cast<std::size_t>(size_of(expected.type));
  std::int64_t count = 0, first = -1;
  for (std::size_t i = 0; (i + 1) * size <= runs.first.size(); ++i) {
    if (!all_are(runs.first.subspan(i * size, size), nan_poison)) continue;
    if (!all_are(runs.second.subspan(i * size, size), finite_poison)) continue;
    if (first < 0) first = static_cast<std::int64_t>(i);
    ++count;
  }
  if (count == 0) return {};
  return fmt::format("{}[{}] was never written; {} of {} not written", expected.name, first, count,
                     expected.value.size());
}

std::string not_finite_text(const Expectation& expected, const std::vector<double>& first,
                            const std::vector<double>& second) {
  std::int64_t count = 0, at = -1;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (std::isfinite(first[i]) || std::isfinite(second[i]) || within(expected, i, first[i])) continue;
    if (at < 0) at = static_cast<std::int64_t>(i);
    ++count;
  }
  if (count == 0) return {};
  const auto where = static_cast<std::size_t>(at);
  return fmt::format("{}[{}] is {}, expected {:.9g}; {} of {} not finite", expected.name, at, first[where],
                     expected.value[where], count, first.size());
}

// An element that is NaN over NaN and finite over a finite value: it reads what the buffers held before.
std::string stale_text(const Expectation& expected, const std::vector<double>& first,
                       const std::vector<double>& second) {
  for (std::size_t i = 0; i < first.size(); ++i)
    if (!std::isfinite(first[i]) && std::isfinite(second[i]) && std::isfinite(expected.value[i]))
      return fmt::format(
          "{}[{}] depends on what the output or scratch buffers held before: {} and {:.9g}, expected {:.9g}",
          expected.name, i, first[i], second[i], expected.value[i]);
  return {};
}

Judgement rejected(Reason reason, std::string detail) {
  Judgement judgement;
  judgement.reason = reason;
  judgement.detail = std::move(detail);
  return judgement;
}

bool equal_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

}  // namespace

Expectation expect_exact(const Reference& reference) {
  Expectation expected{reference.name, reference.type, reference.value, {}};
  for (double& value : expected.value) value = rounded(reference.type, value);
  return expected;
}

namespace {

Expectation expect_sums(const Reference& reference, double steps) {
  const double unit = reference.type == Type::f64 ? 0x1p-53 : 0x1p-24;
  const double gamma = steps * unit / (1 - std::min(0.5, steps * unit));
  Expectation expected{reference.name, reference.type, reference.value, {}};
  expected.bound.resize(reference.value.size());
  for (std::size_t i = 0; i < reference.value.size(); ++i) {
    const double sums = gamma * reference.magnitude[i];
    expected.bound[i] = sums + half_step(reference.type, std::fabs(reference.value[i]) + sums);
  }
  return expected;
}

}  // namespace

Expectation expect_within(const Reference& reference, const ErrorBound& bound, std::int64_t chain, std::int64_t terms) {
  if (bound.kind == ErrorBound::Kind::exact) return expect_exact(reference);
  if (bound.kind == ErrorBound::Kind::terms)
    return expect_sums(reference, static_cast<double>(chain > 0 ? chain : terms) + 2);
  Expectation expected{reference.name, reference.type, reference.value, {}};
  for (const double value : reference.value)
    expected.bound.push_back(bound.relative * (std::isfinite(value) ? std::fabs(value) : 0) + bound.absolute);
  return expected;
}

Judgement judge(const Expectation& expected, const TwoRuns& runs) {
  const bool agree = equal_bytes(runs.first, runs.second);
  const Scan first = scan(expected, runs.first);
  const Scan second = agree ? first : scan(expected, runs.second);
  Judgement good;
  add_figures(expected, first, good);
  add_figures(expected, second, good);
  if (first.wrong + second.wrong == 0 && (agree || !runs.must_agree)) return good;
  if (auto text = unwritten_text(expected, runs); !text.empty()) return rejected(Reason::unwritten_output, text);
  if (auto text = not_finite_text(expected, first.out, second.out); !text.empty())
    return rejected(Reason::not_finite, text);
  if (auto text = stale_text(expected, first.out, second.out); !text.empty())
    return rejected(Reason::wrong_result, text);
  if (!agree && runs.must_agree)
    return rejected(Reason::nondeterministic, first_difference(expected.name, expected.type, runs.first, runs.second));
  Judgement wrong = rejected(Reason::wrong_result, wrong_text(expected, first.wrong > 0 ? first : second));
  add_figures(expected, first, wrong);
  return wrong;
}

Judgement judge(const Expectation& expected, std::span<const std::byte> out) {
  const Scan found = scan(expected, out);
  Judgement judgement;
  if (found.wrong > 0) {
    const std::string not_finite = not_finite_text(expected, found.out, found.out);
    judgement = not_finite.empty() ? rejected(Reason::wrong_result, wrong_text(expected, found))
                                   : rejected(Reason::not_finite, not_finite);
  }
  add_figures(expected, found, judgement);
  return judgement;
}

std::string first_difference(const std::string& name, Type type, std::span<const std::byte> a,
                             std::span<const std::byte> b) {
  const auto size = static_cast<std::size_t>(size_of(type));
  std::int64_t count = 0, first = -1;
  for (std::size_t at = 0; at + size <= a.size(); at += size) {
    if (equal_bytes(a.subspan(at, size), b.subspan(at, size))) continue;
    if (first < 0) first = static_cast<std::int64_t>(at / size);
    ++count;
  }
  if (count == 0) return {};
  const auto at = static_cast<std::size_t>(first) * size;
  return fmt::format("{}[{}] is {:.9g} in one run and {:.9g} in another; {} of {} differ", name, first,
                     decode(type, a.data() + at), decode(type, b.data() + at), count, a.size() / size);
}

}  // namespace tuner::measure
