#include "report/step_text.h"

#include <gtest/gtest.h>

namespace tuner::report {
namespace {

Step launch(std::int64_t pass = -1) {
  Step step;
  step.entry = "sort<256>";
  step.grid = {8, 1, 1};
  if (pass >= 0) step.values = {{"pass", pass}};
  return step;
}

TEST(StepText, SaysWhatALaunchHasBeyondItsGrid) {
  Step step = launch();
  EXPECT_EQ(launch_extras(step), "");
  EXPECT_EQ(launch_extras_json(step), "{}");
  step.cluster = {2, 1, 4};
  step.cooperative = true;
  step.arguments = {"A", "y"};
  step.values = {{"pass", 3}};
  EXPECT_EQ(launch_extras(step), " cluster 2x1x4 cooperative args A,y pass=3");
  EXPECT_EQ(launch_extras_json(step),
            R"({"cluster":[2,1,4],"cooperative":true,"arguments":["A","y"],"values":{"pass":3}})");
}

TEST(StepText, TurnsOfARepeatAreOneRun) {
  Step other = launch(2);
  other.grid.x = 9;
  const auto runs = runs_of({launch(0), launch(1), launch(2), other, launch(), launch()});
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].times, 3);
  EXPECT_TRUE(runs[0].step.values.empty()) << "they differ";
  EXPECT_EQ(runs[1].times, 1);
  EXPECT_EQ(runs[1].step.values, other.values);
  EXPECT_EQ(runs[2].times, 2);
}

}  // namespace
}  // namespace tuner::report
