// Real numbers, in metrics alone.
#include <gtest/gtest.h>

#include "space/expr.h"
#include "space/scope.h"

namespace tuner::space {
namespace {

Scope timed() {
  Scope scope;
  scope.set("M", std::int64_t{4096});
  scope.set("big", std::int64_t{INT64_MAX});
  scope.set("variant", Name{"vec"});
  scope.set("vec", Name{"vec"});
  scope.set_inactive("unroll");
  scope.set_let("time_us", Expr::real_constant(12.5));
  scope.set_let("rate", Expr::parse("M / time_us", {"k.yaml", 3, 9}, Numbers::reals));
  scope.set_let("loop", Expr::parse("1 / loop", {"k.yaml", 4, 9}, Numbers::reals));
  return scope;
}

double real(const char* text) { return Expr::parse(text, {"k.yaml", 7, 10}, Numbers::reals).real(timed()); }

TEST(Real, NumbersAndDivision) {
  EXPECT_DOUBLE_EQ(real("0.5"), 0.5);
  EXPECT_DOUBLE_EQ(real("1e12"), 1e12);
  EXPECT_DOUBLE_EQ(real("2.5E-3"), 2.5e-3);
  EXPECT_DOUBLE_EQ(real("1e+2 - 1"), 99);
  EXPECT_DOUBLE_EQ(real("7 / 2"), 3.5);
  EXPECT_DOUBLE_EQ(real("7 // 2"), 3);
  EXPECT_DOUBLE_EQ(real("M / time_us"), 327.68);
  EXPECT_DOUBLE_EQ(real("8 / 2 / 2"), 2);
  EXPECT_DOUBLE_EQ(real("2 * M * M / 2e6 + 1"), 17.777216);
  EXPECT_DOUBLE_EQ(real("-rate"), -327.68);
  EXPECT_DOUBLE_EQ(real("min(rate, 3, 0.25)"), 0.25);
  EXPECT_DOUBLE_EQ(real("max(1, 0.25)"), 1);
  EXPECT_DOUBLE_EQ(real("time_us > 12 ? 1.5 : 2"), 1.5);
  EXPECT_DOUBLE_EQ(real("4 == 8 / 2 && 0.5 != 0.25 ? 1 : 0"), 1);
  EXPECT_DOUBLE_EQ(real("12.5 in (1, time_us) ? 1 : 0"), 1);
  EXPECT_DOUBLE_EQ(real("variant == vec ? time_us : unroll"), 12.5);
}

struct Fault {
  const char* text;
  const char* what;
  const char* where;
};
class RealFaults : public testing::TestWithParam<Fault> {};

TEST_P(RealFaults, SayWhereTheyAre) {
  const Fault& fault = GetParam();
  try {
    const double value = real(fault.text);
    FAIL() << fault.text << " is " << value;
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()), std::string(fault.what) + " in '" + fault.text + "'");
    EXPECT_EQ(error.where(), fault.where);
  }
}

INSTANTIATE_TEST_SUITE_P(All, RealFaults,
                         testing::Values(Fault{"1 + M / (M - M)", "division by zero", "k.yaml:7:16"},
                                         Fault{"1e308 * 10", "the result of '*' is not finite", "k.yaml:7:16"},
                                         Fault{"1e999", "'1e999' is not a number", "k.yaml:7:10"},
                                         Fault{"big + 1", "the result of '+' does not fit 64 bits", "k.yaml:7:14"},
                                         Fault{"1.5 % 2", "'%' takes integers, not the number 1.5", "k.yaml:7:14"},
                                         Fault{"log2(time_us)", "'log2' takes integers, not the number 12.5",
                                               "k.yaml:7:10"},
                                         Fault{"vec / 2", "'/' takes numbers, not the name 'vec'", "k.yaml:7:14"},
                                         Fault{"1 < 2", "expected a number, got the boolean true", "k.yaml:7:10"},
                                         Fault{"unroll / 2", "'unroll' is inactive here", "k.yaml:7:10"},
                                         Fault{"1..5", "'1.' is not a number", "k.yaml:7:10"},
                                         Fault{"1e", "'1e' is not a number", "k.yaml:7:10"},
                                         Fault{"2.x", "'2.x' is not a number", "k.yaml:7:10"},
                                         Fault{"0x10", "'0x10' is not a decimal integer", "k.yaml:7:10"},
                                         Fault{"1 / / 2", "unexpected '/', expected a value", "k.yaml:7:14"}));

TEST(Real, IsNoPartOfOtherExpressions) {
  EXPECT_THROW(Expr::parse("1.5"), UserError);
  EXPECT_THROW(Expr::parse("1e3"), UserError);
  EXPECT_THROW(Expr::parse("M / 2"), UserError);
}

TEST(Real, AMetricThatUsesItselfIsFound) { EXPECT_THROW(real("loop"), UserError); }

}  // namespace
}  // namespace tuner::space
