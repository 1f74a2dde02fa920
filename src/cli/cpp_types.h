// C++'s types as the manifest names them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tuner::cli {

// "f32" of "float", "float4" of itself; empty for a type that the manifest has no word for. White space does not count.
std::string manifest_type(std::string_view cpp);

// 0 for a type that the manifest has no word for.
std::int64_t bytes_of_type(std::string_view cpp);

}  // namespace tuner::cli
