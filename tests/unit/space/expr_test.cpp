#include "space/expr.h"

#include <gtest/gtest.h>

#include "space/scope.h"

namespace tuner::space {
namespace {

Scope sample() {
  Scope scope;
  scope.set("M", std::int64_t{4096});
  scope.set("N", std::int64_t{14336});
  scope.set("block_size", std::int64_t{256});
  scope.set("flag", true);
  scope.set("vec", Name{"vec"});
  scope.set("warp", Name{"warp"});
  scope.set("f16", Name{"f16"});
  scope.set("f32", Name{"f32"});
  scope.set("variant", Name{"vec"});
  scope.set("y", Name{"f16"});
  scope.set_inactive("unroll");
  return scope;
}

std::int64_t integer(const char* text) { return Expr::parse(text).integer(sample()); }
bool truth(const char* text) { return Expr::parse(text).truth(sample()); }

TEST(Expr, Arithmetic) {
  EXPECT_EQ(integer("1 + 2 * 3"), 7);
  EXPECT_EQ(integer("(1 + 2) * 3"), 9);
  EXPECT_EQ(integer("7 - 2 - 1"), 4);
  EXPECT_EQ(integer("100 // 7 // 2"), 7);
  EXPECT_EQ(integer("100 % 7 * 2"), 4);
  EXPECT_EQ(integer("-3 + 5"), 2);
  EXPECT_EQ(integer("2 - -3"), 5);
  EXPECT_EQ(integer("ceil_div(N, block_size)"), 56);
  EXPECT_EQ(integer("ceil_div(N + 1, block_size)"), 57);
  EXPECT_EQ(integer("ceil_div(0, 4)"), 0);
  EXPECT_EQ(integer("min(3, 1, 2)"), 1);
  EXPECT_EQ(integer("max(3, 1, 5, 2)"), 5);
  EXPECT_EQ(integer("pow2(0)"), 1);
  EXPECT_EQ(integer("pow2(62)"), std::int64_t{1} << 62);
  EXPECT_EQ(integer("log2(1)"), 0);
  EXPECT_EQ(integer("log2(1023)"), 9);
  EXPECT_EQ(integer("log2(1024)"), 10);
  EXPECT_EQ(integer("010"), 10);
  EXPECT_EQ(integer("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(integer("-9223372036854775807 - 1"), INT64_MIN);
}

TEST(Expr, Precedence) {
  EXPECT_TRUE(truth("1 + 1 == 2 && 2 * 2 < 5"));
  EXPECT_TRUE(truth("true || false && false"));
  EXPECT_FALSE(truth("(true || false) && false"));
  EXPECT_TRUE(truth("1 < 2 == true"));
  EXPECT_TRUE(truth("!false && flag"));
  EXPECT_TRUE(truth("block_size * 2 in (512, 1024)"));
  EXPECT_TRUE(truth("block_size in (512, 1024) == false"));
  EXPECT_EQ(integer("false ? 1 : true ? 2 : 3"), 2);
  EXPECT_EQ(integer("true ? false ? 1 : 2 : 3"), 2);
  EXPECT_EQ(integer("1 + 1 == 2 ? 10 : 20"), 10);
}

TEST(Expr, Names) {
  EXPECT_TRUE(truth("variant == vec"));
  EXPECT_TRUE(truth("variant != warp"));
  EXPECT_TRUE(truth("variant in (warp, vec)"));
  EXPECT_FALSE(truth("variant in (warp)"));
  EXPECT_EQ(integer("y == f32 ? 4 : 2"), 2);
  EXPECT_EQ(Expr::parse("variant").evaluate(sample()), Value{Name{"vec"}});
  EXPECT_EQ(Expr::parse("variant == vec ? M * 2 : min(N, 3)").names(),
            (std::set<std::string>{"M", "N", "variant", "vec"}));
}

TEST(Expr, ShortCircuit) {
  EXPECT_FALSE(truth("false && 1 // 0 == 1"));
  EXPECT_TRUE(truth("true || nothing_known"));
  EXPECT_EQ(integer("true ? 1 : 1 // 0"), 1);
  EXPECT_TRUE(truth("variant in (vec, unroll)"));
  EXPECT_FALSE(truth("variant == warp && unroll == 2"));
}

TEST(Expr, Inactive) {
  EXPECT_THROW(truth("unroll == 2"), InactiveError);
  EXPECT_THROW(integer("max(unroll, 2)"), InactiveError);
  EXPECT_THROW(truth("variant == vec && unroll == 2"), InactiveError);
  EXPECT_THROW(integer("unroll == 2 ? 1 : 2"), InactiveError);
  EXPECT_EQ(Expr::parse("unroll == 2").truth_if_active(sample()), std::nullopt);
  EXPECT_EQ(Expr::parse("block_size == 256").truth_if_active(sample()), true);
}

TEST(Expr, Lets) {
  Scope scope = sample();
  scope.set_let("rows", Expr::parse("block_size // 32"));
  scope.set_let("blocks", Expr::parse("ceil_div(M, rows)"));
  EXPECT_EQ(Expr::parse("blocks + 1").integer(scope), 513);
  scope.set("block_size", std::int64_t{512});
  EXPECT_EQ(Expr::parse("blocks + 1").integer(scope), 257);
  scope.set_let("lost", Expr::parse("unroll * 2"));
  EXPECT_EQ(Expr::parse("lost > 2").truth_if_active(scope), std::nullopt);
  EXPECT_EQ(scope.find("rows", 1), Value{std::int64_t{16}});
  EXPECT_EQ(scope.find("absent", 1), std::nullopt);
  EXPECT_THROW((void)scope.find("unroll", 1), InactiveError);
}

TEST(Expr, LetsThatExplodeEnd) {
  Scope scope;
  scope.set_let("a0", Expr::parse("1"));
  for (int i = 1; i < 16; ++i) {
    std::string sum = "a" + std::to_string(i - 1);
    for (int k = 0; k < 5; ++k) sum += " + a" + std::to_string(i - 1);
    scope.set_let("a" + std::to_string(i), Expr::parse(sum));
  }
  EXPECT_THROW(Expr::parse("a15").integer(scope), ExprError);
}

TEST(Expr, ManyScopeNames) {
  Scope scope;
  for (int i = 0; i < 1000; ++i) scope.set("name" + std::to_string(i), std::int64_t{i});
  scope.set("name500", std::int64_t{-1});
  EXPECT_EQ(scope.find("name999", 1), Value{std::int64_t{999}});
  EXPECT_EQ(scope.find("name500", 1), Value{std::int64_t{-1}});
  EXPECT_EQ(scope.names().size(), 1000U);
}

TEST(Expr, Bind) {
  const Scope all = sample();
  Scope known;
  for (const char* name : {"variant", "vec", "warp", "block_size"}) known.set(name, *all.find(name, 1));
  known.set_let("rows", Expr::parse("block_size // 32"));
  const Expr bound = Expr::parse("variant == vec ? ceil_div(M, rows) : 1 // 0").bind(known);
  EXPECT_EQ(bound.names(), std::set<std::string>{"M"});
  EXPECT_EQ(bound.integer(all), 512);
  EXPECT_TRUE(Expr::parse("variant == warp && M > 3").bind(known).names().empty());
  known.set_inactive("unroll");
  EXPECT_THROW(Expr::parse("M > 3 || unroll == 2").bind(known), InactiveError);
  EXPECT_FALSE(Expr::parse("variant == warp && unroll == 2").bind(known).truth(known));
}

}  // namespace
}  // namespace tuner::space
