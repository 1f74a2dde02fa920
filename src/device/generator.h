// The host half of the value generator: a pure function of (seed, index), the same on every device. With
// h = hash(seed, index):
//
// exact:   1 + (h >> 33) % magnitude, negative when the type is signed and bit 32 of h is set; boolean: bit 32 of h.
// uniform: fmaf(high - low, (h >> 40) * 2^-24, low) in float.
// normal:  fmaf(deviation, (s - 262140) / 53509.8, mean) in float, s the sum of the 16-bit parts of h and of
//          mix(h ^ index_step): eight uniform numbers, normal out to 4.9 deviations.
// iota:    integers: low + index * high in 64 bits, which may wrap, then in double; else fma(index, high, low) in
//          double, rounded to float.
// low and high count as floats. All then rounded to the type (integers: toward zero; out of range gives the nearest).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/device.h"

namespace tuner::device {

constexpr std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93ull;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93ull;
  x ^= x >> 32;
  return x;
}

constexpr std::uint64_t index_step = 0x9E3779B97F4A7C15ull;

constexpr std::uint64_t hash(std::uint64_t seed, std::uint64_t index) { return mix(seed ^ (index * index_step)); }

// What a value becomes where a result feeds an input: an integer in -magnitude..magnitude without 0.
double small_of(double value, int magnitude);

// What element `index` holds, after rounding to the type.
double generated(const FillRequest& request, std::int64_t index);

// `request.count` elements as they lie in memory.
std::vector<std::byte> generated_bytes(const FillRequest& request);

// As Device::checksum: the sum over 8-byte little-endian words w_i, the last padded with zeros, of mix(w_i ^ mix(i +
// 1)).
std::uint64_t checksum(std::span<const std::byte> bytes);

}  // namespace tuner::device
