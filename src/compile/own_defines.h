// What a source defines itself although it stands in front of it: macros, and constants of integer types at file scope.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tuner::compile {

// The text with comments and raw literals, which alone hold lines that are none, as blanks of the same length.
std::string comments_blanked(std::string_view text);

struct OwnDefine {
  std::string name;
  int line = 0;                    // from 1
  std::size_t begin = 0, end = 0;  // of the directive, with its continued lines, or of the declaration
};

// Every `#define NAME` and every `constexpr int NAME = ...;`, of one of `names`, outside comments that would replace or
// break what stands in front. Left out are those that `#ifndef NAME` or `!defined(NAME)` guards, and the names that the
// text undefines: its author means it. With `guarded` all of them.
std::vector<OwnDefine> own_defines(std::string_view text, const std::vector<std::string>& names, bool guarded = false);

// The text without them; every line keeps its number, comments stay.
std::string without_own_defines(std::string_view text, const std::vector<std::string>& names);

}  // namespace tuner::compile
