#include "core/scalar_bits.h"

#include <array>
#include <bit>
#include <cstring>

#include "core/number.h"

namespace tuner {

std::uint64_t scalar_bits(const Argument& scalar) {
  static_assert(std::endian::native == std::endian::little);
  if (!is_floating(scalar.type)) return static_cast<std::uint64_t>(scalar.value);
  std::array<std::byte, 8> bytes{};
  encode(scalar.type, scalar.real, bytes.data());
  return std::bit_cast<std::uint64_t>(bytes);
}

}  // namespace tuner
