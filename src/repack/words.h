// Little-endian numbers of a tensor's bytes, which need not be aligned.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace tuner::repack {

// Number `i` of type T.
template <class T>
T word_at(std::string_view bytes, std::int64_t i) {
  T word;
  std::memcpy(&word, bytes.data() + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
  return word;
}

inline bool is_finite_f16(std::uint16_t bits) { return (bits & 0x7c00) != 0x7c00; }

}  // namespace tuner::repack
