#include "compile/occupancy.h"

#include <gtest/gtest.h>

#include <climits>
#include <cstdint>

#if __has_include(<cuda_occupancy.h>)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include <cuda_occupancy.h>
#pragma GCC diagnostic pop
#define HAVE_CUDA_OCCUPANCY 1
#endif

namespace tuner::compile {
namespace {

KernelAttributes kernel_of(int registers, std::int64_t shared = 0, int max_threads = 0) {
  KernelAttributes kernel;
  kernel.entry = "k";
  kernel.registers = registers;
  kernel.static_shared_bytes = shared;
  kernel.max_threads = max_threads;
  return kernel;
}

Step launch_of(std::int64_t threads, std::int64_t shared = 0) {
  Step step;
  step.entry = std::string("k");
  step.grid = {100, 1, 1};
  step.block = {threads, 1, 1};
  step.shared_bytes = shared;
  return step;
}

std::optional<Verdict> verdict(const KernelAttributes& kernel, const Step& step, int arch = 90) {
  Artifact artifact;
  artifact.kernels = {kernel};
  Execution execution;
  execution.steps = {step};
  return cannot_run(artifact, execution, gpu_of_arch(arch));
}

TEST(Occupancy, KnownValuesOnSm90) {
  const auto gpu = gpu_of_arch(90);
  const auto by_registers = occupancy(kernel_of(40, 20480), launch_of(256), gpu);
  EXPECT_EQ(by_registers.blocks_per_sm, 6);
  EXPECT_EQ(by_registers.limiter, "registers");
  EXPECT_DOUBLE_EQ(by_registers.occupancy, 0.75);
  const auto by_shared = occupancy(kernel_of(32, 20000), launch_of(128), gpu);
  EXPECT_EQ(by_shared.blocks_per_sm, 11);
  EXPECT_EQ(by_shared.limiter, "shared memory");
  const auto by_warps = occupancy(kernel_of(32), launch_of(1024), gpu);
  EXPECT_EQ(by_warps.blocks_per_sm, 2);
  EXPECT_EQ(by_warps.limiter, "warps");
  EXPECT_DOUBLE_EQ(by_warps.occupancy, 1);
  const auto by_blocks = occupancy(kernel_of(16), launch_of(32), gpu);
  EXPECT_EQ(by_blocks.blocks_per_sm, 32);
  EXPECT_EQ(by_blocks.limiter, "blocks");
  EXPECT_DOUBLE_EQ(by_blocks.occupancy, 0.5);
}

TEST(Occupancy, PartOfAWarpCountsWhole) {
  EXPECT_EQ(occupancy(kernel_of(32), launch_of(33), gpu_of_arch(75)).blocks_per_sm,
            occupancy(kernel_of(32), launch_of(64), gpu_of_arch(75)).blocks_per_sm);
}

TEST(CannotRun, WhatFitsRuns) { EXPECT_FALSE(verdict(kernel_of(32), launch_of(1024, 65536))); }

TEST(CannotRun, NamesTheLimitAndWhatWasNeeded) {
  const auto expect = [](const std::optional<Verdict>& got, Reason reason, const std::string& detail) {
    ASSERT_TRUE(got);
    EXPECT_EQ(got->reason, reason);
    EXPECT_EQ(got->detail, detail);
  };
  expect(verdict(kernel_of(255), launch_of(512)), Reason::registers,
         "255 registers a thread x 512 threads take 131072, a block may have 65536");
  expect(verdict(kernel_of(32, 1024), launch_of(128, 232448)), Reason::shared_memory,
         "233472 bytes of shared memory a block (1024 static, 232448 dynamic), at most 232448 are allowed");
  expect(verdict(kernel_of(32), launch_of(128, 65537), 75), Reason::shared_memory,
         "65537 bytes of shared memory a block (0 static, 65537 dynamic), at most 65536 are allowed");
  expect(verdict(kernel_of(32), launch_of(1025)), Reason::threads,
         "a block of 1025 x 1 x 1 threads, allowed are 1 to 1024 in all");
  expect(verdict(kernel_of(32, 0, 256), launch_of(512)), Reason::threads,
         "512 threads a block, 'k' was compiled for at most 256");
  Step square = launch_of(64);
  square.block.y = 32;
  expect(verdict(kernel_of(32), square), Reason::threads, "2048 threads a block, at most 1024 are allowed");
  Step deep = launch_of(1);
  deep.block.z = 65;
  expect(verdict(kernel_of(32), deep), Reason::threads, "block z is 65, at most 64 is allowed");
  Step tall = launch_of(32);
  tall.grid.y = 65536;
  expect(verdict(kernel_of(32), tall), Reason::grid, "grid y is 65536, allowed are 1 to 65535");
  Step none = launch_of(32);
  none.grid.x = 0;
  expect(verdict(kernel_of(32), none), Reason::grid, "grid x is 0, allowed are 1 to 2147483647");
}

TEST(CannotRun, LooksAtEveryLaunchAndAtNoMemset) {
  Artifact artifact;
  artifact.kernels = {kernel_of(32)};
  Execution execution;
  Step memset;
  memset.kind = Step::Kind::memset;
  memset.grid.x = 0;
  execution.steps = {memset, launch_of(128), launch_of(2000)};
  ASSERT_TRUE(cannot_run(artifact, execution, gpu_of_arch(90)));
  execution.steps.pop_back();
  EXPECT_FALSE(cannot_run(artifact, execution, gpu_of_arch(90)));
}

TEST(CannotRun, WhatTheHostDeviceCannotHoldIsRejectedThere) {
  Artifact artifact;
  artifact.kernels.push_back(KernelAttributes{});
  artifact.kernels.back().entry = "k<1>";
  artifact.host_index = 0;
  Execution execution;
  Step& step = execution.steps.emplace_back();
  step.entry = "k<1>";
  step.cluster = {2, 1, 1};
  step.grid = {64, 3, 1};
  step.block = {128, 1, 1};
  const auto detail = [&] {
    const auto verdict = cannot_run(artifact, execution, gpu_of_arch(90));
    return verdict ? verdict->detail : std::string();
  };
  EXPECT_EQ(detail(), "");
  step.cooperative = true;
  EXPECT_EQ(detail(), "");  // 24576 threads
  step.grid.z = 2;
  EXPECT_EQ(detail(),
            "cannot be checked on the host device: the cooperative launch of 'k<1>' has 64 x 3 x 2 blocks of 128 "
            "threads, and 24576 threads are the most that live at once there");
  step.cooperative = false;
  EXPECT_EQ(detail(), "");
}

#ifdef HAVE_CUDA_OCCUPANCY

cudaOccDeviceProp properties_of(const GpuFacts& gpu) {
  cudaOccDeviceProp p;
  p.computeMajor = gpu.arch / 10;
  p.computeMinor = gpu.arch % 10;
  p.maxThreadsPerBlock = gpu.max_threads_per_block;
  p.maxThreadsPerMultiprocessor = gpu.max_threads_per_sm;
  p.regsPerBlock = gpu.registers_per_block;
  p.regsPerMultiprocessor = gpu.registers_per_sm;
  p.warpSize = gpu.warp_size;
  p.sharedMemPerBlock = static_cast<size_t>(gpu.shared_per_block);
  p.sharedMemPerMultiprocessor = static_cast<size_t>(gpu.shared_per_sm);
  p.numSms = 1;
  p.sharedMemPerBlockOptin = static_cast<size_t>(gpu.shared_max);
  p.reservedSharedMemPerBlock = static_cast<size_t>(gpu.reserved_shared_per_block);
  return p;
}

// Blocks by NVIDIA's header; -1 where it refuses the input.
int expected_blocks(const KernelAttributes& kernel, const Step& launch, const GpuFacts& gpu) {
  const auto properties = properties_of(gpu);
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = INT_MAX;
  attributes.numRegs = kernel.registers;
  attributes.sharedSizeBytes = static_cast<size_t>(kernel.static_shared_bytes);
  attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = static_cast<size_t>(launch.shared_bytes);
  attributes.numBlockBarriers = 1;
  const cudaOccDeviceState state;
  cudaOccResult result;
  const auto status = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes, &state,
                                                              static_cast<int>(launch.block.x),
                                                              static_cast<size_t>(launch.shared_bytes));
  return status == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : -1;
}

TEST(Occupancy, AgreesWithNvidiasHeader) {
  std::uint64_t state = 1;
  const auto draw = [&](int from, int to) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return from + static_cast<int>((state >> 33) % static_cast<std::uint64_t>(to - from + 1));
  };
  int compared = 0;
  int zero = 0;
  for (const int arch : {75, 80, 86, 87, 89, 90, 100, 103, 120, 121}) {
    const auto gpu = gpu_of_arch(arch);
    for (int i = 0; i < 20000; ++i) {
      const bool much_shared = draw(0, 1) == 1;
      const auto kernel = kernel_of(draw(8, 255), draw(0, 3) == 0 ? 0 : draw(0, 49152));
      const auto launch =
          launch_of(draw(0, 1) == 0 ? draw(1, 1024) : draw(1, 32) * 32, much_shared ? draw(0, 240000) : draw(0, 4096));
      const int expected = expected_blocks(kernel, launch, gpu);
      ASSERT_GE(expected, 0) << arch;
      ASSERT_EQ(occupancy(kernel, launch, gpu).blocks_per_sm, expected)
          << arch << ": " << kernel.registers << " registers, " << launch.block.x << " threads, "
          << kernel.static_shared_bytes << " + " << launch.shared_bytes << " shared";
      const auto bad = verdict(kernel, launch, arch);
      ASSERT_EQ(bad.has_value(), expected == 0) << (bad ? bad->detail : "no verdict");
      ++compared;
      zero += expected == 0 ? 1 : 0;
    }
  }
  EXPECT_EQ(compared, 200000);
  EXPECT_GT(zero, 1000);
  EXPECT_LT(zero, 190000);
}

