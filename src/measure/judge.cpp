#include "measure/judge.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/number.h"
#include "measure/parallel.h"

namespace tuner::measure {
namespace {

// Element i of a result.
double element(Type type, std::span<const std::byte> bytes, std::size_t i) {
  if (bits_of(type) >= 8) return decode(type, bytes.data() + i * static_cast<std::size_t>(size_of(type)));
  const std::byte one = bytes[i / 2] >> (i % 2 * 4);
  return decode(type, &one);
}

// Elements [begin, end), which begins on a whole byte.
std::vector<double> elements(Type type, std::span<const std::byte> bytes, std::int64_t begin, std::int64_t end) {
  const auto from = static_cast<std::size_t>(bytes_of(type, begin)), to = static_cast<std::size_t>(bytes_of(type, end));
  std::vector<double> values = decoded(type, bytes.subspan(from, to - from));
  values.resize(static_cast<std::size_t>(end - begin));  // the half byte behind an odd number of packed ones
  return values;
}

bool within(const Expectation& expected, std::size_t i, double out) {
  const double value = expected.value(i);
  if (out == value) return true;
  if (expected.exact) return false;
  if (std::isinf(out)) {
    const double threshold = overflow_threshold(expected.reference->type);
    return std::signbit(out) == std::signbit(value) && std::fabs(value) + expected.bound(i) >= threshold;
  }
  return std::fabs(out - value) <= expected.bound(i);
}

// What is wrong with one run.
struct Scan {
  std::int64_t wrong = 0;
  std::int64_t first_wrong = -1;
  double max_used = 0;  // error over bound
  double max_error = 0;

