// How far apart two shapes or two GPUs are, in integers alone, so that the exported header, on a host or a GPU, gets
// the same answer to the last bit (export/header_text.cpp prints this arithmetic).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/gpu.h"

namespace tuner::store {

// log2(n) in steps of 1/256, rounded down; n >= 1. The mantissa is squared eight times in Q31, each time giving a bit.
constexpr std::int64_t log2_steps(std::int64_t n) {
  std::int64_t whole = 0;
  for (std::uint64_t rest = static_cast<std::uint64_t>(n); rest > 1; rest >>= 1) ++whole;
  std::uint64_t mantissa =
      whole >= 31 ? static_cast<std::uint64_t>(n) >> (whole - 31) : static_cast<std::uint64_t>(n) << (31 - whole);
  std::int64_t steps = whole;
  for (int bit = 0; bit < 8; ++bit) {
    mantissa = (mantissa * mantissa) >> 31;
    steps *= 2;
    if (mantissa >> 32 != 0) {
      mantissa >>= 1;
      ++steps;
    }
  }
  return steps;
}

constexpr std::int64_t squared_log2_difference(std::int64_t a, std::int64_t b) {
  const std::int64_t difference = log2_steps(a) - log2_steps(b);
  return difference * difference;
}

// Whether a <= 8 b and b <= 8 a, without overflow.
constexpr bool within_factor_8(std::int64_t a, std::int64_t b) {
  const std::int64_t large = a < b ? b : a;
  const std::int64_t small = a < b ? a : b;
  return large / 8 < small || (large / 8 == small && large % 8 == 0);
}

// What stands for memory bandwidth between models; 0 when unknown.
constexpr std::int64_t bandwidth_of(const GpuFacts& gpu) {
  return std::int64_t{gpu.memory_bus_bits} * gpu.memory_clock_khz;
}

// SM count and bandwidth, each as the squared difference of log2; a figure that one of them lacks counts nothing.
std::int64_t gpu_distance(const GpuFacts& a, const GpuFacts& b);

}  // namespace tuner::store
