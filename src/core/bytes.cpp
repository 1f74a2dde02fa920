#include "core/bytes.h"

#include <fmt/core.h>

#include <cmath>

namespace tuner {

std::string bytes_text(double bytes) {
  if (bytes < 1024) return fmt::format("{:.0f} B", bytes);
  const char* unit = "KiB";
  bytes /= 1024;
  for (const char* next : {"MiB", "GiB", "TiB", "PiB", "EiB"}) {
    if (bytes < 1024) break;
    bytes /= 1024;
    unit = next;
  }
  return fmt::format("{:.{}f} {}", bytes, bytes == std::floor(bytes) ? 0 : 1, unit);
}

}  // namespace tuner
