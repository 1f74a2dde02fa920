// What a source defines although it stands in front of it, and what is said of what cannot.
#include "compile/own_defines.h"

#include <gtest/gtest.h>

#include "compile/log_hint.h"
#include "compile_fixture.h"

namespace tuner::compile {
namespace {

std::vector<std::string> own_names(std::string_view text) {
  std::vector<std::string> all;
  for (const OwnDefine& one : own_defines(text, {"BX", "BY"})) all.push_back(one.name + ":" + std::to_string(one.line));
  return all;
}

TEST(OwnDefines, ThoseThatNoConditionGuards) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(own_names("#define BX 32\n # define BY(x) x\n#define BXY 1\n"), (Names{"BX:1", "BY:2"}));
  EXPECT_EQ(own_names("#ifndef BX\n#if 1\n#define BX 32\n#endif\n#endif\n"), Names{});
  EXPECT_EQ(own_names("#if !defined(BX)\n#define BX 32\n#endif\n#if ! defined BY\n#define BY 1\n#endif"), Names{});
  EXPECT_EQ(own_names("#ifdef BX\n#else\n#define BX 32\n#endif\n"), Names{});
  EXPECT_EQ(own_names("#ifndef BX\n#else\n#define BX 32\n#endif\n"), Names{"BX:3"});
  EXPECT_EQ(own_names("#ifndef BY\n#endif\n#define BX 32\n"), Names{"BX:3"});
  EXPECT_EQ(own_names("// #define BX 1\n/*\n#define BX 1\n*/ const char* s = R\"(\n#define BX 1\n)\";\n"), Names{});
  EXPECT_EQ(own_names("#undef BX\n#define BX 32\n"), Names{});
  EXPECT_EQ(own_names("#define A \\\n  1\nconst char* s = \"//\"; int n = 1'000;\n#define BX 32\n"), Names{"BX:4"});
}

TEST(OwnDefines, ConstantsOfIntegerTypes) {
  using Names = std::vector<std::string>;
  for (const char* own : {"constexpr int BX = 32;",
                          "const int BX = 8 * 4;",
                          "static constexpr unsigned BX{32};",
                          "inline constexpr std::size_t BX = sizeof(float);",
                          "const unsigned long long BX = 1ull << 3;",
                          "__device__ constexpr auto BX = 32;",
                          "int const BX = OTHER / 2;",
                          "namespace a { constexpr int BX = 1; }",
                          "extern \"C\" { void f() { int i = '{'; } const int BX = 2; }",
                          "#define O {\nconstexpr int BX = 1;",
                          "const char* brace = \"{\";\nconst int BX = 2;",
                          "const int A = f(1, 2), BX = 4;",
                          "constexpr int A{1}, BX{2};",
                          "const int *A = 0, BX = 32;",
                          "template <class T> void f() { constexpr int BX = sizeof(T); }",
                          "void f() { const unsigned BX = 4 * WARP; }",
                          "struct S { int f() { const int BX = 2; } };",
                          "int main() { { const int BX{1 << 8}; } }",
                          "enum { A, BX };",
                          "enum Size : int { BX = 32, };",
                          "typedef enum { BX = 1 } Size;",
                          "void f() { enum { BX = sizeof(int) }; }"})
    EXPECT_EQ(own_names(own).size(), 1u) << own;
  for (const char* none : {"constexpr float BX = 32;",
                           "int BX = 32;",
                           "const int *BX = 0;",
                           "void f() { const int BX = threads; }",
                           "void f() { const int BX = blockDim.x; }",
                           "void f() { int BX = 32; }",
                           "void f(const int BX) { g(BX); }",
                           "void f() { for (const int BX = 3;;) g(); }",
                           "enum class E { BX = 32 };",
                           "enum E { BX = f<3>(a.b) };",
                           "enum {\n#ifndef BX\nBX = 32,\n#endif\nA };",
                           "const int BX[] = {1, 2};",
                           "void f(int a = BX, int b = 3);",
                           "struct S { static constexpr int BX = 32; };",
                           "const int A[] = {BX};",
                           "// constexpr int BX = 32;",
                           "#ifndef BX\nconstexpr int BX = 32;\n#endif",
                           "const int BXY = 3;",
                           "__constant__ int BX = 3;",
                           "const int A = BX;",
                           "constexpr double BX = 1.5;",
                           "const int BX = f(\"a\");"})
    EXPECT_EQ(own_names(none), Names{}) << none;
  EXPECT_EQ(own_names("#include <a>\n\nconstexpr int BX = 32;\n#define BY 3\n"), (Names{"BX:3", "BY:4"}));
  EXPECT_EQ(without_own_defines("int a;  constexpr int BX = 32; int b;\n", {"BX"}), "int a;   int b;\n");
  EXPECT_EQ(without_own_defines("constexpr int\n  BX = 32;  // wide\nint b;\n", {"BX"}), "\n  // wide\nint b;\n");
}

// What stands beside it in the declaration stays, and keeps its value.
TEST(OwnDefines, GoOutOfADeclarationOfSeveral) {
  const std::string three = "constexpr int BX = 32, BY = 8, BZ{4};  // tile";
  EXPECT_EQ(without_own_defines(three, {"BX"}), "constexpr int          BY = 8, BZ{4};  // tile");
  EXPECT_EQ(without_own_defines(three, {"BY"}), "constexpr int BX = 32        , BZ{4};  // tile");
  EXPECT_EQ(without_own_defines(three, {"BZ"}), "constexpr int BX = 32, BY = 8       ;  // tile");
  EXPECT_EQ(without_own_defines(three, {"BX", "BY"}), "constexpr int                  BZ{4};  // tile");
  EXPECT_EQ(without_own_defines(three, {"BZ", "BX"}), "constexpr int          BY = 8       ;  // tile");
  EXPECT_EQ(without_own_defines(three, {"BX", "BY", "BZ"}), "  // tile");
  EXPECT_EQ(without_own_defines("const int BX = 1,  // x\n  BY = 2;\n", {"BX"}),
            "const int          // x\n  BY = 2;\n");
  EXPECT_EQ(without_own_defines("enum { BX = 32, NEXT, BY = 8 };", {"BX", "BY"}),
            "enum {          NEXT = BX + 1         };");
  EXPECT_EQ(without_own_defines("enum { A, BX, BY, C, D };", {"BX", "BY"}), "enum { A        , C = BY + 1, D };");
  EXPECT_EQ(without_own_defines("enum { BX = 32, BY = 8, };\nint a;", {"BX", "BY"}), "\nint a;");
  EXPECT_EQ(without_own_defines("enum Size { BX = 32, } s;", {"BX"}), "enum Size {          } s;");
  EXPECT_EQ(own_names("enum {\n  BX = 32,\n\n  BY\n};"), (std::vector<std::string>{"BX:2", "BY:4"}));
}

// A dimension is no macro: a constant of a function is not in its way.
TEST(OwnDefines, WhatIsFixedStandsAtFileScope) {
  const auto fixed = [](std::string_view text) { return fixed_defines(text, {"n"}).size(); };
  EXPECT_EQ(fixed("int main() { const int n = 1 << 20; }"), 0u);
  EXPECT_EQ(fixed("const int n = 1 << 20;"), 1u);
  EXPECT_EQ(fixed("#ifndef n\n#define n 3\n#endif"), 1u);
  EXPECT_EQ(fixed("enum { m, n };"), 1u);
}

TEST(OwnDefines, GoAndLeaveLinesAndComments) {
  EXPECT_EQ(without_own_defines("int a;\n#define BX \\\n  32  /* of\n a warp */\nint b;\n", {"BX"}),
            "int a;\n" + std::string(12, ' ') + "\n      /* of\n a warp */\nint b;\n");
  EXPECT_EQ(without_own_defines("#define BX 32 // a\n#define BZ \"BX\"", {"BX"}),
            "              // a\n#define BZ \"BX\"");
  EXPECT_EQ(without_own_defines("int a;\n #define BX 1\n#define BY \\\n 2\nint b;\n#define BX 3", {"BY", "BX"}),
            "int a;\n\n\n\nint b;\n");
}

TEST(LogHint, NamesWhatIsInTheWay) {
  Source source;
  source.name = "own.cu";
  const auto hint = [&](const std::string& body, const std::string& log = "expected an identifier") {
    source.text = "#define BX 32\n#line 1 \"own.cu\"\n" + body;
    return log_hint(source, log);
  };
  EXPECT_EQ(hint("int a;\nconstexpr int BX = 32;\n"),
            "hint: own.cu:2 declares 'BX', which is a macro in front of the source: take the declaration out, or put "
            "#ifndef BX around it");
  for (const char* body : {"static const unsigned BX{4};", "int BX;"}) EXPECT_NE(hint(body), "") << body;
  for (const char* body : {"int n = 4 * BX;", "return BX;", "// int BX = 3;", "int x = BX == 4;", "int BXY = 1;"})
    EXPECT_EQ(hint(body), "") << body;
  const std::string nvcc =
      hint("#include <cstdio>\n", "own.cu(1): catastrophic error: cannot open source file \"cstdio\"");
  EXPECT_NE(nvcc.find("`compiler: nvcc`"), std::string::npos);
  EXPECT_EQ(hint("void f() { k<<<1, 1>>>(); }\n"), nvcc);
  source.nvcc = true;
  EXPECT_EQ(hint("void f() { k<<<1, 1>>>(); }\n"), "");
  Artifact artifact;
  artifact.reason = Reason::compile_error;
  artifact.log = "an error";
  source.text = "#define BX 32\n#line 1 \"own.cu\"\nint BX;\n";
  EXPECT_NE(with_hint(artifact, source).log.find("an error\nhint: own.cu:1 declares"), std::string::npos);
  artifact.reason = Reason::none;
  EXPECT_EQ(with_hint(artifact, source).log, "an error");
}

}  // namespace
}  // namespace tuner::compile