  void add(const Expectation& expected, std::size_t i, double out);
  void add(const Scan& next);
};

void Scan::add(const Expectation& expected, std::size_t i, double out) {
  const double error = std::fabs(out - expected.value(i));
  const double bound = expected.bound(i);
  if (error <= bound) {
    max_error = std::max(max_error, error);
    max_used = std::max(max_used, error > 0 ? error / bound : 0);
    return;
  }
  if (within(expected, i, out)) return;  // infinite as it may be
  if (std::isfinite(error)) {
    max_error = std::max(max_error, error);
    if (!expected.exact) max_used = std::max(max_used, error / bound);
  }
  ++wrong;
  if (first_wrong < 0) first_wrong = static_cast<std::int64_t>(i);
}

void Scan::add(const Scan& next) {
  wrong += next.wrong;
  if (first_wrong < 0) first_wrong = next.first_wrong;
  max_used = std::max(max_used, next.max_used);
  max_error = std::max(max_error, next.max_error);
}

Scan scan(const Expectation& expected, std::span<const std::byte> bytes) {
  const auto count = static_cast<std::int64_t>(expected.elements());
  std::vector<Scan> scans(static_cast<std::size_t>(pieces_of(count)));
  parallel_pieces(count, [&](std::int64_t piece, std::int64_t begin, std::int64_t end) {
    const std::vector<double> out = elements(expected.reference->type, bytes, begin, end);
    for (std::size_t i = 0; i < out.size(); ++i)
      scans[static_cast<std::size_t>(piece)].add(expected, static_cast<std::size_t>(begin) + i, out[i]);
  });
  Scan all;
  for (const Scan& each : scans) all.add(each);
  return all;
}

// Those of `count` elements of which something holds.
struct Found {
  std::int64_t count = 0, first = -1;
};

template <class Holds>
Found find(std::int64_t count, const Holds& holds) {
  std::vector<Found> parts(static_cast<std::size_t>(pieces_of(count)));
  parallel_pieces(count, [&](std::int64_t piece, std::int64_t begin, std::int64_t end) {
    Found& part = parts[static_cast<std::size_t>(piece)];
    for (std::int64_t i = begin; i < end; ++i)
      if (holds(static_cast<std::size_t>(i)) && part.count++ == 0) part.first = i;
  });
  Found all;
  for (const Found& part : parts) {
    all.count += part.count;
    if (all.first < 0) all.first = part.first;
  }
  return all;
}

double relative_to_largest(const Expectation& expected, double error) {
  const Reference& reference = *expected.reference;
  const double most = expected.exact ? rounded(reference.type, reference.largest) : reference.largest;
  return most > 0 ? error / most : 0;
}

void add_figures(const Expectation& expected, const Scan& found, Judgement& judgement) {
  judgement.max_err_over_bound = std::max(judgement.max_err_over_bound, found.max_used);
  judgement.max_rel_err = std::max(judgement.max_rel_err, relative_to_largest(expected, found.max_error));
}

std::string wrong_text(const Expectation& expected, const Scan& found, std::span<const std::byte> bytes) {
  const auto at = static_cast<std::size_t>(found.first_wrong);
  const Reference& reference = *expected.reference;
  std::string bound;
  if (!expected.exact) bound = fmt::format(" (bound {:.3g})", expected.bound(at));
  return fmt::format("{}[{}] is {:.9g}, expected {:.9g}{}; {} of {} wrong", reference.name, at,
                     element(reference.type, bytes, at), expected.value(at), bound, found.wrong, expected.elements());
}

bool all_are(std::span<const std::byte> bytes, int poison) {
  return std::all_of(bytes.begin(), bytes.end(), [&](std::byte b) { return b == static_cast<std::byte>(poison); });
}

std::string unwritten_text(const Expectation& expected, const TwoRuns& runs) {
  const auto size = static_cast<std::size_t>(size_of(expected.reference->type));
  const Found found = find(static_cast<std::int64_t>(runs.first.size() / size), [&](std::size_t i) {
    return all_are(runs.first.subspan(i * size, size), nan_poison) &&
           all_are(runs.second.subspan(i * size, size), finite_poison);
  });
  if (found.count == 0) return {};
  return fmt::format("{}[{}] was never written; {} of {} not written", expected.reference->name, found.first,
                     found.count, expected.elements());
}

std::string not_finite_text(const Expectation& expected, std::span<const std::byte> first,
                            std::span<const std::byte> second) {
  const Type type = expected.reference->type;
  const Found found = find(static_cast<std::int64_t>(expected.elements()), [&](std::size_t i) {
    const double out = element(type, first, i);
    return !std::isfinite(out) && !std::isfinite(element(type, second, i)) && !within(expected, i, out);
  });
  if (found.count == 0) return {};
  const auto where = static_cast<std::size_t>(found.first);
  return fmt::format("{}[{}] is {}, expected {:.9g}; {} of {} not finite", expected.reference->name, found.first,
                     element(type, first, where), expected.value(where), found.count, expected.elements());
}

// An element that is NaN over NaN and finite over a finite value: it reads what the buffers held before.
std::string stale_text(const Expectation& expected, std::span<const std::byte> first,
                       std::span<const std::byte> second) {
  const Type type = expected.reference->type;
  const Found found = find(static_cast<std::int64_t>(expected.elements()), [&](std::size_t i) {
    return !std::isfinite(element(type, first, i)) && std::isfinite(element(type, second, i)) &&
           std::isfinite(expected.value(i));
  });
  if (found.count == 0) return {};
  const auto i = static_cast<std::size_t>(found.first);
  return fmt::format("{}[{}] depends on what the output or scratch buffers held before: {} and {:.9g}, expected {:.9g}",
                     expected.reference->name, i, element(type, first, i), element(type, second, i), expected.value(i));
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

double Expectation::value(std::size_t i) const {
  return exact ? rounded(reference->type, reference->value[i]) : reference->value[i];
}

double Expectation::bound(std::size_t i) const {
  if (exact) return 0;
  const double magnitude = std::fabs(reference->value[i]);
  if (!tolerance.steps) return tolerance.relative * (std::isfinite(magnitude) ? magnitude : 0) + tolerance.absolute;
  const double sums = tolerance.gamma * reference->magnitude[i];
  return sums + half_step(reference->type, magnitude + sums);
}

Expectation expect_exact(const Reference& reference) { return {&reference, true, {}}; }

Expectation expect_within(const Reference& reference, const ErrorBound& bound, std::int64_t chain, std::int64_t terms) {
  if (bound.kind == ErrorBound::Kind::exact || !is_floating(reference.type)) return expect_exact(reference);
  if (bound.kind == ErrorBound::Kind::stated) return {&reference, false, {false, 0, bound.relative, bound.absolute}};
  const double unit = reference.type == Type::f64 ? 0x1p-53 : 0x1p-24;
  const double steps = static_cast<double>(chain > 0 ? chain : terms) + 2;
  return {&reference, false, {true, steps * unit / (1 - std::min(0.5, steps * unit)), 0, 0}};
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
  if (auto text = not_finite_text(expected, runs.first, runs.second); !text.empty())
    return rejected(Reason::not_finite, text);
  if (auto text = stale_text(expected, runs.first, runs.second); !text.empty())
    return rejected(Reason::wrong_result, text);
  if (!agree && runs.must_agree)
    return rejected(Reason::nondeterministic,
                    first_difference(expected.reference->name, expected.reference->type, runs.first, runs.second));
  Judgement wrong = rejected(Reason::wrong_result, first.wrong > 0 ? wrong_text(expected, first, runs.first)
                                                                   : wrong_text(expected, second, runs.second));
  add_figures(expected, first, wrong);
  return wrong;
}

Judgement judge(const Expectation& expected, std::span<const std::byte> out) {
  const Scan found = scan(expected, out);
  Judgement judgement;
  if (found.wrong > 0) {
    const std::string not_finite = not_finite_text(expected, out, out);
    judgement = not_finite.empty() ? rejected(Reason::wrong_result, wrong_text(expected, found, out))
                                   : rejected(Reason::not_finite, not_finite);
  }
  add_figures(expected, found, judgement);
  return judgement;
}

Judgement judged_by_device(const Expectation& expected, const device::Compared& compared) {
  Judgement judgement;
  judgement.max_err_over_bound = compared.max_used;
  judgement.max_rel_err = relative_to_largest(expected, compared.max_error);
  return judgement;
}

std::string first_difference(const std::string& name, Type type, std::span<const std::byte> a,
                             std::span<const std::byte> b) {
  const auto size = static_cast<std::size_t>(size_of(type));
  const Found found = find(static_cast<std::int64_t>(a.size() / size), [&](std::size_t i) {
    return !equal_bytes(a.subspan(i * size, size), b.subspan(i * size, size));
  });
  if (found.count == 0) return {};
  const auto at = static_cast<std::size_t>(found.first) * size;
  return fmt::format("{}[{}] is {:.9g} in one run and {:.9g} in another; {} of {} differ", name, found.first,
                     decode(type, a.data() + at), decode(type, b.data() + at), found.count, a.size() / size);
}

}  // namespace tuner::measure
