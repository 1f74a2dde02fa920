// What a source defines itself although it stands in front of it. Private to compile/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tuner::compile {

struct OwnDefine {
  std::string name;
  int line = 0;                    // from 1
  std::size_t begin = 0, end = 0;  // of the directive in the text, with its continued lines
};

// Every `#define NAME`, of one of `names`, outside comments that would replace what stands in front. Left out are those
// that `#ifndef NAME` or `!defined(NAME)` guards, and the names that the text undefines: its author means it.
std::vector<OwnDefine> own_defines(std::string_view text, const std::vector<std::string>& names);

// The text without them; every line keeps its number, comments stay.
std::string without_own_defines(std::string_view text, const std::vector<std::string>& names);

}  // namespace tuner::compile
