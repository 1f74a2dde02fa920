#include "compile/bare_code.h"

#include <gtest/gtest.h>

namespace tuner::compile {
namespace {

TEST(BareCode, LeavesCommentsAndWhiteSpaceOut) {
  EXPECT_EQ(bare_code("int a = 1;  // one\n/* two\n three */ int b;\n"), "inta=1;intb;");
  EXPECT_EQ(bare_code("int a=1;intb;"), bare_code("  int a =\t1 ; int b ;// x"));
  EXPECT_NE(bare_code("a + 1"), bare_code("a + 2"));
}

TEST(BareCode, KeepsLiterals) {
  EXPECT_EQ(bare_code("f(\"a // b\", 'c', \"\\\" /* \");  // x"), "f(\"a // b\",'c',\"\\\" /* \");");
  EXPECT_EQ(bare_code("R\"x(a\n // \" b)x\" ; // c"), "R\"x(a\n // \" b)x\";");
  EXPECT_EQ(bare_code("1'000'000 + 2 // x"), "1'000'000+2");
  EXPECT_EQ(bare_code("/* open"), "");
  EXPECT_EQ(bare_code("\"open"), "\"open");
}

TEST(BareYaml, LeavesCommentsAndWhiteSpaceOut) {
  EXPECT_EQ(bare_yaml("a: 1  # one\n# two\nb: [1, 2]\n"), "a:1b:[1,2]");
  EXPECT_EQ(bare_yaml("a: \"x # y\"  # z\n"), "a:\"x # y\"");
  EXPECT_EQ(bare_yaml("a: b#c\n"), "a:b#c");
}

}  // namespace
}  // namespace tuner::compile
