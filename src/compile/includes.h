// The files that a source includes in quotes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compile/render.h"

namespace tuner::compile {

struct IncludeLine {
  std::string name;
  int line = 0;  // from 1
};

// Every `#include "name"` outside comments, conditional or not, in order.
std::vector<IncludeLine> includes_of(std::string_view text);

// Everything that `text` (of the file `path`) includes, and what that includes, each name once. Throws UserError for a
// missing one with `path:line`, and for one name that means two files.
std::vector<Header> include_closure(std::string_view text, const std::string& path,
                                    const std::vector<std::string>& folders);

// The text with every known header in place of its include line. One with #pragma once comes once.
std::string inline_headers(std::string_view text, const std::vector<Header>& headers);

}  // namespace tuner::compile
