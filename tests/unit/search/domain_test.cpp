#include "search/domain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "unit/search/domains.h"

namespace tuner::search::test {
namespace {

TEST(Axis, RanksNumbersBySizeAndNamesByPlace) {
  EXPECT_EQ(numbers("n", {16, 8, 32}).ranks(), (std::vector<int>{1, 0, 2}));
  EXPECT_EQ(names("n", {"b", "a"}).ranks(), (std::vector<int>{0, 1}));
}

TEST(Point, IsAConfigurationWithoutWhatIsInactive) {
  const auto axes = sample_axes();
  const Config config = config_of(axes, {0, 1, 2, inactive});
  EXPECT_EQ(config.label(), "kind=plain size=64 rows=3");
  EXPECT_EQ(point_of(axes, config), (Point{0, 1, 2, inactive}));
  EXPECT_EQ(point_of(axes, config_from_json(R"({"kind":"plain","size":65})")), std::nullopt);
  EXPECT_EQ(point_of(axes, config_from_json(R"({"kind":"plain","other":64})")), std::nullopt);
}

TEST(ListedDomain, DrawsEveryPoint) {
  const ListedDomain domain(sample_axes(), sample_points());
  Random random(1);
  std::set<Point> seen;
  for (int i = 0; i < 5000; ++i) seen.insert(*domain.draw(random));
  EXPECT_EQ(seen.size(), sample_points().size());
}

TEST(ListedDomain, NeighboursDifferInOneParameter) {
  const ListedDomain domain(sample_axes(), sample_points());
  Random random(1);
  const Point here{1, 3, 4, 2};
  int sizes = 0, rows = 0, widths = 0, kinds = 0;
  for (const Point& point : domain.neighbours(here, random)) {
    EXPECT_TRUE(domain.contains(point));
    sizes += point[1] != here[1] ? 1 : 0;
    rows += point[2] != here[2] ? 1 : 0;
    if (point[0] != here[0])
      ++kinds;
    else
      widths += point[3] != here[3] ? 1 : 0;
  }
  EXPECT_EQ(sizes, 7);
  EXPECT_EQ(rows, 7);
  EXPECT_EQ(widths, 3);
  EXPECT_EQ(kinds, 1);
}

// Of the other kind there is no width: any of those that are alike in all else stands for them.
TEST(ListedDomain, AParameterThatDecidesOverOthersHasANeighbour) {
  const ListedDomain domain(sample_axes(), sample_points());
  Random random(1);
  const auto from_wide = domain.neighbours({1, 3, 4, 2}, random);
  EXPECT_EQ(std::count(from_wide.begin(), from_wide.end(), Point{0, 3, 4, inactive}), 1);
  std::set<int> widths;
  for (int i = 0; i < 100; ++i)
    for (const Point& point : domain.neighbours({0, 3, 4, inactive}, random))
      if (point[0] == 1) {
        EXPECT_EQ((Point{point[1], point[2]}), (Point{3, 4}));
        widths.insert(point[3]);
      }
  EXPECT_EQ(widths.size(), 4U) << "any of those that are alike";
}

}  // namespace
}  // namespace tuner::search::test
