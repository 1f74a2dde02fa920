// How Value and Dim3 stand in JSON, for the .cpp files of this folder; texts, so that the JSON library stays out of
// headers.
#pragma once

#include <string>
#include <string_view>

#include "core/value.h"

namespace tuner {

// 128, true, "vec".
std::string json_text(const Value& value);
// A JSON string literal of `text`, invalid UTF-8 replaced.
std::string json_string(std::string_view text);

}  // namespace tuner
