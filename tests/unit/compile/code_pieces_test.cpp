// Where comments, literals and directives begin and end.
#include "compile/code_pieces.h"

#include <gtest/gtest.h>

namespace tuner::compile {
namespace {

// "c" code, "/" comment, "'" literal, "R" raw literal; in capitals or doubled: in a directive.
std::string kinds(std::string_view text) {
  std::string all;
  std::size_t at = 0;
  for (const CodePiece& piece : code_pieces(text)) {
    EXPECT_EQ(piece.begin, at) << text;
    at = piece.end;
    EXPECT_LT(piece.begin, piece.end) << text;
    all += std::string_view("c/'R")[static_cast<std::size_t>(piece.kind)];
    if (piece.in_directive) all += '#';
  }
  EXPECT_EQ(at, text.size()) << text;
  return all;
}

TEST(CodePieces, CoverTheText) {
  EXPECT_EQ(kinds(""), "");
  EXPECT_EQ(kinds("int a; // b\nint c; /* d\n */ e"), "c/c/c");
  EXPECT_EQ(kinds("f(\"//\", '\"', '\\'', \"\\\"/*\") + 1"), "c'c'c'c'c");
  EXPECT_EQ(kinds("R\"(\")\" + u8R\"x()\")x\" + FOOR\"(\" b"), "RcRc'c");
  EXPECT_EQ(kinds("#define A \"#\" // b\n #  if 1 /* c\n */ + 2 \\\n + 3\nint d;"), "c#'#c#/#cc#/#c#c");
  EXPECT_EQ(kinds("// a \\\n still\nb"), "/c");
  EXPECT_EQ(kinds("1'000 + 0x1'f + L'a' + u8'b' + x'c'"), "c'c'c'");
  EXPECT_EQ(kinds("a # b"), "c");
}

TEST(CodePieces, OfDamagedText) {
  for (const char* text :
       {"\"", "'", "/*", "/", "R\"", "R\"(", "R\"x(a)\"", "#", "\\", "a\\\n", "1'", "\"a\\", "#\\\n", "/* *", "\"a\nb"})
    (void)kinds(text);
  EXPECT_EQ(plain_code("a \"b\nc"), "a \"\"\nc");
  EXPECT_EQ(plain_code("\""), "\"");
  EXPECT_EQ(plain_code("R\"\n"), "\" \n");
  EXPECT_EQ(plain_code("\"\\\n"), "\" \n");
}

TEST(CodePieces, KeepPositions) {
  const std::string text = "#define A 1 // x\nint b = '{'; /* y\n*/ f(\"C\", R\"(\n)\");\n#endif";
  EXPECT_EQ(plain_code(text, '#'), "############    \nint b = ' ';     \n   f(\" \", \"  \n \");\n######");
  EXPECT_EQ(plain_code(text), "                \nint b = ' ';     \n   f(\" \", \"  \n \");\n      ");
  EXPECT_EQ(comments_blanked(text), "#define A 1     \nint b = '{';     \n   f(\"C\",    \n  );\n#endif");
}

}  // namespace
}  // namespace tuner::compile
