// `constexpr int BLOCK = 256;` at file scope, read by eye.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::compile {

struct FileConstant {
  std::string name;
  std::string value;               // as written, without white space around it
  int line = 0;                    // from 1
  std::size_t begin = 0, end = 0;  // of the declaration, with its semicolon
  std::size_t name_at = 0;
};

// Those of an integer type, `const` or `constexpr`, one name a declaration, outside all braces but those of namespaces.
// `code` has blanks in the place of its comments.
std::vector<FileConstant> file_constants(std::string_view code);

}  // namespace tuner::compile
