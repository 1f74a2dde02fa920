// Values and element types, the words of manifests, configurations and facts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace tuner {

// A named choice of a parameter (`vec`) or an element type (`f16`).
struct Name {
  std::string text;
  auto operator<=>(const Name&) const = default;
};

// What an expression evaluates to, and what a parameter, dimension or fact holds.
using Value = std::variant<std::int64_t, bool, Name>;

// "128", "true", "vec".
std::string to_text(const Value& value);

// The inverse of to_text: decimal integers (a leading zero does not mean octal), `true`/`false`, else a name.
// Empty when the text is none of these or the integer does not fit 64 bits.
std::optional<Value> value_from_text(std::string_view text);

// Element types of arguments. boolean: a byte, 0 or 1. f8_e4m3 has no infinity (OCP); i4 and u4 lie two in a byte, the
// first in the low half.
enum class Type { f64, f32, f16, bf16, i8, u8, i16, u16, i32, u32, i64, u64, f8_e4m3, f8_e5m2, boolean, i4, u4 };

std::int64_t size_of(Type type);  // bytes of one that stands alone
std::int64_t bits_of(Type type);  // of one among many
// Of this many elements in a row; a last half byte counts whole. Negative where the product does not fit 64 bits.
std::int64_t bytes_of(Type type, std::int64_t elements);
std::string_view to_text(Type type);
std::optional<Type> type_from_text(std::string_view text);
// As templates name it: the names of tuner_intrinsics.cuh where C++ has none ("half_t"); a packed pair is a uint8_t.
std::string_view cpp_name(Type type);
bool is_floating(Type type);
bool is_signed(Type type);

}  // namespace tuner
