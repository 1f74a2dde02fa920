// Weights as the layouts of docs/formats.md say.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/number.h"
#include "repack/packed.h"

namespace tuner::repack {

// E2M1, whose exponent's bias is 1: no infinities and no NaN.
inline double e2m1(unsigned code) {
  const double sign = code & 8 ? -1.0 : 1.0, mantissa = code & 1;
  const int exponent = static_cast<int>(code >> 1 & 3);
  return sign * (exponent == 0 ? mantissa / 2 : std::ldexp(1 + mantissa / 2, exponent - 1));
}

// Weight `k` of row `row` of a matrix.
inline double weight_at(const Packed& p, std::int64_t matrix, std::int64_t row, std::int64_t k) {
  const std::int64_t g = p.group == 0 ? 0 : k / p.group;
  const auto at = static_cast<std::size_t>((matrix * p.groups() + g) * p.rows + row);
  const std::uint8_t* codes = &p.codes[static_cast<std::size_t>((matrix * p.rows + row) * p.pitch())];
  if (p.kind == Codes::q8) return from_f16(p.scales[at]) * static_cast<std::int8_t>(codes[k]);
  static constexpr int kColumns[] = {0, 2, 4, 6, 1, 3, 5, 7};
  std::uint32_t word = 0;
  for (int byte = 3; byte >= 0; --byte) word = word << 8 | codes[k / 8 * 4 + byte];
  unsigned code = 16;
  for (int i = 0; i < 8; ++i)
    if (kColumns[i] == k % 8) code = word >> (4 * i) & 15;
  if (p.kind == Codes::mxfp4) return std::ldexp(e2m1(code), int{p.exponents[at]} - 127);
  const double scale = from_f16(p.scales[at]);
  if (p.zeros == Zeros::offset) return scale * code - from_f16(p.offsets[at]);
  if (p.zeros == Zeros::none) return scale * (int(code) - 8);
  const std::int64_t pitch = (p.rows + 1) / 2;
  const std::uint8_t pair = p.zero_points[static_cast<std::size_t>((matrix * p.groups() + g) * pitch + row / 2)];
  return scale * (int(code) - (pair >> (row % 2 * 4) & 15));
}

}  // namespace tuner::repack
