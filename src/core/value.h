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

// Element types of arguments.
enum class Type { f64, f32, f16, bf16, i8, u8, i16, u16, i32, u32, i64, u64 };

std::int64_t size_of(Type type);  // bytes
std::string_view to_text(Type type);
std::optional<Type> type_from_text(std::string_view text);
bool is_floating(Type type);

}  // namespace tuner
