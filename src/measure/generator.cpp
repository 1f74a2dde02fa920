#include "measure/generator.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "measure/number.h"

namespace tuner::measure {

double generated(const device::FillRequest& request, std::int64_t index) {
  const std::uint64_t h = hash(request.seed, static_cast<std::uint64_t>(index));
  if (request.exact) {
    const auto value = static_cast<double>(1 + (h >> 33) % static_cast<std::uint64_t>(request.magnitude));
    return ((h >> 32) & 1) != 0 ? -value : value;
  }
  const auto low = static_cast<float>(request.low);
  const auto high = static_cast<float>(request.high);
  const float value = std::fmaf(high - low, static_cast<float>(h >> 40) * 0x1p-24f, low);
  return is_floating(request.type) ? rounded(request.type, value) : std::trunc(static_cast<double>(value));
}

std::vector<std::byte> generated_bytes(const device::FillRequest& request) {
  const std::int64_t size = size_of(request.type);
  std::vector<std::byte> bytes(static_cast<std::size_t>(request.count * size));
  for (std::int64_t i = 0; i < request.count; ++i) encode(request.type, generated(request, i), bytes.data() + i * size);
  return bytes;
}

std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
    sum += mix(word ^ mix(at / 8 + 1));
  }
  return sum;
}

}  // namespace tuner::measure
