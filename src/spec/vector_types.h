// CUDA's built-in vector types.
#pragma once

#include <optional>
#include <string_view>

#include "core/value.h"

namespace tuner::spec {

struct VectorType {
  Type type = Type::f32;
  int lanes = 1;
};

// "float4", "half2", "uchar3", ...; 1 to 4 lanes, 2 for the 16-bit floating types. Empty for another word.
std::optional<VectorType> vector_type(std::string_view name);

}  // namespace tuner::spec
