// A C++ or CUDA text cut where comments, literals and lines of the preprocessor begin and end, before any macro is put
// in. What else reads sources by eye reads these.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::compile {

struct CodePiece {
  enum class Kind { code, comment, literal, raw_literal } kind = Kind::code;
  bool in_directive = false;
  std::size_t begin = 0, end = 0;
};

// All of the text, in order.
std::vector<CodePiece> code_pieces(std::string_view text);

// Both keep every position and every end of a line.

// With blanks for comments and raw literals, which alone hold lines that are none.
std::string comments_blanked(std::string_view text);

// What is neither comment, literal nor directive: brackets balance in it. Literals keep their quotes; a directive
// becomes `directives` all along, which as '#' nothing else does.
std::string plain_code(std::string_view text, char directives = ' ');

}  // namespace tuner::compile
