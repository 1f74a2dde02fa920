#include "device/cuda_arguments.h"

#include <bit>
#include <cassert>

namespace tuner::device {

namespace {

// The nearest number with `mantissa` stored bits below the leading one and exponents up to `max_exponent`, as sign,
// biased exponent and mantissa; ties to even; infinity beyond.
std::uint64_t small_float_bits(std::int64_t value, int mantissa, int max_exponent) {
  if (value == 0) return 0;
  const int sign_at = mantissa + static_cast<int>(std::bit_width(static_cast<unsigned>(max_exponent))) + 1;
  const std::uint64_t sign = value < 0 ? std::uint64_t{1} << sign_at : 0;
  std::uint64_t magnitude = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  int exponent = static_cast<int>(std::bit_width(magnitude)) - 1;
  if (exponent > mantissa) {
    const int drop = exponent - mantissa;
    const std::uint64_t rest = magnitude & ((std::uint64_t{1} << drop) - 1), half = std::uint64_t{1} << (drop - 1);
    magnitude >>= drop;
    if (rest > half || (rest == half && (magnitude & 1))) ++magnitude;
    if (magnitude >> (mantissa + 1)) {
      magnitude >>= 1;
      ++exponent;
    }
  } else {
    magnitude <<= mantissa - exponent;
  }
  if (exponent > max_exponent) return sign | (static_cast<std::uint64_t>(2 * max_exponent + 1) << mantissa);
  const auto biased = static_cast<std::uint64_t>(exponent + max_exponent);
  return sign | (biased << mantissa) | (magnitude & ((std::uint64_t{1} << mantissa) - 1));
}

}  // namespace

std::uint64_t scalar_bits(Type type, std::int64_t value) {
  switch (type) {
    case Type::f64:
      return std::bit_cast<std::uint64_t>(static_cast<double>(value));
    case Type::f32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case Type::f16:
      return small_float_bits(value, 10, 15);
    case Type::bf16:
      return small_float_bits(value, 7, 127);
    default:
      return static_cast<std::uint64_t>(value);
  }
}

PackedArguments pack_arguments(const std::vector<Argument>& arguments, const Bindings& bindings) {
  assert(arguments.size() == bindings.size());
  PackedArguments packed;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    packed.values.push_back(arguments[i].is_buffer ? bindings[i] : scalar_bits(arguments[i].type, arguments[i].value));
  for (auto& value : packed.values) packed.pointers.push_back(&value);
  return packed;
}

}  // namespace tuner::device
