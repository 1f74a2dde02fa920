#include "core/number.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace tuner {
namespace {

struct Format {
  int precision;     // significant bits, the hidden one too
  int min_exponent;  // of the smallest normal number
  int max_exponent;  // of the largest finite number
};

constexpr Format f16_format{11, -14, 15};
constexpr Format bf16_format{8, -126, 127};
constexpr Format f32_format{24, -126, 127};
constexpr Format e4m3_format{4, -6, 8};
constexpr Format e5m2_format{3, -14, 15};
constexpr double e4m3_most = 448, e5m2_most = 57344;

// Of a floating type narrower than double.
Format format_of(Type type) {
  if (type == Type::f16) return f16_format;
  if (type == Type::bf16) return bf16_format;
  if (type == Type::f8_e4m3) return e4m3_format;
  if (type == Type::f8_e5m2) return e5m2_format;
  return f32_format;
}

double power_of_two(int exponent) { return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52); }

// Half of 2^(exponent of at - precision + 1), at least half the subnormal step. Formats narrower than double only.
double half_step_of(const Format& format, double at) {
  const double leading = std::bit_cast<double>(std::bit_cast<std::uint64_t>(at) & 0x7ff0000000000000ull);
  return std::max(leading, power_of_two(format.min_exponent)) * power_of_two(-format.precision);
}

// Exact: every operation but nearbyint is a scaling by a power of two.
double quantised(const Format& format, double value) {
  if (!std::isfinite(value) || value == 0) return value;
  const double step = 2 * half_step_of(format, value);
  const double result = std::nearbyint(value / step) * step;
  if (std::fabs(result) >= std::ldexp(1.0, format.max_exponent + 1))
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  return result;
}

// `exponent_bits` and `fraction_bits` of a 16-bit format.
std::uint16_t pack(const Format& format, int exponent_bits, double value) {
  const int fraction_bits = format.precision - 1;
  const unsigned sign = std::signbit(value) ? 0x8000u : 0u;
  const unsigned top = (1u << exponent_bits) - 1;
  if (std::isnan(value)) return 0x7fff;
  const double magnitude = std::fabs(quantised(format, value));
  if (std::isinf(magnitude)) return static_cast<std::uint16_t>(sign | (top << fraction_bits));
  if (magnitude == 0) return static_cast<std::uint16_t>(sign);
  const int exponent = std::ilogb(magnitude);
  const double smallest_step = std::ldexp(1.0, format.min_exponent - fraction_bits);
  if (exponent < format.min_exponent)
    return static_cast<std::uint16_t>(sign | static_cast<unsigned>(magnitude / smallest_step));
  const auto fraction =
      static_cast<unsigned>(std::ldexp(magnitude, fraction_bits - exponent)) & ((1u << fraction_bits) - 1);
  const auto biased = static_cast<unsigned>(exponent - format.min_exponent + 1);
  return static_cast<std::uint16_t>(sign | (biased << fraction_bits) | fraction);
}

// The bits of a format with `exponent_bits`, moved into a float's places, are the value times 2^(its bias - 127).
double unpack(int exponent_bits, std::uint16_t bits) {
  const int moved = 8 - exponent_bits;
  const std::uint32_t magnitude = bits & 0x7fffu;
  const auto scaled = std::bit_cast<float>(magnitude << (16 - moved));
  const std::uint32_t top = ((1u << exponent_bits) - 1) << (15 - exponent_bits);
  double value = static_cast<double>(scaled) * (exponent_bits == 5 ? 0x1p112 : 1.0);
  if (magnitude >= top)
    value = magnitude == top ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  return (bits & 0x8000u) != 0 ? -value : value;
}

bool is_f8(Type type) { return type == Type::f8_e4m3 || type == Type::f8_e5m2; }

