#include "device/generator.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/number.h"

namespace tuner::device {

namespace {

constexpr float normal_middle = 262140.0F, normal_scale = 1.0F / 53509.8F;

float normal_sum(std::uint64_t h) {
  std::int32_t sum = 0;
  for (const std::uint64_t word : {h, mix(h ^ index_step)})
    for (int shift = 0; shift < 64; shift += 16) sum += static_cast<std::int32_t>(word >> shift & 0xffff);
  return (static_cast<float>(sum) - normal_middle) * normal_scale;
}

// As a float, toward zero; out of range gives the nearest.
std::int64_t whole(double value) {
  const auto narrow = static_cast<float>(value);
  if (narrow >= 0x1p63F) return std::numeric_limits<std::int64_t>::max();
  return narrow < -0x1p63F ? std::numeric_limits<std::int64_t>::min() : static_cast<std::int64_t>(narrow);
}

double iota_value(const FillRequest& request, std::int64_t index) {
  if (is_floating(request.type))
    return static_cast<float>(std::fma(static_cast<double>(index),
                                       static_cast<double>(static_cast<float>(request.high)),
                                       static_cast<double>(static_cast<float>(request.low))));
  const std::uint64_t value = static_cast<std::uint64_t>(whole(request.low)) +
                              static_cast<std::uint64_t>(index) * static_cast<std::uint64_t>(whole(request.high));
  return static_cast<double>(static_cast<std::int64_t>(value));
}

double exact_value(const FillRequest& request, std::uint64_t h) {
  if (request.type == Type::boolean) return static_cast<double>(h >> 32 & 1);
  const auto value = static_cast<double>(1 + (h >> 33) % static_cast<std::uint64_t>(request.magnitude));
  return is_signed(request.type) && ((h >> 32) & 1) != 0 ? -value : value;
}

}  // namespace

double generated(const FillRequest& request, std::int64_t index) {
  const std::uint64_t h = hash(request.seed, static_cast<std::uint64_t>(index));
  if (request.exact) return exact_value(request, h);
  if (request.kind == Fill::Kind::iota) return rounded(request.type, iota_value(request, index));
  const auto low = static_cast<float>(request.low);
  const auto high = static_cast<float>(request.high);
  const float value = request.kind == Fill::Kind::normal
                          ? std::fmaf(high, normal_sum(h), low)
                          : std::fmaf(high - low, static_cast<float>(h >> 40) * 0x1p-24f, low);
  return rounded(request.type, is_floating(request.type) ? value : std::trunc(static_cast<double>(value)));
}

double small_of(double value, int magnitude) {
  const double size = std::fabs(value);
  const int k = std::isfinite(size) ? static_cast<int>(std::fmod(size, 2.0 * magnitude)) : 0;
  return k < magnitude ? k - magnitude : k - magnitude + 1;
}

std::vector<std::byte> generated_bytes(const FillRequest& request) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(bytes_of(request.type, request.count)));
  std::vector<double> chunk;
  constexpr std::int64_t most = 4096;
  for (std::int64_t at = 0; at < request.count; at += most) {
    chunk.clear();
    for (std::int64_t i = at; i < std::min(request.count, at + most); ++i) chunk.push_back(generated(request, i));
    encode_all(request.type, chunk, bytes.data() + bytes_of(request.type, at));
  }
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

}  // namespace tuner::device
