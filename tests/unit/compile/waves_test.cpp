// Waves, their tail and Little's law, on the question why y = A x of 1024 x 1024 is slower, for its size, than of
// 2048 x 2048 on a T4.
#include "compile/waves.h"

#include <gtest/gtest.h>

#include "core/artifact.h"
#include "spec/kernel_spec.h"
#include "spec/resolve.h"

namespace tuner::compile {
namespace {

GpuFacts t4() {
  GpuFacts gpu = gpu_of_arch(75);
  gpu.name = "Tesla T4";
  gpu.sm_count = 40;
  gpu.memory_bus_bits = 256;
  gpu.memory_clock_khz = 5001000;
  return gpu;
}

KernelAttributes attributes_of(int registers) {
  KernelAttributes kernel;
  kernel.registers = registers;
  return kernel;
}

Step grid_of(std::int64_t blocks) {
  Step step;
  step.entry = "gemv";
  step.grid = {blocks, 1, 1};
  step.block = {256, 1, 1};
  return step;
}

// A warp a row, 256 threads a block, one 4-byte load a thread: the profiler showed 63 % and 81 % of the bandwidth.
TEST(Waves, AWarpARowHasTooFewBytesInFlightAt1024) {
  const Step small = grid_of(1024 / 8);
  const Step large = grid_of(2048 / 8);
  const Occupancy occupancy = compile::occupancy(attributes_of(32), small, t4());
  EXPECT_EQ(occupancy.blocks_per_sm, 4);
  const auto at_1024 = waves_of(small, occupancy, t4());
  const auto at_2048 = waves_of(large, occupancy, t4());
  ASSERT_TRUE(at_1024 && at_2048);
  EXPECT_EQ(at_1024->blocks, 128);
  EXPECT_EQ(at_1024->at_once, 160);
  EXPECT_DOUBLE_EQ(at_1024->waves, 0.8);
  EXPECT_NEAR(at_1024->tail, 0.2, 1e-12);
  EXPECT_DOUBLE_EQ(at_1024->blocks_an_sm, 3.2);
  EXPECT_EQ(at_1024->most_an_sm, 4);
  EXPECT_DOUBLE_EQ(at_2048->waves, 1.6);
  EXPECT_NEAR(at_2048->tail, 0.4, 1e-12);
  EXPECT_DOUBLE_EQ(at_2048->blocks_an_sm, 4);

  const auto little_1024 = in_flight(*at_1024, small, 4, 0, t4());
  const auto little_2048 = in_flight(*at_2048, large, 4, 0, t4());
  ASSERT_TRUE(little_1024 && little_2048);
  EXPECT_FALSE(little_1024->measured);
  EXPECT_NEAR(little_1024->gb_per_s, 320.06, 0.01);
  EXPECT_NEAR(little_1024->needed_an_sm, 5121, 1);  // 320 GB/s x 640 ns / 40
  EXPECT_DOUBLE_EQ(little_1024->bytes_an_sm, 3.2 * 256 * 4);
  EXPECT_DOUBLE_EQ(little_2048->bytes_an_sm, 4 * 256 * 4.0);
  EXPECT_NEAR(little_1024->bytes_an_sm / little_1024->needed_an_sm, 0.63, 0.02);
  EXPECT_NEAR(little_2048->bytes_an_sm / little_2048->needed_an_sm, 0.81, 0.02);
}

TEST(Waves, TheLastOfManyIsNearlyFull) {
  const Step step = grid_of(8192);
  const auto waves = waves_of(step, occupancy(attributes_of(32), step, t4()), t4());
  ASSERT_TRUE(waves);
  EXPECT_DOUBLE_EQ(waves->waves, 51.2);
  EXPECT_NEAR(waves->tail, 0.8, 1e-12);
  const Step whole = grid_of(320);
  EXPECT_EQ(waves_of(whole, occupancy(attributes_of(32), whole, t4()), t4())->tail, 0);
}

TEST(Waves, NothingIsSaidWithoutAGpu) {
  const Step step = grid_of(128);
  GpuFacts gpu = gpu_of_arch(75);
  EXPECT_FALSE(waves_of(step, occupancy(attributes_of(32), step, gpu), gpu));
  EXPECT_FALSE(waves_of(step, Occupancy{}, t4()));
  const auto waves = waves_of(step, occupancy(attributes_of(32), step, t4()), t4());
  EXPECT_FALSE(in_flight(*waves, step, 0, 0, t4()));
  gpu = t4();
  gpu.memory_clock_khz = 0;
  EXPECT_FALSE(in_flight(*waves, step, 4, 0, gpu));
  EXPECT_TRUE(in_flight(*waves, step, 4, 280, gpu)->measured);
}

// The kernels' own figures.
TEST(Waves, GemvSaysWhatAThreadHasInFlight) {
  const spec::KernelSpec kernel = spec::read_kernel(TUNER_SOURCE_DIR "/kernel_templates/gemv_f32.yaml");
  const auto bytes = [&](const space::Partial& wanted, std::int64_t n) {
    const Problem problem = spec::make_problem(kernel, {n, n}, {}, "test");
    const auto config = kernel.space.complete(spec::base_scope(kernel, problem, t4()), wanted);
    return config ? spec::bytes_in_flight(kernel, problem, *config, t4()) : -1;
  };
  const space::Partial warp{{"variant", {Name{"warp"}}}, {"warps_per_row", {std::int64_t{1}}}};
  EXPECT_EQ(bytes(warp, 1024), 32);
  EXPECT_EQ(bytes(warp, 128), 4);
  EXPECT_EQ(bytes({{"variant", {Name{"naive"}}}}, 1024), 4);
  EXPECT_EQ(bytes({{"variant", {Name{"shared"}}}}, 1024), 4);
  const space::Partial vec{{"variant", {Name{"vec"}}},
                           {"rows_per_warp", {std::int64_t{2}}},
                           {"warps_per_row", {std::int64_t{4}}},
                           {"vector_width", {std::int64_t{4}}},
                           {"unroll", {std::int64_t{4}}}};
  EXPECT_EQ(bytes(vec, 4096), 128);
  EXPECT_EQ(bytes(vec, 1024), 64);  // a lane has two vectors of a row
}

// Two passes over rows of 131072 f16: the published figure for 232 blocks at once and 48 MB of L2 is two thirds.
TEST(Reread, RowsOf256KbDoNotWaitInL2) {
  GpuFacts gpu = gpu_of_arch(89);
  gpu.sm_count = 58;
  gpu.l2_bytes = 48 << 20;
  Waves waves;
  waves.blocks = 1024;
  waves.at_once = 232;
  const auto wide = reread(waves, 2 * 131072, false, gpu);
  ASSERT_TRUE(wide);
  EXPECT_DOUBLE_EQ(wide->waiting, 232.0 * 262144);
  EXPECT_DOUBLE_EQ(wide->all, 1024.0 * 262144);
  EXPECT_TRUE(wide->spills());
  EXPECT_FALSE(reread(waves, 2 * 8192, false, gpu)->spills());
  // A later launch finds what all blocks have read.
  EXPECT_EQ(reread(waves, 2 * 32768, false, gpu)->blocks, 232);
  EXPECT_FALSE(reread(waves, 2 * 32768, false, gpu)->spills());
  EXPECT_TRUE(reread(waves, 2 * 32768, true, gpu)->spills());
  EXPECT_FALSE(reread(waves, 0, false, gpu));
}

}  // namespace
}  // namespace tuner::compile
