// 128-bit content hashes as 32 hexadecimal digits (XXH3, seed 0; the same on every machine).
#pragma once

#include <string>
#include <string_view>

namespace tuner {

std::string content_hash(std::string_view bytes);

}  // namespace tuner
