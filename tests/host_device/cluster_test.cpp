// Blocks that live at once on the host device: clusters, their barrier and shared memory, and grids that meet.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "support.h"

namespace tuner::test {
namespace {

constexpr std::uint64_t every_order[] = {0, 1, 2, 3, 4, 17};

Launched run_together(const std::string& body, const std::function<void(Launch&)>& change) {
  Launch with;
  with.text = "#include \"tuner_cluster.cuh\"\nextern \"C\" __global__ void kernel(int* a) {\n" + body + "\n}\n";
  change(with);
  return launch(with);
}

void in_clusters_of_four(Launch& launch) {
  launch.grid = {8, 1, 1};
  launch.cluster = {4, 1, 1};
  launch.buffers = {8 * 32};
}

TEST(HostCluster, BlocksKnowTheirPlaceInIt) {
  const auto ran = run_together(
      "int b = blockIdx.x + gridDim.x * blockIdx.y;\n"
      "if (threadIdx.x == 0) a[b] = 100 * cluster_blocks() + cluster_rank();",
      [](Launch& l) {
        l.grid = {4, 4, 1}, l.cluster = {2, 2, 1}, l.buffers = {16};
      });
  ASSERT_EQ(ran.result.reason, Reason::none) << ran.result.detail;
  EXPECT_EQ(ran.buffers[0], (std::vector<int>{400, 401, 400, 401, 402, 403, 402, 403,  //
                                              400, 401, 400, 401, 402, 403, 402, 403}));
  const auto alone =
      run_together("a[blockIdx.x] = 100 * cluster_blocks() + cluster_rank(); cluster_sync();", [](Launch& l) {
        l.grid = {3, 1, 1}, l.buffers = {3};
      });
  EXPECT_EQ(alone.buffers[0], (std::vector<int>{100, 100, 100})) << alone.result.detail;
}

// Each block gives its static and its dynamic memory a value of its own, then reads those of all the others.
TEST(HostCluster, BlocksReadEachOthersSharedMemoryInEveryOrder) {
  for (const std::uint64_t seed : every_order) {
    const auto ran = run_together(
        "__shared__ int s[32]; extern __shared__ int d[];\n"
        "s[threadIdx.x] = blockIdx.x; d[31 - threadIdx.x] = threadIdx.x;\n"
        "cluster_sync();\n"
        "int sum = 0;\n"
        "for (unsigned r = 0; r < cluster_blocks(); ++r)\n"
        "  sum += 1000 * load_peer(s + (threadIdx.x + 1) % 32, r) + load_peer(d + threadIdx.x, r);\n"
        "a[blockIdx.x * 32 + threadIdx.x] = sum;\n"
        "cluster_sync();",
        [&](Launch& l) { in_clusters_of_four(l), l.shared_bytes = 128, l.order_seed = seed; });
    ASSERT_EQ(ran.result.reason, Reason::none) << ran.result.detail;
    for (int b = 0; b < 8; ++b)
      for (int t = 0; t < 32; ++t)
        ASSERT_EQ(ran.buffers[0][static_cast<std::size_t>(b * 32 + t)], 1000 * (b < 4 ? 6 : 22) + 4 * (31 - t)) << b;
  }
}

TEST(HostCluster, BlocksWriteEachOthersSharedMemoryInEveryOrder) {
  for (const std::uint64_t seed : every_order) {
    const auto ran = run_together(
        "struct alignas(16) Four { int x, y, z, w; };\n"
        "__shared__ Four got[4]; __shared__ long long pairs[4];\n"
        "cluster_sync();\n"
        "if (threadIdx.x < 4) {\n"
        "  store_peer(&got[cluster_rank()], threadIdx.x, Four{1, 2, (int)cluster_rank(), (int)threadIdx.x});\n"
        "  store_peer(&pairs[cluster_rank()], threadIdx.x, 7ll << 32 | cluster_rank());\n"
        "}\n"
        "cluster_arrive();\n"
        "a[blockIdx.x * 32 + threadIdx.x] = 0;\n"
        "cluster_wait();\n"
        "if (threadIdx.x < 4) a[blockIdx.x * 32 + threadIdx.x] = 100 * got[threadIdx.x].z + 10 * "
        "got[threadIdx.x].w + \n"
        "  got[threadIdx.x].y + (int)(pairs[threadIdx.x] >> 32) * 1000 + (int)pairs[threadIdx.x] * 10000;\n",
        [&](Launch& l) { in_clusters_of_four(l), l.order_seed = seed; });
    ASSERT_EQ(ran.result.reason, Reason::none) << ran.result.detail;
    for (int b = 0; b < 8; ++b)
      for (int t = 0; t < 4; ++t)
        ASSERT_EQ(ran.buffers[0][static_cast<std::size_t>(b * 32 + t)], 10000 * t + 7000 + 100 * t + 10 * (b % 4) + 2);
  }
}

Launched wrong(const std::string& body, std::uint64_t seed = 0) {
  return run_together(body, [&](Launch& l) { in_clusters_of_four(l), l.order_seed = seed; });
}

// In every order of the threads: a barrier is missing, and the detail says which.
void expect_missing_barrier(const std::string& body, const std::string& detail) {
  for (const std::uint64_t seed : every_order) {
    const auto ran = wrong(body, seed);
    EXPECT_EQ(ran.result.reason, Reason::missing_barrier) << seed;
    EXPECT_NE(ran.result.detail.find(detail), std::string::npos) << ran.result.detail;
  }
}

TEST(HostCluster, AMissingBarrierBeforePeersAreReadIsSaid) {
  expect_missing_barrier(
      "__shared__ int s; s = 1; __syncthreads();\n"
      "a[blockIdx.x] = load_peer(&s, (cluster_rank() + 1) % 4); cluster_sync();",
      "touches the shared memory of a block of its cluster that may not have begun");
}

TEST(HostCluster, AMissingBarrierBeforeABlockEndsIsSaid) {
  expect_missing_barrier(
      "__shared__ int s; s = 1; cluster_sync();\n"
      "a[blockIdx.x] = load_peer(&s, (cluster_rank() + 1) % 4);",
      "of a block of its cluster that may have ended");
}

TEST(HostCluster, ABarrierThatAThreadOrABlockMissesIsDivergence) {
  const auto thread = wrong("if (blockIdx.x == 5 && threadIdx.x == 7) return;\ncluster_sync();");
  EXPECT_EQ(thread.result.reason, Reason::divergent_barrier);
  EXPECT_EQ(thread.result.detail,
            "in block (4,0,0), thread (0,0,0) and others wait for threads that do not come: 127 of 128 at a cluster "
            "barrier (line 4), 1 left");
  const auto block = wrong("if (cluster_rank() != 2) cluster_sync();", 1);
  EXPECT_EQ(block.result.reason, Reason::divergent_barrier);
  EXPECT_NE(block.result.detail.find("96 of 128 at a cluster barrier (line 3), 32 left"), std::string::npos)
      << block.result.detail;
}

TEST(HostCluster, WaitingWithinABlockIsNamedAsTheCause) {
  const auto ran = wrong("if (cluster_rank() == 1 && threadIdx.x > 3) __syncthreads();\ncluster_sync();");
  EXPECT_EQ(ran.result.reason, Reason::divergent_barrier);
  EXPECT_NE(ran.result.detail.find("in block (1,0,0), thread (4,0,0)"), std::string::npos) << ran.result.detail;
  EXPECT_NE(ran.result.detail.find("28 of 32 at a block barrier (line 3), 4 of 32 at a cluster barrier"),
            std::string::npos)
      << ran.result.detail;
}

TEST(HostCluster, LanesOfAWarpArriveTogether) {
  const auto ran = wrong("if (blockIdx.x != 1 || threadIdx.x < 9)\ncluster_sync();\nelse\ncluster_sync();");
  EXPECT_EQ(ran.result.reason, Reason::divergent_barrier);
  EXPECT_EQ(ran.result.detail,
            "block (1,0,0) thread (9,0,0) arrives at the cluster barrier on another line than its warp");
  // Whole warps may.
  EXPECT_EQ(wrong("if (cluster_rank() == 1)\ncluster_sync();\nelse\ncluster_sync();").result.reason, Reason::none);
}

TEST(HostCluster, ArrivalsAndWaitsAlternate) {
  EXPECT_NE(wrong("cluster_arrive(); cluster_arrive();").result.detail.find("arrives at the cluster barrier again"),
            std::string::npos);
  EXPECT_NE(wrong("cluster_wait();").result.detail.find("has not arrived at it"), std::string::npos);
}

TEST(HostCluster, OnlySharedMemoryOfBlocksThatAreThereIsReached) {
  const auto detail = [](const std::string& what) {
    const auto ran = wrong("__shared__ int s[8]; cluster_sync(); if (threadIdx.x == 0) " + what + "; cluster_sync();");
    EXPECT_EQ(ran.result.reason, Reason::fault) << what;
    return ran.result.detail;
  };
  EXPECT_NE(detail("a[0] = load_peer(s, 4)").find("a block that its cluster does not have"), std::string::npos);
  EXPECT_NE(detail("a[0] = load_peer(a, 1)").find("not all in the shared memory of its block"), std::string::npos);
  EXPECT_NE(detail("store_peer(s + 8, 1, 3)").find("not all in the shared memory of its block"), std::string::npos);
  EXPECT_NE(detail("a[0] = load_peer((long long*)(s + 1), 1)").find("not a multiple of 8"), std::string::npos);
}

TEST(HostCluster, ClustersThatTheDriverRefusesAreRefused) {
  const auto detail = [](Dim3 grid, Dim3 cluster) {
    return run_together("", [&](Launch& l) { l.grid = grid, l.cluster = cluster; }).result.detail;
  };
  EXPECT_EQ(detail({6, 1, 1}, {4, 1, 1}), "a cluster of 4x1x1 blocks does not divide a grid of 6x1x1");
  EXPECT_EQ(detail({32, 1, 1}, {32, 1, 1}), "a cluster of 32x1x1 blocks; the limit is 16");
}

const std::string meets =
    "int* sums = a + 64; unsigned* arrived = (unsigned*)(a + 128);\n"
    "for (int round = 0; round < 3; ++round) {\n"
    "  if (threadIdx.x == 0) sums[blockIdx.x + 4 * (round % 2)] = blockIdx.x + round;\n"
    "  grid_sync(arrived);\n"
    "  int all = 0;\n"
    "  for (int b = 0; b < 4; ++b) all += sums[b + 4 * (round % 2)];\n"
    "  if (threadIdx.x == 0) a[4 * round + blockIdx.x] = all;\n"
    "}";

TEST(HostGrid, MeetsInEveryOrder) {
  for (const std::uint64_t seed : every_order) {
    const auto ran = run_together(meets, [&](Launch& l) {
      l.grid = {4, 1, 1}, l.block = {64, 1, 1}, l.buffers = {129}, l.cooperative = true, l.order_seed = seed;
    });
    ASSERT_EQ(ran.result.reason, Reason::none) << ran.result.detail;
    for (int i = 0; i < 12; ++i) ASSERT_EQ(ran.buffers[0][static_cast<std::size_t>(i)], 6 + 4 * (i / 4)) << seed;
  }
}

TEST(HostGrid, WhatCannotMeetIsSaid) {
  const auto plain = run_together(meets, [](Launch& l) { l.grid = {4, 1, 1}, l.buffers = {129}; });
  EXPECT_NE(plain.result.detail.find("waits for the whole grid, which is not launched cooperatively"),
            std::string::npos);
  const auto missed = run_together("if (blockIdx.x != 3)\ngrid_sync((unsigned*)a);", [](Launch& l) {
    l.grid = {4, 1, 1}, l.cooperative = true;
  });
  EXPECT_EQ(missed.result.reason, Reason::divergent_barrier);
  EXPECT_NE(missed.result.detail.find("96 of 128 at a barrier of the grid (line 4), 32 left"), std::string::npos)
      << missed.result.detail;
  const auto dirty =
      run_together("if (blockIdx.x == 0 && threadIdx.x == 0) a[0] = 3;\ngrid_sync((unsigned*)a);", [](Launch& l) {
        l.grid = {4, 1, 1}, l.cooperative = true;
      });
  EXPECT_NE(dirty.result.detail.find("a counter that was not 0 before the launch"), std::string::npos)
      << dirty.result.detail;
  const auto large = run_together("", [](Launch& l) {
    l.grid = {100, 1, 1}, l.block = {256, 1, 1}, l.cooperative = true;
  });
  EXPECT_EQ(large.result.detail, "100 blocks of 256 threads at once; the host device has 24576 threads");
}

}  // namespace
}  // namespace tuner::test
