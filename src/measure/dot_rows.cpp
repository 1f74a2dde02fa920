#include "measure/dot_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "device/generator.h"

// Each body is written once, forced inline and compiled for several instruction sets; the loops are kept simple enough
// for the compiler to vectorise.

namespace tuner::measure {
namespace {

constexpr int chunk = 512;  // elements generated at a time: 2 KiB of floats
constexpr int lanes = 16;   // independent sums, so that the order of additions does not forbid vectors

// RN to f16 and back on a float's bits.
[[gnu::always_inline]] inline float through_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t normal = (bits + 0xfffu + ((bits >> 13) & 1u)) & ~0x1fffu;
  const std::uint32_t infinite = (bits & 0x80000000u) | 0x7f800000u;
  const std::uint32_t large = magnitude >= 0x477ff000u ? infinite : normal;  // 65520 and more
  const auto small = std::bit_cast<std::uint32_t>((value + 0.75f) - 0.75f);  // steps of 2^-24
  return std::bit_cast<float>(magnitude < 0x38800000u ? small : large);      // 2^-14
}

[[gnu::always_inline]] inline float through_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits + 0x7fffu + ((bits >> 16) & 1u)) & 0xffff0000u);
}

enum class Rounding { none, f16, bf16, integer };

[[gnu::always_inline]] inline std::uint64_t hash_at(std::uint64_t seed, std::uint64_t index) {
  return device::mix(seed ^ (index * device::index_step));
}

template <Rounding rounding>
[[gnu::always_inline]] inline void uniform_chunk(const device::FillRequest& a, std::uint64_t first, int count,
                                                 float* to) {
  const auto low = static_cast<float>(a.low);
  const float width = static_cast<float>(a.high) - low;
  for (int j = 0; j < count; ++j) {
    const std::uint64_t h = hash_at(a.seed, first + static_cast<std::uint64_t>(j));
    const float unit = static_cast<float>(static_cast<std::int32_t>(h >> 40)) * 0x1p-24f;
    const float value = __builtin_fmaf(width, unit, low);
    if constexpr (rounding == Rounding::f16)
      to[j] = through_f16(value);
    else if constexpr (rounding == Rounding::bf16)
      to[j] = through_bf16(value);
    else if constexpr (rounding == Rounding::integer)
      to[j] = __builtin_truncf(value);
    else
      to[j] = value;
  }
}

// width 2 and low -1: 2u - 1 is exact without a fused multiply, which not every CPU has.
template <Rounding rounding>
[[gnu::always_inline]] inline void symmetric_chunk(const device::FillRequest& a, std::uint64_t first, int count,
                                                   float* to) {
  for (int j = 0; j < count; ++j) {
    const std::uint64_t h = hash_at(a.seed, first + static_cast<std::uint64_t>(j));
    const float value = static_cast<float>(static_cast<std::int32_t>(h >> 40)) * 0x1p-23f - 1.0f;
    to[j] = rounding == Rounding::f16 ? through_f16(value) : rounding == Rounding::bf16 ? through_bf16(value) : value;
  }
}

template <std::uint32_t magnitude>
[[gnu::always_inline]] inline void exact_chunk(std::uint64_t seed, std::uint64_t first, int count, float* to) {
  for (int j = 0; j < count; ++j) {
    const std::uint64_t h = hash_at(seed, first + static_cast<std::uint64_t>(j));
    const auto value = static_cast<std::int32_t>(1 + (static_cast<std::uint32_t>(h >> 33) % magnitude));
    const auto sign = -static_cast<std::int32_t>((h >> 32) & 1);
    to[j] = static_cast<float>((value ^ sign) - sign);
  }
}

template <Rounding rounding>
[[gnu::always_inline]] inline void rounded_chunk(const device::FillRequest& a, std::uint64_t first, int count,
                                                 float* to) {
  if (rounding != Rounding::integer && a.low == -1 && a.high == 1)
    symmetric_chunk<rounding>(a, first, count, to);
  else
    uniform_chunk<rounding>(a, first, count, to);
}