// Too large saturates, as the GPU's conversions do.
std::uint8_t to_f8(Type type, double value) {
  const Format& format = type == Type::f8_e4m3 ? e4m3_format : e5m2_format;
  const int fraction_bits = format.precision - 1;
  if (std::isnan(value)) return 0x7f;
  const unsigned sign = std::signbit(value) ? 0x80u : 0u;
  const double most = type == Type::f8_e4m3 ? e4m3_most : e5m2_most;
  const double magnitude = std::min(most, std::fabs(quantised(format, std::clamp(value, -most, most))));
  if (magnitude == 0) return static_cast<std::uint8_t>(sign);
  const int exponent = std::max(std::ilogb(magnitude), format.min_exponent);
  const auto steps = static_cast<unsigned>(std::ldexp(magnitude, fraction_bits - exponent));
  const auto biased = static_cast<unsigned>(exponent - format.min_exponent);  // a subnormal has one step less to add
  return static_cast<std::uint8_t>(sign | ((biased << fraction_bits) + steps));
}

double from_f8(Type type, std::uint8_t bits) {
  const Format& format = type == Type::f8_e4m3 ? e4m3_format : e5m2_format;
  const int fraction_bits = format.precision - 1;
  const unsigned magnitude = bits & 0x7fu;
  double value = 0;
  if (type == Type::f8_e4m3 ? magnitude == 0x7f : magnitude > 0x7c) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (type == Type::f8_e5m2 && magnitude == 0x7c) {
    value = std::numeric_limits<double>::infinity();
  } else {
    const unsigned biased = magnitude >> fraction_bits;
    const unsigned fraction = magnitude & ((1u << fraction_bits) - 1);
    const unsigned steps = biased == 0 ? fraction : fraction + (1u << fraction_bits);
    const int exponent = format.min_exponent + static_cast<int>(biased == 0 ? 0 : biased - 1);
    value = std::ldexp(static_cast<double>(steps), exponent - fraction_bits);
  }
  return (bits & 0x80u) != 0 ? -value : value;
}

template <class T>
T saturated(double value) {
  if (std::isnan(value)) return 0;
  const double whole = std::nearbyint(value);
  if (whole <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  if (whole >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  return static_cast<T>(whole);
}

template <class T>
void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

template <class T>
double load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return static_cast<double>(value);
}

std::uint16_t load_bits(const std::byte* from) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, from, sizeof bits);
  return bits;
}

}  // namespace

std::uint16_t to_f16(double value) { return pack(f16_format, 5, value); }
double from_f16(std::uint16_t bits) { return unpack(5, bits); }
std::uint16_t to_bf16(double value) { return pack(bf16_format, 8, value); }
double from_bf16(std::uint16_t bits) { return unpack(8, bits); }

double rounded(Type type, double value) {
  if (type == Type::f64) return value;
  if (type == Type::f32) return static_cast<double>(static_cast<float>(value));
  if (is_floating(type) && !is_f8(type)) return quantised(format_of(type), value);
  std::byte bytes[8];
  encode(type, value, bytes);
  return decode(type, bytes);
}

void encode(Type type, double value, std::byte* to) {
  switch (type) {
    case Type::f64:
      return store(to, value);
    case Type::f32:
      return store(to, static_cast<float>(value));
    case Type::f16:
      return store(to, to_f16(value));
    case Type::bf16:
      return store(to, to_bf16(value));
    case Type::i8:
      return store(to, saturated<std::int8_t>(value));
    case Type::u8:
      return store(to, saturated<std::uint8_t>(value));
    case Type::i16:
      return store(to, saturated<std::int16_t>(value));
    case Type::u16:
      return store(to, saturated<std::uint16_t>(value));
    case Type::i32:
      return store(to, saturated<std::int32_t>(value));
    case Type::u32:
      return store(to, saturated<std::uint32_t>(value));
    case Type::i64:
      return store(to, saturated<std::int64_t>(value));
    case Type::u64:
      return store(to, saturated<std::uint64_t>(value));
    case Type::f8_e4m3:
    case Type::f8_e5m2:
      return store(to, to_f8(type, value));
    case Type::boolean:
      return store(to, static_cast<std::uint8_t>(value != 0));
    case Type::i4:
      return store(to, static_cast<std::uint8_t>(static_cast<int>(std::clamp(std::nearbyint(value), -8.0, 7.0)) & 15));
    case Type::u4:
      return store(to, static_cast<std::uint8_t>(std::clamp(std::nearbyint(value), 0.0, 15.0)));
  }
}

