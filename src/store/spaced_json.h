// How the text files of this folder write JSON that stands on one line.
#pragma once

#include <string>
#include <string_view>

namespace tuner::store {

// Compact JSON with a space after each comma and colon.
std::string spaced_json(std::string_view compact);

}  // namespace tuner::store
