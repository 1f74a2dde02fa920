// What a source defines itself although it stands in front of it: macros, and constants of integer types.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tuner::compile {

struct OwnDefine {
  std::string name;
  int line = 0;  // from 1
};

// Every `#define NAME`, `constexpr int NAME = ...` and enumerator NAME, of one of `names`, outside comments that would
// replace or break what stands in front. Left out are those that `#ifndef NAME` or `!defined(NAME)` guards, and the
// names that the text undefines: its author means it.
std::vector<OwnDefine> own_defines(std::string_view text, const std::vector<std::string>& names);

// Those at file scope, guarded or not: what `names` are where nothing stands in front.
std::vector<OwnDefine> fixed_defines(std::string_view text, const std::vector<std::string>& names);

// The text without its own defines; every line keeps its number, comments stay.
std::string without_own_defines(std::string_view text, const std::vector<std::string>& names);

}  // namespace tuner::compile