[[gnu::always_inline]] inline void any_chunk(const device::FillRequest& a, std::uint64_t first, int count, float* to) {
  if (a.exact) {
    if (a.magnitude == 1) return exact_chunk<1>(a.seed, first, count, to);
    if (a.magnitude == 2) return exact_chunk<2>(a.seed, first, count, to);
    if (a.magnitude == 3) return exact_chunk<3>(a.seed, first, count, to);
    for (int j = 0; j < count; ++j)
      to[j] = static_cast<float>(device::generated(a, static_cast<std::int64_t>(first) + j));
    return;
  }
  if (a.type == Type::f16) return rounded_chunk<Rounding::f16>(a, first, count, to);
  if (a.type == Type::bf16) return rounded_chunk<Rounding::bf16>(a, first, count, to);
  if (is_floating(a.type)) return rounded_chunk<Rounding::none>(a, first, count, to);
  rounded_chunk<Rounding::integer>(a, first, count, to);
}

[[gnu::always_inline]] inline void dot_chunk(const float* a, const double* x, int count, DotSums& sums) {
  double sum[lanes] = {};
  double magnitude[lanes] = {};
  const int whole = count / lanes * lanes;
  for (int j = 0; j < whole; j += lanes)
    for (int lane = 0; lane < lanes; ++lane) {
      const double term = static_cast<double>(a[j + lane]) * x[j + lane];
      sum[lane] += term;
      magnitude[lane] += __builtin_fabs(term);
    }
  for (int j = whole; j < count; ++j) {
    const double term = static_cast<double>(a[j]) * x[j];
    sum[0] += term;
    magnitude[0] += __builtin_fabs(term);
  }
  for (int lane = 0; lane < lanes; ++lane) {
    sums.sum += sum[lane];
    sums.magnitude += magnitude[lane];
  }
}

[[gnu::always_inline]] inline void dot_body(const device::FillRequest& a, std::int64_t first, std::int64_t count,
                                            std::span<const double* const> x, std::span<DotSums> sums) {
  alignas(64) float buffer[chunk];
  for (std::int64_t at = 0; at < count; at += chunk) {
    const int now = static_cast<int>(std::min<std::int64_t>(chunk, count - at));
    any_chunk(a, static_cast<std::uint64_t>(first + at), now, buffer);
    for (std::size_t b = 0; b < x.size(); ++b) dot_chunk(buffer, x[b] + at, now, sums[b]);
  }
}

using DotFunction = void (*)(const device::FillRequest&, std::int64_t, std::int64_t, std::span<const double* const>,
                             std::span<DotSums>);

void dot_plain(const device::FillRequest& a, std::int64_t first, std::int64_t count, std::span<const double* const> x,
               std::span<DotSums> sums) {
  dot_body(a, first, count, x, sums);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void dot_avx2(const device::FillRequest& a, std::int64_t first, std::int64_t count,
                                                  std::span<const double* const> x, std::span<DotSums> sums) {
  dot_body(a, first, count, x, sums);
}

__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx2,fma"))) void dot_avx512(const device::FillRequest& a,
                                                                                       std::int64_t first,
                                                                                       std::int64_t count,
                                                                                       std::span<const double* const> x,
                                                                                       std::span<DotSums> sums) {
  dot_body(a, first, count, x, sums);
}

DotFunction choose() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw"))
    return dot_avx512;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? dot_avx2 : dot_plain;
}
#else
DotFunction choose() { return dot_plain; }
#endif

}  // namespace

void dot_generated(const device::FillRequest& a, std::int64_t first, std::int64_t count,
                   std::span<const double* const> x, std::span<DotSums> sums) {
  static const DotFunction function = choose();
  function(a, first, count, x, sums);
}

void generate_floats(const device::FillRequest& a, std::int64_t first, std::int64_t count, float* to) {
  for (std::int64_t at = 0; at < count; at += chunk)
    any_chunk(a, static_cast<std::uint64_t>(first + at), static_cast<int>(std::min<std::int64_t>(chunk, count - at)),
              to + at);
}

}  // namespace tuner::measure
