// What a launch on the host device gives: threads, barriers, warps, and each way in which it can go wrong.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <set>

#include "support.h"

namespace tuner::test {
namespace {

using device::Placement;

std::string kernel(const std::string& parameters, const std::string& body) {
  return "#include \"tuner_intrinsics.cuh\"\nextern \"C\" __global__ void kernel(" + parameters + ") {\n" + body +
         "\n}\n";
}

Launched run(const std::string& body, const std::function<void(Launch&)>& change = {}) {
  Launch with;
  with.text = kernel("int* a", body);
  if (change) change(with);
  return launch(with);
}

TEST(HostDevice, RunsEveryThreadOfEveryBlockOnce) {
  const auto ran =
      run("int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
          "int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);\n"
          "a[b * 24 + t] += 1 + b * 24 + t;",
          [](Launch& l) {
            l.grid = {2, 3, 5}, l.block = {4, 3, 2}, l.buffers = {720};
          });
  ASSERT_EQ(ran.result.reason, Reason::none) << ran.result.detail;
  std::vector<int> wanted(720);
  std::iota(wanted.begin(), wanted.end(), 1);
  EXPECT_EQ(ran.buffers[0], wanted);
}

TEST(HostDevice, BarriersOrderSharedMemoryInEveryOrderOfThreads) {
  for (const std::uint64_t seed : {0, 1, 2, 3, 4, 17}) {
    const auto ran =
        run("__shared__ int s[256]; int t = threadIdx.x; s[t] = t; __syncthreads();\n"
            "for (int h = 128; h > 0; h /= 2) { if (t < h) s[t] += s[t + h]; __syncthreads(); }\n"
            "if (t == 0) a[blockIdx.x] = s[0];",
            [&](Launch& l) {
              l.grid = {3, 1, 1}, l.block = {256, 1, 1}, l.buffers = {3}, l.order_seed = seed;
            });
    ASSERT_EQ(ran.result.reason, Reason::none) << ran.result.detail;
    EXPECT_EQ(ran.buffers[0], std::vector<int>(3, 255 * 128)) << seed;
  }
}

TEST(HostDevice, MissingBarrierDependsOnTheOrderOfThreads) {
  std::set<std::vector<int>> seen;
  for (const std::uint64_t seed : {0, 1, 2}) {
    const auto ran =
        run("__shared__ int s[256]; int t = threadIdx.x; s[t] = t; __syncthreads();\n"
            "for (int h = 128; h > 0; h /= 2) if (t < h) s[t] += s[t + h];\n"
            "if (t == 0) a[0] = s[0];",
            [&](Launch& l) {
              l.block = {256, 1, 1}, l.buffers = {1}, l.order_seed = seed;
            });
    seen.insert(ran.buffers[0]);
  }
  EXPECT_GT(seen.size(), 1u);
}

TEST(HostDevice, UnwrittenSharedMemoryDiffersBetweenOrders) {
  std::set<std::vector<int>> seen;
  for (const std::uint64_t seed : {0, 1, 2}) {
    const auto ran = run("__shared__ int s[32]; if (a[63] != 0) s[threadIdx.x] = 1; a[threadIdx.x] = s[threadIdx.x];",
                         [&](Launch& l) { l.order_seed = seed; });
    seen.insert(ran.buffers[0]);
  }
  EXPECT_EQ(seen.size(), 3u);
}

TEST(HostDevice, WarpOperationsMoveValuesBetweenLanes) {
  const std::string each = "int t = threadIdx.x; a[t] = ";
  const auto values = [&](const std::string& expression) {
    auto ran = run(each + expression + ";", [](Launch& l) {
      l.buffers = {64}, l.block = {64, 1, 1}, l.order_seed = 5;
    });
    EXPECT_EQ(ran.result.reason, Reason::none) << ran.result.detail;
    return ran.buffers.at(0);
  };
  const auto expect = [&](const std::string& expression, const std::function<int(int)>& wanted) {
    const auto got = values(expression);
    for (int t = 0; t < 64; ++t) EXPECT_EQ(got[static_cast<std::size_t>(t)], wanted(t)) << expression << " lane " << t;
  };
  expect("__shfl_sync(~0u, t, 5)", [](int t) { return t / 32 * 32 + 5; });
  expect("__shfl_sync(~0u, t, 1, 8)", [](int t) { return t / 8 * 8 + 1; });
  expect("__shfl_xor_sync(~0u, t, 3)", [](int t) { return t ^ 3; });
  expect("__shfl_down_sync(~0u, t, 4)", [](int t) { return t % 32 < 28 ? t + 4 : t; });
  expect("__shfl_down_sync(~0u, t, 2, 4)", [](int t) { return t % 4 < 2 ? t + 2 : t; });
  expect("__shfl_up_sync(~0u, t, 4)", [](int t) { return t % 32 >= 4 ? t - 4 : t; });
  expect("(int)__ballot_sync(~0u, t % 32 < 7)", [](int) { return 127; });
  expect("__all_sync(~0u, t < 32)", [](int t) { return t < 32; });
  expect("__any_sync(~0u, t == 3)", [](int t) { return t < 32; });
  expect("t % 32 < 16 ? __shfl_xor_sync(0xffffu, t, 1) : __shfl_sync(0xffff0000u, t, 20)",
         [](int t) { return t % 32 < 16 ? t ^ 1 : t / 32 * 32 + 20; });
  expect("__syncthreads_count(t % 2)", [](int) { return 32; });
  expect("(int)warp_sum((float)(t % 32))", [](int) { return 496; });
}

TEST(HostDevice, DynamicSharedMemoryHasTheLaunchsSize) {
  const std::string body =
      "extern __shared__ int s[];\ns[threadIdx.x] = threadIdx.x; __syncthreads(); a[threadIdx.x] = s[31 - "
      "threadIdx.x];";
  const auto ran = run(body, [](Launch& l) { l.shared_bytes = 128, l.buffers = {32}; });
  ASSERT_EQ(ran.result.reason, Reason::none) << ran.result.detail;
  EXPECT_EQ(ran.buffers[0][0], 31);
  const auto small = run(body, [](Launch& l) { l.shared_bytes = 124, l.buffers = {32}; });
  EXPECT_EQ(small.result.reason, Reason::out_of_bounds);
}

TEST(HostDevice, NamesTheBufferThatIsReadPastItsEnd) {
  const auto ran = run("b[0] = a[blockIdx.x * 32 + threadIdx.x];", [](Launch& l) {
    l.text = kernel("int* a, int* b", "b[threadIdx.x] = a[blockIdx.x * 32 + threadIdx.x];");
    l.buffers = {100, 32}, l.grid = {4, 1, 1};
  });
  EXPECT_EQ(ran.result.reason, Reason::out_of_bounds);
  EXPECT_EQ(ran.result.detail, "reads just past the end of 'a' (offset 400) in block (3,0,0) thread (4,0,0)");
}

TEST(HostDevice, NamesTheBufferThatIsWrittenBeforeItsStart) {
  const auto ran = run("a[(int)threadIdx.x - 3] = 1;", [](Launch& l) { l.placement = Placement::starts_at_fault; });
  EXPECT_EQ(ran.result.reason, Reason::out_of_bounds);
  EXPECT_EQ(ran.result.detail, "writes 12 bytes before the start of 'a' (offset -12) in block (0,0,0) thread (0,0,0)");
}

TEST(HostDevice, AFarAddressIsAFault) {
  const auto ran = run("if (threadIdx.x == 7) *(volatile int*)16 = 1;");
  EXPECT_EQ(ran.result.reason, Reason::fault);
  EXPECT_EQ(ran.result.detail, "writes address 0x10, in no buffer in block (0,0,0) thread (7,0,0)");
}

TEST(HostDevice, AMisalignedVectorLoadIsAFault) {
  const auto ran = run("a[threadIdx.x] = load_vector<CacheHint::none, 8>((const char*)(a + 1)).word[0];",
                       [](Launch& l) { l.placement = Placement::starts_at_fault; });
  EXPECT_EQ(ran.result.reason, Reason::fault);
  EXPECT_NE(ran.result.detail.find("not a multiple of 8"), std::string::npos) << ran.result.detail;
}

TEST(HostDevice, AThreadThatLeavesBeforeABarrierIsDivergence) {
  const auto ran = run("if (threadIdx.x >= 30) return;\n__syncthreads();\na[threadIdx.x] = 1;");
  EXPECT_EQ(ran.result.reason, Reason::divergent_barrier);
  EXPECT_EQ(
      ran.result.detail,
      "in block (0,0,0), thread (0,0,0) and others wait for threads that do not come: 30 of 32 at a block barrier "
      "(line 4), 2 left");
}

TEST(HostDevice, DifferentBarriersAreDivergence) {
  const auto ran = run("if (threadIdx.x % 2) {\n__syncthreads();\n} else {\n__syncthreads();\n}");
  EXPECT_EQ(ran.result.reason, Reason::divergent_barrier);
}

TEST(HostDevice, AWarpOperationThatALaneMissesIsDivergence) {
  const auto ran = run("if (threadIdx.x != 9) a[threadIdx.x] = __shfl_xor_sync(~0u, 1, 1);");
  EXPECT_EQ(ran.result.reason, Reason::divergent_barrier);
  EXPECT_NE(ran.result.detail.find("31 in a warp operation, 1 left"), std::string::npos) << ran.result.detail;
}

TEST(HostDevice, AnEndlessLoopEndsAtItsDeadline) {
  const auto started = device::Clock::now();
  const auto ran =
      run("volatile int on = 1; while (on) {}", [](Launch& l) { l.deadline = std::chrono::milliseconds(200); });
  EXPECT_EQ(ran.result.reason, Reason::timeout);
  EXPECT_FALSE(ran.result.device_lost);
  EXPECT_LT(device::Clock::now() - started, std::chrono::seconds(60));
}

TEST(HostDevice, AnEndlessLoopThatWaitsEndsAtItsDeadline) {
  const auto ran = run("volatile int on = 1; while (on) __syncthreads();",
                       [](Launch& l) { l.deadline = std::chrono::milliseconds(200); });
  EXPECT_EQ(ran.result.reason, Reason::timeout);
}

TEST(HostDevice, ATrapAndABadDivisionAreFaults) {
  EXPECT_EQ(run("__trap();").result.reason, Reason::fault);
  const auto ran = run("a[1] = 7 / ((volatile int*)a)[0];");
  EXPECT_EQ(ran.result.reason, Reason::fault);
  EXPECT_NE(ran.result.detail.find("integer division"), std::string::npos) << ran.result.detail;
}

TEST(HostDevice, TooMuchStackIsAFault) {
  const auto ran =
      run("volatile char deep[100000]; for (int i = 99999; i >= 0; --i) deep[i] = (char)a[0]; a[1] = deep[a[2]];");
  EXPECT_EQ(ran.result.reason, Reason::fault);
  EXPECT_NE(ran.result.detail.find("bytes of stack"), std::string::npos) << ran.result.detail;
}

TEST(HostDevice, LaunchesOutsideTheLimitsAreRefused) {
  const auto reason = [](const std::function<void(Launch&)>& change) { return run("", change).result.reason; };
  EXPECT_EQ(reason([](Launch& l) { l.block = {1025, 1, 1}; }), Reason::launch_error);
  EXPECT_EQ(reason([](Launch& l) { l.grid = {0, 1, 1}; }), Reason::launch_error);
  EXPECT_EQ(reason([](Launch& l) { l.grid = {1, 65536, 1}; }), Reason::launch_error);
  EXPECT_EQ(reason([](Launch& l) { l.shared_bytes = 300000; }), Reason::launch_error);
  const auto ran = run("", [](Launch& l) { l.buffers = {1, 1}; });
  EXPECT_EQ(ran.result.detail, "kernel: the kernel takes 1 arguments, the manifest gives 2");
}

// A fault leaves nothing behind: the same device runs a good kernel after it.
TEST(HostDevice, GoesOnAfterAFault) {
  const auto artifacts = build({source_of(kernel("int* a", "__syncthreads(); if (threadIdx.x == 40) a[1 << 20] = 1;")),
                                source_of(kernel("int* a", "__syncthreads(); a[threadIdx.x] = threadIdx.x;"))});
  const auto device = device::open_host();
  Execution execution;
  execution.arguments.resize(1);
  execution.arguments[0].name = "a";
  execution.arguments[0].elements = 64;
  Step step;
  step.entry = "kernel";
  step.block = {64, 1, 1};
  execution.steps = {step};
  const auto bad = device->load(artifacts[0]), good = device->load(artifacts[1]);
  const device::Bindings bindings{device->allocate(256)};
  for (int i = 0; i < 50; ++i) {
    const auto deadline = device::Clock::now() + std::chrono::seconds(5);
    EXPECT_EQ(device->run({bad, &execution, bindings}, {}, deadline).reason, Reason::out_of_bounds);
    EXPECT_EQ(device->run({good, &execution, bindings}, {}, deadline).reason, Reason::none);
  }
}

}  // namespace
}  // namespace tuner::test
