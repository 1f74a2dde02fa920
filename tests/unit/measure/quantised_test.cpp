// What quantising weights loses, whatever multiplies them: the table of docs/formats.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "core/number.h"
#include "device/generator.h"

namespace tuner::measure {
namespace {

constexpr std::size_t row_length = 4096, row_count = 64;

double rounded_to_f16(double value) { return rounded(Type::f16, value); }

std::vector<double> random_weights(Fill::Kind kind) {
  device::FillRequest request;
  request.type = Type::f16;
  request.seed = 7;
  request.kind = kind;
  request.low = kind == Fill::Kind::normal ? 0 : -1;
  request.high = 1;
  std::vector<double> all(row_length * row_count);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = device::generated(request, static_cast<std::int64_t>(i));
  return all;
}

double largest_of(const double* from, std::size_t count) {
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, std::fabs(from[i]));
  return largest;
}

// Nearest code -8 to 7 of a symmetric group whose largest weight is 8 steps or 7, as its sign is.
void q4_symmetric(const double* from, std::size_t count, double* to) {
  double signed_largest = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (std::fabs(from[i]) > std::fabs(signed_largest)) signed_largest = from[i];
  const double scale = rounded_to_f16(signed_largest / -8);
  for (std::size_t i = 0; i < count; ++i)
    to[i] = scale == 0 ? 0 : scale * std::clamp(std::nearbyint(from[i] / scale), -8.0, 7.0);
}

void q4_zero_point(const double* from, std::size_t count, double* to) {
  const auto [low, high] = std::minmax_element(from, from + count);
  const double scale = rounded_to_f16((std::max(*high, 0.0) - std::min(*low, 0.0)) / 15);
  const double zero = scale == 0 ? 0 : std::clamp(std::nearbyint(-std::min(*low, 0.0) / scale), 0.0, 15.0);
  for (std::size_t i = 0; i < count; ++i)
    to[i] = scale == 0 ? 0 : scale * (std::clamp(std::nearbyint(from[i] / scale) + zero, 0.0, 15.0) - zero);
}

void mxfp4(const double* from, std::size_t count, double* to) {
  constexpr double kValues[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  const double largest = largest_of(from, count);
  const double scale = largest == 0 ? 1 : std::exp2(std::floor(std::log2(largest)) - 2);
  for (std::size_t i = 0; i < count; ++i) {
    double best = 0;
    for (const double value : kValues)
      if (std::fabs(std::fabs(from[i]) - value * scale) < std::fabs(std::fabs(from[i]) - best)) best = value * scale;
    to[i] = std::copysign(best, from[i]);
  }
}

// The root of the mean square of the error over that of the weights.
double loss(Fill::Kind kind, std::size_t group,
            const std::function<void(const double*, std::size_t, double*)>& quantise) {
  const std::vector<double> all = random_weights(kind);
  std::vector<double> back(all.size());
  for (std::size_t at = 0; at < all.size(); at += group) quantise(all.data() + at, group, back.data() + at);
  double error = 0, size = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    error += (back[i] - all[i]) * (back[i] - all[i]);
    size += all[i] * all[i];
  }
  return std::sqrt(error / size);
}

struct Row {
  const char* format;
  std::size_t group;
  void (*quantise)(const double*, std::size_t, double*);
  double normal, uniform;  // as docs/formats.md has them
};

TEST(Quantised, LosesWhatTheDocumentSays) {
  const Row kRows[] = {
      {"q4", 32, q4_symmetric, 0.084, 0.065},        {"q4", 64, q4_symmetric, 0.092, 0.066},
      {"q4", 128, q4_symmetric, 0.099, 0.067},       {"q4 row", row_length, q4_symmetric, 0.1255, 0.068},
      {"q4 zero", 128, q4_zero_point, 0.098, 0.066}, {"mxfp4", 32, mxfp4, 0.1145, 0.1434}};
  for (const Row& row : kRows) {
    EXPECT_NEAR(loss(Fill::Kind::normal, row.group, row.quantise), row.normal, 0.0006) << row.format << row.group;
    EXPECT_NEAR(loss(Fill::Kind::uniform, row.group, row.quantise), row.uniform, 0.0006) << row.format << row.group;
  }
}

}  // namespace
}  // namespace tuner::measure