#endif

std::string refusal(Step step, int arch, int sm_count = 0, KernelAttributes kernel = kernel_of(32)) {
  Artifact artifact;
  artifact.kernels = {std::move(kernel)};
  Execution execution;
  execution.steps = {std::move(step)};
  GpuFacts gpu = gpu_of_arch(arch);
  gpu.sm_count = sm_count;
  const auto verdict = cannot_run(artifact, execution, gpu);
  return verdict ? std::string(to_text(verdict->reason)) + ": " + verdict->detail : "";
}

Step clustered(Dim3 cluster, Dim3 grid) {
  Step step = launch_of(128);
  step.cluster = cluster;
  step.grid = grid;
  return step;
}

TEST(CannotRun, ClustersTheGpuDoesNotTake) {
  EXPECT_EQ(refusal(clustered({8, 1, 1}, {64, 1, 1}), 90), "");
  EXPECT_EQ(refusal(clustered({4, 2, 2}, {64, 2, 2}), 90), "") << "16, which is opted in to";
  EXPECT_EQ(refusal(clustered({2, 1, 1}, {64, 1, 1}), 86),
            "grid: a cluster of 2 x 1 x 1 blocks: sm_86 has no clusters, sm_90 is the first");
  EXPECT_EQ(refusal(clustered({16, 1, 1}, {64, 1, 1}), 120),
            "grid: a cluster of 16 x 1 x 1 blocks, allowed are 1 to 8 in all");
  EXPECT_EQ(refusal(clustered({4, 8, 1}, {64, 8, 1}), 90),
            "grid: a cluster of 4 x 8 x 1 blocks, at most 16 in all are allowed");
  EXPECT_EQ(refusal(clustered({1, std::int64_t{1} << 62, 4}, {64, 1, 1}), 90),
            "grid: a cluster of 1 x 4611686018427387904 x 4 blocks, allowed are 1 to 16 in all");
  EXPECT_EQ(refusal(clustered({8, 1, 1}, {60, 1, 1}), 90),
            "grid: a cluster of 8 x 1 x 1 blocks does not divide the grid of 60 x 1 x 1");
}

TEST(CannotRun, ACooperativeGridThatIsNotResidentAsAWhole) {
  Step step = launch_of(1024);
  step.cooperative = true;
  step.grid = {264, 1, 1};
  EXPECT_EQ(refusal(step, 90, 132), "");
  step.grid = {265, 1, 1};
  EXPECT_EQ(refusal(step, 90, 132),
            "grid: a cooperative grid of 265 x 1 x 1 blocks, 264 are resident at once (2 a multiprocessor, limited by "
            "warps)");
  EXPECT_EQ(refusal(step, 90), "") << "of an architecture alone nothing is known";
  step.shared_bytes = 200000;
  step.grid = {133, 1, 1};
  EXPECT_EQ(refusal(step, 90, 132),
            "grid: a cooperative grid of 133 x 1 x 1 blocks, 132 are resident at once (1 a multiprocessor, limited by "
            "shared memory)");
  step.cooperative = false;
  EXPECT_EQ(refusal(step, 90, 132), "");
}

}  // namespace
}  // namespace tuner::compile
