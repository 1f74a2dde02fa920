#include "cli/cpp_types.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "core/identifier.h"
#include "core/value.h"
#include "spec/vector_types.h"

namespace tuner::cli {
namespace {

constexpr std::array<std::pair<std::string_view, Type>, 43> kTypes{{{"float", Type::f32},
                                                                    {"double", Type::f64},
                                                                    {"half", Type::f16},
                                                                    {"__half", Type::f16},
                                                                    {"half_t", Type::f16},
                                                                    {"nv_bfloat16", Type::bf16},
                                                                    {"__nv_bfloat16", Type::bf16},
                                                                    {"bf16_t", Type::bf16},
                                                                    {"int", Type::i32},
                                                                    {"signed", Type::i32},
                                                                    {"signedint", Type::i32},
                                                                    {"int32_t", Type::i32},
                                                                    {"unsigned", Type::u32},
                                                                    {"unsignedint", Type::u32},
                                                                    {"uint32_t", Type::u32},
                                                                    {"uint", Type::u32},
                                                                    {"long", Type::i64},
                                                                    {"longint", Type::i64},
                                                                    {"longlong", Type::i64},
                                                                    {"longlongint", Type::i64},
                                                                    {"int64_t", Type::i64},
                                                                    {"ptrdiff_t", Type::i64},
                                                                    {"unsignedlong", Type::u64},
                                                                    {"unsignedlongint", Type::u64},
                                                                    {"unsignedlonglong", Type::u64},
                                                                    {"unsignedlonglongint", Type::u64},
                                                                    {"uint64_t", Type::u64},
                                                                    {"size_t", Type::u64},
                                                                    {"short", Type::i16},
                                                                    {"shortint", Type::i16},
                                                                    {"int16_t", Type::i16},
                                                                    {"unsignedshort", Type::u16},
                                                                    {"unsignedshortint", Type::u16},
                                                                    {"uint16_t", Type::u16},
                                                                    {"char", Type::i8},
                                                                    {"signedchar", Type::i8},
                                                                    {"int8_t", Type::i8},
                                                                    {"unsignedchar", Type::u8},
                                                                    {"uint8_t", Type::u8},
                                                                    {"std::byte", Type::u8},
                                                                    {"bool", Type::boolean},
                                                                    {"__nv_fp8_e4m3", Type::f8_e4m3},
                                                                    {"__nv_fp8_e5m2", Type::f8_e5m2}}};

std::string squeezed_type(std::string_view cpp) {
  std::string plain;
  std::copy_if(cpp.begin(), cpp.end(), std::back_inserter(plain), [](char c) { return !is_space(c); });
  return plain.rfind("std::", 0) == 0 && plain != "std::byte" ? plain.substr(5) : plain;
}

}  // namespace

std::string manifest_type(std::string_view cpp) {
  const std::string plain = squeezed_type(cpp);
  for (const auto& [each, type] : kTypes)
    if (each == plain) return std::string(to_text(type));
  return spec::vector_type(plain) ? plain : std::string();
}

std::int64_t bytes_of_type(std::string_view cpp) {
  const std::string plain = squeezed_type(cpp);
  for (const auto& [each, type] : kTypes)
    if (each == plain) return size_of(type);
  const auto vector = spec::vector_type(plain);
  return vector ? vector->lanes * size_of(vector->type) : 0;
}

}  // namespace tuner::cli
