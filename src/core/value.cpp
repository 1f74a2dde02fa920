#include "core/value.h"

#include <array>
#include <charconv>

namespace tuner {
namespace {

struct TypeRow {
  Type type;
  std::string_view name;
  std::int64_t bytes;
};

constexpr std::array<TypeRow, 12> type_rows{{
    {Type::f64, "f64", 8},
    {Type::f32, "f32", 4},
    {Type::f16, "f16", 2},
    {Type::bf16, "bf16", 2},
    {Type::i8, "i8", 1},
    {Type::u8, "u8", 1},
    {Type::i16, "i16", 2},
    {Type::u16, "u16", 2},
    {Type::i32, "i32", 4},
    {Type::u32, "u32", 4},
    {Type::i64, "i64", 8},
    {Type::u64, "u64", 8},
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

std::int64_t size_of(Type type) { return row_of(type).bytes; }
std::string_view to_text(Type type) { return row_of(type).name; }

std::optional<Type> type_from_text(std::string_view text) {
  for (const auto& row : type_rows)
    if (row.name == text) return row.type;
  return std::nullopt;
}

bool is_floating(Type type) {
  return type == Type::f64 || type == Type::f32 || type == Type::f16 || type == Type::bf16;
}

}  // namespace tuner
