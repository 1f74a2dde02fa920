#include <gtest/gtest.h>

#include <set>

#include "space/space.h"

namespace tuner::space {
namespace {

using Item = std::pair<std::string, std::string>;

std::set<Item> values_in(const std::vector<Config>& configs) {
  std::set<Item> items;
  for (const Config& config : configs)
    for (const auto& [name, value] : config.params) items.emplace(name, to_text(value));
  return items;
}

std::set<std::pair<Item, Item>> pairs_in(const std::vector<Config>& configs) {
  std::set<std::pair<Item, Item>> pairs;
  for (const Config& config : configs)
    for (const auto& [a, x] : config.params)
      for (const auto& [b, y] : config.params)
        if (a < b) pairs.emplace(Item{a, to_text(x)}, Item{b, to_text(y)});
  return pairs;
}

Space sample_space() {
  Space space;
  const auto add = [&](std::string name, std::vector<std::int64_t> values, const char* when = nullptr) {
    Param p{std::move(name), {values.begin(), values.end()}, std::nullopt};
    if (when != nullptr) p.when = Expr::parse(when);
    space.params.push_back(std::move(p));
  };
  add("kind", {0, 1, 2});
  add("block", {32, 64, 128, 256});
  add("rows", {1, 2, 4, 8}, "kind > 0");
  add("width", {1, 2, 4, 8}, "kind == 2");
  add("stages", {1, 2, 3, 4, 5});
  space.constraints = {{Expr::parse("rows * block <= 1024"), "a"},
                       {Expr::parse("width * rows != 64"), "b"},
                       {Expr::parse("stages < 5 || kind == 2 && width == 8 && block == 32"), "c"}};
  return space;
}

TEST(Covering, EveryLegalPair) {
  const Space space = sample_space();
  const std::vector<Config> all = space.all(Scope{});
  const std::vector<Config> set = space.covering(Scope{}, 1000, 1);
  EXPECT_EQ(pairs_in(set), pairs_in(all));
  EXPECT_EQ(values_in(set), values_in(all));
  EXPECT_LT(set.size(), 40U);
  EXPECT_LT(set.size() * 4, all.size());
  for (const Config& config : set) EXPECT_EQ(space.why_illegal(Scope{}, config), std::nullopt);
}

TEST(Covering, ValuesFirstWhenTheLimitIsSmall) {
  const Space space = sample_space();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<Config> set = space.covering(Scope{}, 7, seed);
    EXPECT_EQ(set.size(), 7U);
    EXPECT_EQ(values_in(set), values_in(space.all(Scope{}))) << "seed " << seed;
  }
}

TEST(Covering, Deterministic) {
  const Space space = sample_space();
  EXPECT_EQ(space.covering(Scope{}, 30, 5), space.covering(Scope{}, 30, 5));
  EXPECT_NE(space.covering(Scope{}, 30, 5), space.covering(Scope{}, 30, 6));
}

TEST(Covering, SmallSpaces) {
  Space space;
  EXPECT_EQ(space.covering(Scope{}, 10, 1).size(), 1U);
  EXPECT_TRUE(space.covering(Scope{}, 0, 1).empty());
  space.params.push_back({"a", {std::int64_t{1}, std::int64_t{2}}, std::nullopt});
  EXPECT_EQ(space.covering(Scope{}, 10, 1).size(), 2U);
  space.constraints.push_back({Expr::parse("a > 2"), ""});
  EXPECT_TRUE(space.covering(Scope{}, 10, 1).empty());
}

TEST(Covering, NoTwoAreTheSame) {
  const Space space = sample_space();
  const std::vector<Config> set = space.covering(Scope{}, 1000, 3);
  std::set<std::string> labels;
  for (const Config& config : set) labels.insert(config.label());
  EXPECT_EQ(labels.size(), set.size());
}

}  // namespace
}  // namespace tuner::space
