#include "cli/explanation.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "spec/catalog.h"

namespace tuner::cli {
namespace {

report::Explanation explained(const Dim3& grid, const Dim3& block) {
  report::Explanation e;
  Step step;
  step.entry = "gone";
  step.grid = grid;
  step.block = block;
  e.trial.steps = {step};
  e.trial.registers = 32;
  e.gpu = gpu_of_arch(90);
  e.gpu.sm_count = 132;
  add_launch_facts(e, spec::Catalog::load({}));
  return e;
}

TEST(Explanation, ALaunchThatCannotBeHasNoOccupancy) {
  const auto possible = explained({1024, 1, 1}, {256, 1, 1});
  ASSERT_TRUE(possible.occupancy);
  EXPECT_TRUE(possible.waves);
  constexpr std::int64_t huge = std::int64_t{1} << 32;
  for (const Dim3& block : {Dim3{0, 1, 1}, Dim3{-32, 1, 1}, Dim3{huge, huge, 1}, Dim3{2048, 1, 1}})
    EXPECT_FALSE(explained({1024, 1, 1}, block).occupancy) << block.x;
  for (const Dim3& grid : {Dim3{0, 1, 1}, Dim3{huge, huge, 1}, Dim3{1, 65536, 1}})
    EXPECT_FALSE(explained(grid, {256, 1, 1}).occupancy) << grid.x;
}

}  // namespace
}  // namespace tuner::cli
