// The texts a person sees: what, where (the column) and the hint.
#include <gtest/gtest.h>

#include <cctype>
#include <ostream>

#include "space/expr.h"
#include "space/scope.h"

namespace tuner::space {
namespace {

struct Case {
  const char* text;
  const char* what;
  int column;
  const char* hint;
};

// Part of the test's name: letters and digits only.
void PrintTo(const Case& c, std::ostream* out) {
  for (const char* p = c.what; *p != '\0'; ++p)
    if (std::isalnum(static_cast<unsigned char>(*p)) != 0) *out << *p;
}

class ExprErrors : public testing::TestWithParam<Case> {};

Scope faulty_scope() {
  Scope scope;
  scope.set("M", std::int64_t{4096});
  scope.set("block_size", std::int64_t{256});
  scope.set("big", std::int64_t{INT64_MAX});
  scope.set("vec", Name{"vec"});
  scope.set_inactive("unroll");
  scope.set_let("loop", Expr::parse("1 + loop"));
  return scope;
}

TEST_P(ExprErrors, Text) {
  const Case& c = GetParam();
  try {
    (void)Expr::parse(c.text).evaluate(faulty_scope());
    FAIL() << c.text << " should fail";
  } catch (const ExprError& fault) {
    EXPECT_EQ(std::string(fault.what()), c.what);
    EXPECT_EQ(fault.column(), c.column) << c.text;
    EXPECT_EQ(fault.where(), "column " + std::to_string(c.column));
    EXPECT_EQ(fault.hint(), c.hint);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ExprErrors,
    testing::Values(
        Case{"", "the expression is empty in ''", 1, ""},
        Case{"1 +", "the expression ends too early, expected a value in '1 +'", 4, ""},
        Case{"1 2", "unexpected '2' in '1 2'", 3, ""},
        Case{"M = 2", "unexpected '=' in 'M = 2'", 3, "use '==' to compare"},
        Case{"M / 2", "unexpected '/' in 'M / 2'", 3, "use '//' for integer division"},
        Case{"M & 2", "unexpected '&' in 'M & 2'", 3, "use '&&'"},
        Case{"M | 2", "unexpected '|' in 'M | 2'", 3, "use '||'"},
        Case{"M === 2", "unexpected '===' in 'M === 2'", 3, "use '=='"},
        Case{"M ** 2", "unexpected '**' in 'M ** 2'", 3, "use pow2(n) for powers of two"},
        Case{"1 << 3", "unexpected '<<' in '1 << 3'", 3, "use '* pow2(n)'"},
        Case{"vec == \"vec\"", "unexpected '\"' in 'vec == \"vec\"'", 8, "names are written without quotes"},
        Case{"1 < 2 and 2 < 3", "unexpected 'and' in '1 < 2 and 2 < 3'", 7, "use '&&'"},
        Case{"not vec", "unexpected 'not', expected a value in 'not vec'", 1, "use '!'"},
        Case{"1.5", "numbers are integers, '.' is not allowed in '1.5'", 2, ""},
        Case{"0x10", "'0x10' is not a decimal integer in '0x10'", 1, ""},
        Case{"9223372036854775808", "the integer 9223372036854775808 does not fit 64 bits in '9223372036854775808'", 1,
             ""},
        Case{"M + \xC3\xA9", "unexpected '\xC3\xA9' in 'M + \xC3\xA9'", 5, ""},
        Case{"(1, 2)", "unexpected ',' in '(1, 2)'", 3, "a list stands only after 'in'"},
        Case{"M in [1]", "unexpected '[' in 'M in [1]'", 6, "lists are written with round brackets: x in (1, 2)"},
        Case{"M in 1", "unexpected '1', expected '(' and a list after 'in' in 'M in 1'", 6, ""},
        Case{"true ? 1", "the expression ends too early, expected ':' in 'true ? 1'", 9, ""},
        Case{"min", "'min' is a function in 'min'", 1, "write min(...)"},
        Case{"mim(1, 2)", "unknown function 'mim' in 'mim(1, 2)'", 1, "did you mean 'min'?"},
        Case{"ceil_div(1)", "ceil_div takes 2 arguments, not 1 in 'ceil_div(1)'", 1, ""},
        Case{"log2(1, 2)", "log2 takes 1 argument, not 2 in 'log2(1, 2)'", 1, ""},
        Case{"min(1)", "min takes at least 2 arguments, not 1 in 'min(1)'", 1, ""},
        Case{"1 + blok_size", "unknown name 'blok_size' in '1 + blok_size'", 5, "did you mean 'block_size'?"},
        Case{"M // 0", "division by zero in 'M // 0'", 3, ""},
        Case{"M % (M - M)", "division by zero in 'M % (M - M)'", 3, ""},
        Case{"ceil_div(M, 0)", "division by zero in 'ceil_div(M, 0)'", 1, ""},
        Case{"-7 // 2", "'//' takes non-negative integers, not -7 in '-7 // 2'", 4, ""},
        Case{"7 % -2", "'%' takes non-negative integers, not -2 in '7 % -2'", 3, ""},
        Case{"big + 1", "the result of '+' does not fit 64 bits in 'big + 1'", 5, ""},
        Case{"-big - 2", "the result of '-' does not fit 64 bits in '-big - 2'", 6, ""},
        Case{"big * 2", "the result of '*' does not fit 64 bits in 'big * 2'", 5, ""},
        Case{"-(-big - 1)", "the result of '-' does not fit 64 bits in '-(-big - 1)'", 1, ""},
        Case{"pow2(63)", "the result of 'pow2' does not fit 64 bits in 'pow2(63)'", 1, ""},
        Case{"pow2(-1)", "pow2 takes a non-negative integer, not -1 in 'pow2(-1)'", 1, ""},
        Case{"log2(0)", "log2 takes a positive integer, not 0 in 'log2(0)'", 1, ""},
        Case{"1 + true", "'+' takes integers, not the boolean true in '1 + true'", 3, ""},
        Case{"1 && true", "'&&' takes booleans, not the integer 1 in '1 && true'", 3, ""},
        Case{"!vec in (vec)", "'!' takes booleans, not the name 'vec' in '!vec in (vec)'", 1,
             "write !(...) around a comparison"},
        Case{"1 < 2 < 3", "'<' takes integers, not the boolean true in '1 < 2 < 3'", 7, ""},
        Case{"vec == 3", "'==' compares the name 'vec' with the integer 3 in 'vec == 3'", 5, ""},
        Case{"1 ? 2 : 3", "'?:' takes booleans, not the integer 1 in '1 ? 2 : 3'", 3, ""},
        Case{"unroll + 1", "'unroll' is inactive here in 'unroll + 1'", 1,
             "an inactive parameter has no value; ask for its 'when' first"},
        Case{"loop", "'loop' uses itself in '1 + loop'", 5, ""}));

TEST(ExprErrors, WrongKindOfResult) {
  EXPECT_THROW(Expr::parse("true").integer(faulty_scope()), ExprError);
  EXPECT_THROW((void)Expr::parse("1").truth(faulty_scope()), ExprError);
  EXPECT_THROW((void)Expr::parse("vec").truth_if_active(faulty_scope()), ExprError);
}

TEST(ExprErrors, PlaceInAFile) {
  const Origin origin{"k.yaml", 12, 20, true};
  try {
    (void)Expr::parse("M // 0", origin).integer(faulty_scope());
    FAIL();
  } catch (const ExprError& fault) {
    EXPECT_EQ(fault.where(), "k.yaml:12:22");
  }
  try {
    (void)Expr::parse("M /", origin);
    FAIL();
  } catch (const ExprError& fault) {
    EXPECT_EQ(fault.where(), "k.yaml:12:22");
  }
}

TEST(ExprErrors, DeepInputsAreRefused) {
  const auto refused = [](const std::string& text) { EXPECT_THROW(Expr::parse(text), ExprError); };
  constexpr int deep = 100'000;
  refused(std::string(deep, '(') + "1" + std::string(deep, ')'));
  refused(std::string(deep, '-') + "1");
  refused(std::string(deep, '!') + "true");
  std::string sum = "1";
  std::string choice = "1";
  for (int i = 0; i < deep; ++i) {
    sum += "+1";
    choice = "true?1:" + choice;
    if (choice.size() > 10'000) break;
  }
  for (int i = 0; i < deep; ++i) sum += "+1";
  refused(sum);
  refused(choice);
  EXPECT_EQ(Expr::parse(std::string(150, '(') + "1" + std::string(150, ')')).integer(Scope{}), 1);
}

}  // namespace
}  // namespace tuner::space
