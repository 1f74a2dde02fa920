// Stores to the shared memory of another block that complete on an mbarrier there, on the host device.
#include <gtest/gtest.h>

#include "support.h"

namespace tuner::test {
namespace {

// Two clusters of four blocks. Each block is to get 16 bytes of each: first, a long long and two ints.
Launched told(const std::string& expects, const std::string& after, std::uint64_t seed) {
  Launch with;
  with.text =
      "#include \"tuner_async_store.cuh\"\nextern \"C\" __global__ void kernel(int* a) {\n"
      "struct alignas(8) Two { int x, y; };\n"
      "__shared__ long long wide[4]; __shared__ Two two[4]; extern __shared__ __align__(16) int more[];\n"
      "__shared__ Barrier full; int t = threadIdx.x, rank = cluster_rank();\n"
      "if (t == 0) { make_barrier(&full, 1); publish_barriers(); arrive_expecting(&full, " +
      expects +
      "); }\n"
      "cluster_sync();\n"
      "if (t < 4) {\n"
      "  store_peer_async(&wide[rank], t, 7ll << 32 | (10 * rank + t), &full);\n"
      "  store_peer_async(&two[rank], t, Two{rank, t}, &full);\n"
      "  store_peer_async(&more[rank], t, 100 * rank + t, &full);\n"
      "}\n" +
      after +
      "\nif (t < 4) { int* to = a + (blockIdx.x * 4 + t) * 4;\n"
      "  to[0] = (int)wide[t]; to[1] = (int)(wide[t] >> 32) + 10 * two[t].x; to[2] = two[t].y; to[3] = more[t]; }\n" +
      "cluster_sync();\n}\n";
  with.grid = {8, 1, 1};
  with.cluster = {4, 1, 1};
  with.buffers = {8 * 16};
  with.shared_bytes = 16;
  with.order_seed = seed;
  return launch(with);
}

TEST(HostAsyncStore, WhatEveryBlockTellsIsThereAfterThePhaseInEveryOrder) {
  for (const std::uint64_t seed : {0, 1, 2, 3, 4, 17}) {
    const auto ran = told("80", "wait_for_phase(&full, 0);", seed);
    ASSERT_EQ(ran.result.reason, Reason::none) << ran.result.detail;
    for (int block = 0; block < 8; ++block)
      for (int from = 0; from < 4; ++from) {
        const int* const got = ran.buffers[0].data() + (block * 4 + from) * 4;
        const int rank = block % 4;
        EXPECT_EQ(std::vector<int>(got, got + 4),
                  (std::vector<int>{10 * from + rank, 7 + 10 * from, rank, 100 * from + rank}))
            << "block " << block << ", from " << from << ", seed " << seed;
      }
  }
}

TEST(HostAsyncStore, WhoDoesNotWaitReadsSomethingElse) {
  for (const std::uint64_t seed : {0, 1, 2}) {
    const auto ran = told("80",
                          "cluster_sync();\nint early = more[t % 4];\nwait_for_phase(&full, 0);\n"
                          "if (t < 4) more[t] = early;",
                          seed);
    ASSERT_EQ(ran.result.reason, Reason::none) << ran.result.detail;
    for (int i = 0; i < 32; ++i) EXPECT_EQ(ran.buffers[0][static_cast<std::size_t>(i * 4 + 3)], 0x7f7f7f7f) << seed;
  }
}

TEST(HostAsyncStore, BytesThatDoNotComeAreNamed) {
  const auto ran = told("96", "wait_for_phase(&full, 0);", 0);
  EXPECT_EQ(ran.result.reason, Reason::divergent_barrier);
  EXPECT_NE(ran.result.detail.find("0 of 1 arrivals and 16 bytes are missing"), std::string::npos) << ran.result.detail;
}

TEST(HostAsyncStore, WhatBreaksTheRulesIsAFault) {
  const auto detail = [](const std::string& what) {
    Launch with;
    with.text =
        "#include \"tuner_async_store.cuh\"\nextern \"C\" __global__ void kernel(int* a) {\n"
        "__shared__ __align__(16) int s[8]; __shared__ Barrier full, none;\n"
        "if (threadIdx.x == 0) { make_barrier(&full, 1); publish_barriers(); arrive_expecting(&full, 4); }\n"
        "cluster_sync();\nif (threadIdx.x == 0) " +
        what + ";\ncluster_sync();\n}\n";
    with.grid = {2, 1, 1};
    with.cluster = {2, 1, 1};
    const auto ran = launch(with);
    EXPECT_EQ(ran.result.reason, Reason::fault) << what;
    return ran.result.detail;
  };
  const auto expect = [&](const std::string& what, const std::string& part) {
    const auto text = detail(what);
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect("store_peer_async(s, 2, 1, &full)", "a block that its cluster does not have");
  expect("store_peer_async(s + 8, 1, 1, &full)", "not all in the shared memory of its block");
  expect("store_peer_async((long long*)(s + 1), 1, 1ll, &full)", "not a multiple of 8");
  expect("store_peer_async(s, 1, 1, &none)", "uses an mbarrier that was not made");
}

}  // namespace
}  // namespace tuner::test
