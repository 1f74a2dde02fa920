#include "spec/vector_types.h"

#include <utility>

namespace tuner::spec {

std::optional<VectorType> vector_type(std::string_view name) {
  static constexpr std::pair<std::string_view, Type> kBases[] = {
      {"char", Type::i8},   {"uchar", Type::u8},     {"short", Type::i16},        {"ushort", Type::u16},
      {"int", Type::i32},   {"uint", Type::u32},     {"long", Type::i64},         {"ulong", Type::u64},
      {"float", Type::f32}, {"longlong", Type::i64}, {"ulonglong", Type::u64},    {"double", Type::f64},
      {"half", Type::f16},  {"__half", Type::f16},   {"nv_bfloat16", Type::bf16}, {"__nv_bfloat16", Type::bf16}};
  if (name.size() < 2 || name.back() < '1' || name.back() > '4') return std::nullopt;
  const std::string_view base = name.substr(0, name.size() - 1);
  const int lanes = name.back() - '0';
  for (const auto& [each, type] : kBases) {
    if (each != base) continue;
    if (bits_of(type) == 16 && is_floating(type) && lanes != 2) return std::nullopt;
    return VectorType{type, lanes};
  }
  return std::nullopt;
}

}  // namespace tuner::spec