double decode(Type type, const std::byte* from) {
  switch (type) {
    case Type::f64:
      return load<double>(from);
    case Type::f32:
      return load<float>(from);
    case Type::f16:
      return from_f16(load_bits(from));
    case Type::bf16:
      return from_bf16(load_bits(from));
    case Type::i8:
      return load<std::int8_t>(from);
    case Type::u8:
      return load<std::uint8_t>(from);
    case Type::i16:
      return load<std::int16_t>(from);
    case Type::u16:
      return load<std::uint16_t>(from);
    case Type::i32:
      return load<std::int32_t>(from);
    case Type::u32:
      return load<std::uint32_t>(from);
    case Type::i64:
      return load<std::int64_t>(from);
    case Type::u64:
      return load<std::uint64_t>(from);
    case Type::f8_e4m3:
    case Type::f8_e5m2:
      return from_f8(type, std::to_integer<std::uint8_t>(*from));
    case Type::boolean:
      return std::to_integer<int>(*from) != 0 ? 1 : 0;
    case Type::i4:
      return ((std::to_integer<int>(*from) & 15) ^ 8) - 8;
    case Type::u4:
      return std::to_integer<int>(*from) & 15;
  }
  return 0;
}

namespace {

std::vector<double> unpacked(Type type, std::span<const std::byte> bytes) {
  std::vector<double> values;
  values.reserve(bytes.size() * 2);
  for (const std::byte pair : bytes)
    for (const int shift : {0, 4}) {
      const std::byte one = pair >> shift;
      values.push_back(decode(type, &one));
    }
  return values;
}

}  // namespace

void encode_all(Type type, std::span<const double> values, std::byte* to) {
  const auto size = static_cast<std::size_t>(size_of(type));
  if (bits_of(type) >= 8) {
    for (std::size_t i = 0; i < values.size(); ++i) encode(type, values[i], to + i * size);
    return;
  }
  for (std::size_t i = 0; i < values.size(); i += 2) {
    std::byte low{}, high{};
    encode(type, values[i], &low);
    if (i + 1 < values.size()) encode(type, values[i + 1], &high);
    to[i / 2] = low | (high << 4);
  }
}

std::vector<double> decoded(Type type, std::span<const std::byte> bytes) {
  const auto size = static_cast<std::size_t>(size_of(type));
  if (bits_of(type) < 8) return unpacked(type, bytes);
  std::vector<double> values(bytes.size() / size);
  const std::byte* from = bytes.data();
  // Loops of their own for the types of large outputs.
  if (type == Type::f16)
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = unpack(5, load_bits(from + 2 * i));
  else if (type == Type::bf16)
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = unpack(8, load_bits(from + 2 * i));
  else
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = decode(type, from + size * i);
  return values;
}

double half_step(Type type, double at) {
  if (!is_floating(type)) return 0.5;
  if (!std::isfinite(at)) return 0;
  if (type == Type::f64) return std::max((std::nextafter(std::fabs(at), INFINITY) - std::fabs(at)) / 2, 0x1p-1074);
  return half_step_of(format_of(type), at);
}

double overflow_threshold(Type type) {
  if (!is_floating(type)) return std::numeric_limits<double>::infinity();
  if (type == Type::f64) return std::numeric_limits<double>::max();
  if (is_f8(type)) return std::numeric_limits<double>::infinity();
  const Format format = format_of(type);
  return std::ldexp(2.0 - std::ldexp(1.0, -format.precision), format.max_exponent);
}

}  // namespace tuner
