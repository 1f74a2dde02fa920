#include "core/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tuner {

std::string content_hash(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  static constexpr char digits[] = "0123456789abcdef";
  std::string text(32, '0');
  for (int i = 0; i < 16; ++i) {
    text[15 - i] = digits[(hash.high64 >> (4 * i)) & 15];
    text[31 - i] = digits[(hash.low64 >> (4 * i)) & 15];
  }
  return text;
}

}  // namespace tuner
