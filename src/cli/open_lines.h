// What a manifest's author has still to say: comments that begin with TODO.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tuner::cli {

inline constexpr std::string_view open_mark = "# TODO ";

// FILE:LINE: TEXT of each.
std::vector<std::string> open_lines(std::string_view manifest, const std::string& path);

}  // namespace tuner::cli
