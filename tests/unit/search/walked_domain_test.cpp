#include "search/walked_domain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace tuner::search {
namespace {

// `many` parameters of ten values each beside these: far too many to list.
space::Space large_space(int many) {
  space::Space space;
  const auto add = [&](std::string name, std::vector<Value> values, const char* when = nullptr) {
    space::Param param{std::move(name), std::move(values), std::nullopt};
    if (when != nullptr) param.when = space::Expr::parse(when);
    space.params.push_back(std::move(param));
  };
  const auto n = [](std::int64_t value) { return Value{value}; };
  add("kind", {n(0), n(1)});
  add("size", {n(32), n(64), n(128), n(256)});
  add("width", {n(1), n(2), n(4), n(8)}, "kind == 1");
  for (int i = 0; i < many; ++i) {
    std::vector<Value> values;
    for (std::int64_t value = 0; value < 10; ++value) values.push_back(n(value));
    add("p" + std::to_string(i), std::move(values));
  }
  space.constraints = {{space::Expr::parse("kind == 0 || size * width <= 512"), ""}};
  if (many > 0) space.constraints.push_back({space::Expr::parse("p0 + p1 == 9"), ""});
  return space;
}

TEST(WalkedDomain, DrawsLegalPointsOfASpaceThatNobodyCanList) {
  const space::Space space = large_space(20);
  const WalkedDomain domain(space, {}, {});
  Random random(1);
  std::set<Point> seen;
  for (int i = 0; i < 200; ++i) {
    const auto point = domain.draw(random);
    ASSERT_TRUE(point);
    EXPECT_EQ(space.why_illegal({}, config_of(domain.axes(), *point)), std::nullopt);
    EXPECT_TRUE(domain.contains(*point));
    seen.insert(*point);
  }
  EXPECT_EQ(seen.size(), 200U);
}

TEST(WalkedDomain, DrawsEachWithAboutTheSameChance) {
  const space::Space space = large_space(0);
  const WalkedDomain domain(space, {}, {});
  Random random(1);
  std::map<Point, int> counts;
  for (int i = 0; i < 20000; ++i) ++counts[*domain.draw(random)];
  EXPECT_EQ(counts.size(), space.all({}).size());
  // A parameter that is not there has no values to choose from: half of the draws are of kind 0.
  for (const auto& [point, count] : counts) {
    const double expected = point[0] == 0 ? 20000 * 16 / 29.0 / 4 : 20000 * 13 / 29.0 / 13;
    EXPECT_NEAR(count, expected, 0.3 * expected) << config_of(domain.axes(), point).label();
  }
}

TEST(WalkedDomain, KnowsWhatIsLegal) {
  const space::Space space = large_space(0);
  const WalkedDomain domain(space, {}, {{"size", {std::int64_t{64}, std::int64_t{256}}}},
                            [](const Config& config) { return *config.find("kind") != Value{std::int64_t{0}}; });
  EXPECT_TRUE(domain.contains({1, 3, 1}));
  EXPECT_FALSE(domain.contains({1, 3, 2})) << "256 * 4 is over 512";
  EXPECT_FALSE(domain.contains({1, 2, 1})) << "not asked for";
  EXPECT_FALSE(domain.contains({0, 3, inactive})) << "forbidden";
  EXPECT_FALSE(domain.contains({1, 3, inactive}));
}

TEST(WalkedDomain, HasTheNeighboursOfAListedOne) {
  const space::Space space = large_space(0);
  const WalkedDomain walked(space, {}, {});
  std::vector<Point> points;
  space.for_each({}, {}, [&](const Config& config) {
    points.push_back(*point_of(axes_of(space), config));
    return true;
  });
  const ListedDomain listed(axes_of(space), points);
  Random random(1);
  const auto without_width = [](std::vector<Point> of) {
    for (Point& point : of)
      if (point[0] == 1) point[2] = 0;
    std::sort(of.begin(), of.end());
    return of;
  };
  for (const Point& point : {Point{1, 1, 2}, Point{1, 3, 1}}) {
    auto a = walked.neighbours(point, random), b = listed.neighbours(point, random);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    EXPECT_EQ(a, b);
  }
  // Which width stands for the other kind is drawn.
  EXPECT_EQ(without_width(walked.neighbours({0, 3, inactive}, random)),
            without_width(listed.neighbours({0, 3, inactive}, random)));
}

TEST(WalkedDomain, GivesUpWhereNothingIsLegal) {
  space::Space space = large_space(8);
  space.constraints.push_back({space::Expr::parse("p7 < 0"), ""});
  const WalkedDomain domain(space, {}, {});
  Random random(1);
  EXPECT_EQ(domain.draw(random), std::nullopt);
}

}  // namespace
}  // namespace tuner::search
