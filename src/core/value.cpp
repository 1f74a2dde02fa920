#include "core/value.h"

#include <array>
#include <charconv>

namespace tuner {
namespace {

struct TypeRow {
  Type type;
  std::string_view name;
  std::int64_t bits;
  std::string_view cpp;
};

constexpr std::array<TypeRow, 17> type_rows{{
    {Type::f64, "f64", 64, "double"},
    {Type::f32, "f32", 32, "float"},
    {Type::f16, "f16", 16, "half_t"},
    {Type::bf16, "bf16", 16, "bf16_t"},
    {Type::i8, "i8", 8, "int8_t"},
    {Type::u8, "u8", 8, "uint8_t"},
    {Type::i16, "i16", 16, "int16_t"},
    {Type::u16, "u16", 16, "uint16_t"},
    {Type::i32, "i32", 32, "int32_t"},
    {Type::u32, "u32", 32, "uint32_t"},
    {Type::i64, "i64", 64, "int64_t"},
    {Type::u64, "u64", 64, "uint64_t"},
    {Type::f8_e4m3, "f8_e4m3", 8, "f8_e4m3_t"},
    {Type::f8_e5m2, "f8_e5m2", 8, "f8_e5m2_t"},
    {Type::boolean, "bool", 8, "bool"},
    {Type::i4, "i4", 4, "uint8_t"},
    {Type::u4, "u4", 4, "uint8_t"},
}};

const TypeRow& row_of(Type type) { return type_rows[static_cast<std::size_t>(type)]; }

bool looks_like_integer(std::string_view text) {
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  if (text.empty()) return false;
  for (char c : text)
    if (c < '0' || c > '9') return false;
  return true;
}

}  // namespace

std::string to_text(const Value& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value)) return std::to_string(*i);
  if (const auto* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
  return std::get<Name>(value).text;
}

std::optional<Value> value_from_text(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (text == "true") return Value{true};
  if (text == "false") return Value{false};
  if (looks_like_integer(text)) {
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number, 10);
    if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return Value{number};
  }
  const auto starts = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (!starts(text.front())) return std::nullopt;
  for (char c : text)
    if (!starts(c) && !(c >= '0' && c <= '9')) return std::nullopt;
  return Value{Name{std::string(text)}};
}

std::int64_t bits_of(Type type) { return row_of(type).bits; }
std::int64_t size_of(Type type) { return (bits_of(type) + 7) / 8; }
std::int64_t bytes_of(Type type, std::int64_t elements) {
  if (bits_of(type) < 8) return elements / 2 + elements % 2;
  std::int64_t bytes = 0;
  return __builtin_mul_overflow(elements, size_of(type), &bytes) ? -1 : bytes;
}
std::string_view to_text(Type type) { return row_of(type).name; }
std::string_view cpp_name(Type type) { return row_of(type).cpp; }

std::optional<Type> type_from_text(std::string_view text) {
  for (const auto& row : type_rows)
    if (row.name == text) return row.type;
  return std::nullopt;
}

bool is_floating(Type type) {
  return type == Type::f64 || type == Type::f32 || type == Type::f16 || type == Type::bf16 || type == Type::f8_e4m3 ||
         type == Type::f8_e5m2;
}

bool is_signed(Type type) {
  return is_floating(type) || type == Type::i8 || type == Type::i16 || type == Type::i32 || type == Type::i64 ||
         type == Type::i4;
}

}  // namespace tuner
