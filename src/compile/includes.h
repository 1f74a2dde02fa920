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
// Every `#include <name>`, likewise.
std::vector<IncludeLine> angle_includes_of(std::string_view text);
// Whether the source or a header that travels with it has such a line.
bool has_angle_includes(const Source& source);

// Where a header that a quoted name means is looked for.
struct IncludePlaces {
  std::vector<std::string> folders;  // of the kernel
  std::vector<std::string> outside;  // the compiler reads what is found only here by itself
  bool compiler_has_others = false;  // headers of its own may stand in quotes
};

// Everything that `text` (of the file `path`) includes, and what that includes, each name once. Throws UserError for a
// missing one with `path:line`, and for one name that means two files.
std::vector<Header> include_closure(std::string_view text, const std::string& path, const IncludePlaces& places);

// A hash of every file in `outside` that these texts include, and of what those include there; empty when there is
// none. Files are read once in a process as long as they do not change.
std::string outside_hash(const std::vector<std::string_view>& texts, const std::vector<std::string>& outside);

// Where a name lies in these folders; empty: nowhere.
std::string find_include(const std::string& name, const std::vector<std::string>& folders);

// The text with every known header in place of its include line. One with #pragma once comes once.
std::string inline_headers(std::string_view text, const std::vector<Header>& headers);

}  // namespace tuner::compile
