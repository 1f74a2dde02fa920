#include "device/host_fill.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/number.h"
#include "device/generator.h"

namespace tuner::device {
namespace {

std::uint16_t bf16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

// To nearest even, over normal and subnormal halves.
std::uint16_t f16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7fff;
  if (magnitude >= 0x47800000u) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {  // below 2^-14: a multiple of 2^-24
    const float steps = std::nearbyint(std::bit_cast<float>(magnitude) * 0x1p24f);
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(steps));
  }
  const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

struct Half {
  std::uint16_t bits = 0;
};
struct Bfloat {
  std::uint16_t bits = 0;
};

template <class T>
T converted(float value) {
  if constexpr (std::is_same_v<T, Half>)
    return {f16_bits(value)};
  else if constexpr (std::is_same_v<T, Bfloat>)
    return {bf16_bits(value)};
  else if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(value);
  else if (value >= static_cast<float>(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  else if (value <= static_cast<float>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  else
    return static_cast<T>(value);
}

template <class T>
void fill(void* to, const FillRequest& request) {
  const auto low = static_cast<float>(request.low);
  const float range = static_cast<float>(request.high) - low;
  auto* out = static_cast<std::byte*>(to);
  for (std::int64_t i = 0; i < request.count; ++i, out += sizeof(T)) {
    const std::uint64_t h = mix(request.seed ^ (static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15ull));
    float value = 0;
    if (request.exact) {
      value = static_cast<float>(1 + (h >> 33) % static_cast<std::uint64_t>(request.magnitude));
      if (((h >> 32) & 1) != 0) value = -value;
    } else {
      value = std::fma(range, static_cast<float>(h >> 40) * 0x1p-24f, low);
    }
    const T element = converted<T>(value);
    std::memcpy(out, &element, sizeof(T));
  }
}

void fill_any(void* to, const FillRequest& request) {
  const auto bytes = generated_bytes(request);
  if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
}

}  // namespace

void host_fill(void* to, const FillRequest& request) {
  const bool plain = request.exact ? is_signed(request.type) : request.kind == Fill::Kind::uniform;
  if (!plain) return fill_any(to, request);
  switch (request.type) {
    case Type::f64:
      return fill<double>(to, request);
    case Type::f32:
      return fill<float>(to, request);
    case Type::f16:
      return fill<Half>(to, request);
    case Type::bf16:
      return fill<Bfloat>(to, request);
    case Type::i8:
      return fill<std::int8_t>(to, request);
    case Type::u8:
      return fill<std::uint8_t>(to, request);
    case Type::i16:
      return fill<std::int16_t>(to, request);
    case Type::u16:
      return fill<std::uint16_t>(to, request);
    case Type::i32:
      return fill<std::int32_t>(to, request);
    case Type::u32:
      return fill<std::uint32_t>(to, request);
    case Type::i64:
      return fill<std::int64_t>(to, request);
    case Type::u64:
      return fill<std::uint64_t>(to, request);
    default:
      return fill_any(to, request);
  }
}

void host_widen(std::span<double> to, const std::byte* from, Type type, bool absolute) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    const double value = decode(type, from + i * static_cast<std::size_t>(size_of(type)));
    to[i] = absolute ? std::fabs(value) : value;
  }
}

std::int64_t host_first_not(std::span<const std::byte> bytes, int byte) {
  const auto wanted = static_cast<std::byte>(byte);
  const auto found = std::find_if(bytes.begin(), bytes.end(), [&](std::byte b) { return b != wanted; });
  return found == bytes.end() ? -1 : found - bytes.begin();
}

}  // namespace tuner::device
