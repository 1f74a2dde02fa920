// Bulk copies and mbarriers on the host device: what a right kernel gets, and how each wrong one is found.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <set>

#include "support.h"

namespace tuner::test {
namespace {

Launched bulk(const std::string& body, const std::function<void(Launch&)>& change = {}) {
  Launch with;
  with.text =
      "#include \"tuner_bulk.cuh\"\nextern \"C\" __global__ void kernel(int* a, int* b) {\n"
      "__shared__ __align__(16) int s[64]; __shared__ Barrier full, none; int t = threadIdx.x;\n" +
      body + "\n}\n";
  with.buffers = {64, 64};
  if (change) change(with);
  return launch(with);
}

const std::string made = "if (t == 0) { make_barrier(&full, 1); publish_barriers(); } __syncthreads();\n";
const std::string copied = made + "if (t == 0) { arrive_expecting(&full, 128); copy_bulk((char*)s, a, 128, &full); }\n";

TEST(HostBulk, ACopyIsThereAfterItsPhase) {
  for (const std::uint64_t seed : {0, 1, 2, 3, 4}) {
    const auto ran = bulk("for (int i = t; i < 64; i += 32) a[i] = i; __syncthreads();\n" + copied +
                              "wait_for_phase(&full, 0);\nb[t] = s[t] + 1;",
                          [&](Launch& l) { l.order_seed = seed; });
    ASSERT_EQ(ran.result.reason, Reason::none) << ran.result.detail;
    std::vector<int> wanted(64);
    std::iota(wanted.begin(), wanted.begin() + 32, 1);
    EXPECT_EQ(ran.buffers[1], wanted);
  }
}

// A ring of two places, filled by one thread while the others add up what is in them.
TEST(HostBulk, ARingGoesRoundInEveryOrder) {
  const std::string ring =
      "__shared__ Barrier filled[2], emptied[2]; __shared__ __align__(16) int place[2][4];\n"
      "for (int i = t; i < 64; i += 64) { for (int j = 0; j < 64; ++j) a[j] = j; }\n"
      "if (t == 0) for (int i = 0; i < 2; ++i) { make_barrier(filled + i, 1); make_barrier(emptied + i, 2); }\n"
      "__syncthreads();\n"
      "if (t == 0) for (int i = 0; i < 16; ++i) {\n"
      "  if (i >= 2) wait_for_phase(emptied + i % 2, (i / 2 - 1) & 1);\n"
      "  arrive_expecting(filled + i % 2, 16); copy_bulk((char*)place[i % 2], a + i * 4, 16, filled + i % 2);\n"
      "}\n"
      "if (t == 40 || t == 41) for (int i = 0; i < 16; ++i) {\n"
      "  wait_for_phase(filled + i % 2, i / 2 & 1);\n"
      "  for (int j = t - 40; j < 4; j += 2) b[t - 40] += place[i % 2][j];\n"
      "  FREE\n"
      "}";
  const auto with = [&](const std::string& free, std::uint64_t seed) {
    std::string body = ring;
    body.replace(body.find("FREE"), 4, free);
    return bulk(body, [&](Launch& l) { l.block = {64, 1, 1}, l.order_seed = seed; });
  };
  for (const std::uint64_t seed : {0, 1, 2, 3, 4, 5}) {
    const auto ran = with("arrive(emptied + i % 2);", seed);
    ASSERT_EQ(ran.result.reason, Reason::none) << ran.result.detail;
    EXPECT_EQ(ran.buffers[1][0], 992);
    EXPECT_EQ(ran.buffers[1][1], 1024);
    // One thread frees places for both.
    const auto wrong = with("if (t == 40) { arrive(emptied + i % 2); arrive(emptied + i % 2); }", seed);
    if (wrong.result.reason == Reason::none && wrong.buffers[1][1] != 1024) return;
  }
  ADD_FAILURE() << "a place that is filled while it is read was not seen in any order";
}

TEST(HostBulk, WhoDoesNotWaitReadsSomethingElse) {
  const auto ran =
      bulk("a[t] = 5; __syncthreads();\n" + copied + "__syncthreads(); b[t] = s[t]; wait_for_phase(&full, 0);");
  ASSERT_EQ(ran.result.reason, Reason::none) << ran.result.detail;
  EXPECT_EQ(ran.buffers[1][0], 0x7f7f7f7f);
}

TEST(HostBulk, AWaitForAPhaseThatDoesNotEndIsNamed) {
  const auto ran = bulk(copied + "wait_for_phase(&full, 0);\nwait_for_phase(&full, 1);");
  EXPECT_EQ(ran.result.reason, Reason::divergent_barrier);
  EXPECT_NE(ran.result.detail.find("32 for a phase of an mbarrier (line 7: 1 of 1 arrivals and 0 bytes are missing)"),
            std::string::npos)
      << ran.result.detail;
}

TEST(HostBulk, ExpectedBytesThatDoNotComeAreNamed) {
  const auto ran = bulk(made + "if (t == 0) { arrive_expecting(&full, 144); copy_bulk((char*)s, a, 128, &full); }\n" +
                        "wait_for_phase(&full, 0);");
  EXPECT_EQ(ran.result.reason, Reason::divergent_barrier);
  EXPECT_NE(ran.result.detail.find("0 of 1 arrivals and 16 bytes are missing"), std::string::npos) << ran.result.detail;
}

TEST(HostBulk, WhatBreaksTheRulesIsAFault) {
  const auto detail = [](const std::string& body) {
    const auto ran = bulk(body);
    EXPECT_EQ(ran.result.reason, Reason::fault) << body;
    return ran.result.detail;
  };
  const auto expect = [&](const std::string& body, const std::string& part) {
    const auto text = detail(body);
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect("wait_for_phase(&none, 0);", "uses an mbarrier that was not made");
  expect(made + "arrive(&full);\narrive(&none);", "uses an mbarrier that was not made");
  expect("if (t == 0) make_barrier(&full, 0);", "makes an mbarrier of no arrivals");
  expect(made + "if (t == 0) copy_bulk((char*)s + 4, a, 16, &full);", "not all multiples of 16 bytes");
  expect(made + "if (t == 0) copy_bulk((char*)s, a, 20, &full);", "not all multiples of 16 bytes");
  expect(copied, "left while bulk copies to their shared memory");
  expect("if (t == 0) { make_barrier(&full, 1); arrive_expecting(&full, 16); arrive(&full); }",
         "arrives at an mbarrier more often than a phase of it counts");
}

TEST(HostBulk, ACopyFromOutsideIsThatThreadsFault) {
  const auto ran = bulk(made + "if (t == 3) copy_bulk((char*)s, a + 60, 32, &full);");
  EXPECT_EQ(ran.result.reason, Reason::out_of_bounds);
  EXPECT_NE(ran.result.detail.find("of 'a'"), std::string::npos) << ran.result.detail;
  EXPECT_NE(ran.result.detail.find("thread (3,0,0)"), std::string::npos) << ran.result.detail;
}

}  // namespace
}  // namespace tuner::test
