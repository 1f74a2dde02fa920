#include "spec/struct_bytes.h"

#include <algorithm>
#include <bit>

#include "core/scalar_bits.h"

namespace tuner::spec {

std::string struct_bytes(const std::vector<Argument>& fields) {
  static_assert(std::endian::native == std::endian::little);
  std::string bytes;
  std::size_t widest = 1;
  for (const Argument& field : fields) {
    const auto size = static_cast<std::size_t>(size_of(field.type));
    widest = std::max(widest, size);
    bytes.resize((bytes.size() + size - 1) / size * size);
    const std::uint64_t bits = scalar_bits(field);
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(bits >> (8 * i) & 255);
  }
  bytes.resize((bytes.size() + widest - 1) / widest * widest);
  return bytes;
}

}  // namespace tuner::spec
