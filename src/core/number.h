// Element formats: bits to double and back, round to nearest, ties to even.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/value.h"

namespace tuner {

std::uint16_t to_f16(double value);  // overflow gives infinity, NaN gives 0x7fff
double from_f16(std::uint16_t bits);
std::uint16_t to_bf16(double value);
double from_bf16(std::uint16_t bits);

// The value of `type` nearest to `value`; integers saturate.
double rounded(Type type, double value);
// Writes size_of(type) bytes; a packed type's in the low half of one. The 8-bit floating types saturate.
void encode(Type type, double value, std::byte* to);
double decode(Type type, const std::byte* from);
// bytes_of(type, values.size()) bytes, packed types two in one.
void encode_all(Type type, std::span<const double> values, std::byte* to);
// All elements that lie in `bytes`; of a packed type the half byte behind an odd number of them as well.
std::vector<double> decoded(Type type, std::span<const std::byte> bytes);

// Half the distance between neighbours of `type` at `at`: below the normal range half the subnormal step; 0.5 for
// integers.
double half_step(Type type, double at);
// The smallest magnitude that rounds to infinity; infinity for
// integers and 8-bit types, which saturate.
double overflow_threshold(Type type);

}  // namespace tuner
