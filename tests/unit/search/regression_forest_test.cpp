#include "search/regression_forest.h"

#include <gtest/gtest.h>

namespace tuner::search {
namespace {

TEST(RegressionForest, LearnsWhichFeatureMatters) {
  Random random(1);
  std::vector<std::vector<int>> rows;
  std::vector<double> values;
  for (int i = 0; i < 60; ++i) {
    const std::vector<int> row{static_cast<int>(random.below(6)), static_cast<int>(random.below(6)), -1};
    values.push_back(row[0] >= 3 ? 5.0 : 1.0);
    rows.push_back(row);
  }
  const RegressionForest forest(rows, values, 20, random);
  for (int other = 0; other < 6; ++other) {
    EXPECT_NEAR(forest.at({0, other, -1}).mean, 1, 0.5);
    EXPECT_NEAR(forest.at({5, other, -1}).mean, 5, 0.5);
  }
}

TEST(RegressionForest, IsSureOfWhatAllTreesSay) {
  Random random(1);
  const RegressionForest same({{0}, {1}, {2}}, {4, 4, 4}, 20, random);
  EXPECT_DOUBLE_EQ(same.at({1}).mean, 4);
  EXPECT_DOUBLE_EQ(same.at({1}).deviation, 0);
  const RegressionForest apart({{0}, {1}, {2}}, {0, 10, 0}, 20, random);
  EXPECT_GT(apart.at({1}).deviation, 1);
}

TEST(RegressionForest, KnowsOneRow) {
  Random random(1);
  EXPECT_DOUBLE_EQ(RegressionForest({{3, 4}}, {2}, 5, random).at({0, 0}).mean, 2);
}

}  // namespace
}  // namespace tuner::search
