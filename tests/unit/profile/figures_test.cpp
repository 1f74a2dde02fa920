// Figures, targets, advice and differences, of counters as the GPU gives them.
#include "profile/figures.h"

#include <gtest/gtest.h>

#include "profile/difference.h"
#include "profile/metrics.h"

namespace tuner::profile {
namespace {

LaunchCounters counted(const std::vector<std::pair<std::string_view, double>>& values) {
  LaunchCounters launch;
  for (const auto& [name, value] : values) launch.values.emplace_back(std::string(name), value);
  return launch;
}

Figure of(const LaunchCounters& launch, std::string_view key) {
  for (Figure& each : figures_of(launch))
    if (each.kind->key == key) return each;
  ADD_FAILURE() << key;
  return {};
}

std::string advice(const LaunchCounters& launch, std::string_view key) {
  for (const Advice& each : advice_of(launch))
    if (each.key == key) return each.text;
  return "";
}

TEST(Figures, AreSharesAndQuotients) {
  const LaunchCounters naive = counted({{metric::dram, 22.82},
                                        {metric::sm, 8.5},
                                        {metric::occupancy, 15.59},
                                        {metric::load_sectors, 33.0},
                                        {metric::load_requests, 2.0},
                                        {metric::threads_a_warp, 24.0},
                                        {metric::load_conflicts, 1.0},
                                        {metric::store_conflicts, 0.0},
                                        {metric::load_wavefronts, 3.0},
                                        {metric::store_wavefronts, 1.0}});
  EXPECT_DOUBLE_EQ(*of(naive, "dram_throughput").value, 0.2282);
  EXPECT_FALSE(of(naive, "dram_throughput").misses()) << "it has no target";
  EXPECT_TRUE(of(naive, "sm_throughput").misses());
  EXPECT_DOUBLE_EQ(*of(naive, "sectors_per_request").value, 16.5);
  EXPECT_DOUBLE_EQ(*of(naive, "warp_efficiency").value, 0.75);
  EXPECT_DOUBLE_EQ(*of(naive, "bank_conflicts").value, 0.25);
  EXPECT_TRUE(of(naive, "bank_conflicts").misses());
}

TEST(Figures, ATargetIsMetByWhatIsShownAsIt) {
  EXPECT_FALSE(of(counted({{metric::sm, 80}}), "sm_throughput").misses());
  EXPECT_FALSE(of(counted({{metric::sm, 79.96}}), "sm_throughput").misses());
  EXPECT_TRUE(of(counted({{metric::sm, 79.9}}), "sm_throughput").misses());
  const auto conflicts = [](double n) {
    return of(counted({{metric::load_conflicts, n},
                       {metric::store_conflicts, 0},
                       {metric::load_wavefronts, 600},
                       {metric::store_wavefronts, 400}}),
              "bank_conflicts");
  };
  EXPECT_FALSE(conflicts(100).misses());
  EXPECT_TRUE(conflicts(101).misses());
  EXPECT_EQ(of(counted({{metric::l2_hit, 120.22}}), "l2_hit_rate").value, 1.0);
}

TEST(Figures, WhatIsNotThereSaysWhy) {
  LaunchCounters launch = counted({{metric::load_sectors, 0},
                                   {metric::load_requests, 0},
                                   {metric::load_conflicts, 0},
                                   {metric::store_conflicts, 0},
                                   {metric::load_wavefronts, 0},
                                   {metric::store_wavefronts, 0},
                                   {metric::load_efficiency, 0}});
  launch.absent = {{std::string(metric::dram), "this GPU does not count it"}};
  EXPECT_EQ(of(launch, "dram_throughput").absent, "this GPU does not count it");
  EXPECT_EQ(of(launch, "sectors_per_request").absent, "it loads nothing from global memory");
  EXPECT_EQ(of(launch, "load_efficiency").absent, "it loads nothing from global memory");
  EXPECT_EQ(of(launch, "bank_conflicts").absent, "it uses no shared memory");
  EXPECT_EQ(of(launch, "occupancy").absent, "not counted");
  EXPECT_TRUE(advice_of(launch).empty());
}

TEST(Figures, EachLowOneHasItsMeaning) {
  EXPECT_NE(advice(counted({{metric::dram, 93}, {metric::sm, 20}}), "sm_throughput").find("no fault"),
            std::string::npos);
  EXPECT_NE(advice(counted({{metric::dram, 30}, {metric::sm, 20}, {metric::occupancy, 20}}), "sm_throughput")
                .find("few warps"),
            std::string::npos);
  EXPECT_NE(
      advice(counted({{metric::dram, 30}, {metric::sm, 20}, {metric::occupancy, 90}, {metric::stall("barrier"), 4}}),
             "sm_throughput")
          .find("at a barrier"),
      std::string::npos);
  EXPECT_NE(advice(counted({{metric::dram, 30}, {metric::sm, 20}}), "").find("latency"), std::string::npos);
  EXPECT_EQ(advice(counted({{metric::dram, 30}, {metric::sm, 70}}), ""), "");
  EXPECT_NE(advice(counted({{metric::load_efficiency, 12.5}}), "load_efficiency").find("uncoalesced"),
            std::string::npos);
  EXPECT_NE(advice(counted({{metric::threads_a_warp, 16}}), "warp_efficiency").find("diverge"), std::string::npos);
}

TEST(Stalls, AreSortedAndLeaveIssuingOut) {
  const LaunchCounters launch = counted({{metric::stall("barrier"), 1.5},
                                         {metric::stall("selected"), 1},
                                         {metric::stall("long_scoreboard"), 7.5},
                                         {metric::stall("wait"), 0},
                                         {metric::issued, 100}});
  const std::vector<Stall> stalls = stalls_of(launch);
  ASSERT_EQ(stalls.size(), 2U);
  EXPECT_EQ(stalls[0].reason, "long_scoreboard");
  EXPECT_DOUBLE_EQ(stalls[0].all_cycles, 750);
  EXPECT_DOUBLE_EQ(stalls[0].share, 0.75);
  EXPECT_EQ(metric::stall_reason(metric::stall("no_instruction")), "no_instruction");
  EXPECT_EQ(metric::stall_reason(metric::issued), "");
}

// Half as many instructions that wait twice as long each wait as long in all.
TEST(Difference, IsThatOfAllWarps) {
  const LaunchCounters a =
      counted({{metric::stall("long_scoreboard"), 20}, {metric::stall("barrier"), 3}, {metric::issued, 100}});
  const LaunchCounters b = counted({{metric::stall("long_scoreboard"), 40}, {metric::issued, 50}});
  const auto most = foremost(a, b);
  ASSERT_TRUE(most);
  EXPECT_EQ(most->stall.reason, "barrier");
  EXPECT_TRUE(most->of_all_warps);
  EXPECT_DOUBLE_EQ(most->share, 1);
}

TEST(Difference, IsThatOfAnInstructionWhereTheyWereNotCounted) {
  const LaunchCounters a = counted({{metric::stall("long_scoreboard"), 20}, {metric::stall("barrier"), 3}});
  const LaunchCounters b = counted({{metric::stall("long_scoreboard"), 40}, {metric::stall("wait"), 1}});
  const auto most = foremost(a, b);
  ASSERT_TRUE(most);
  EXPECT_EQ(most->stall.reason, "long_scoreboard");
  EXPECT_FALSE(most->of_all_warps);
  EXPECT_DOUBLE_EQ(most->share, 20.0 / 24);
  EXPECT_FALSE(foremost(counted({}), counted({})));
  EXPECT_DOUBLE_EQ(foremost(a, a)->share, 0);
}

// What was counted of a GEMV of 1024 x 1024 on an H200 with a block a row and with a warp a row: single reasons differ
// by little, what they have in common does not.
TEST(Difference, IsSummedByKind) {
  const auto stall = [](const char* reason, double cycles) { return std::pair(metric::stall(reason), cycles); };
  LaunchCounters shared, warp;
  shared.values = {stall("long_scoreboard", 6.64), stall("short_scoreboard", 3.59),
                   stall("not_selected", 3.2),     stall("mio_throttle", 2.52),
                   stall("barrier", 2.1),          {std::string(metric::issued), 1.25e6}};
  warp.values = {stall("long_scoreboard", 13.47), stall("short_scoreboard", 1.53),
                 stall("not_selected", 0.67),     stall("mio_throttle", 0.01),
                 stall("barrier", 1.02),          {std::string(metric::issued), 0.3e6}};
  EXPECT_EQ(foremost(shared, warp)->stall.reason, "long_scoreboard");
  const std::vector<KindPair> kinds = kind_pairs(shared, warp);
  ASSERT_EQ(kinds.size(), 4U);
  EXPECT_EQ(kinds[0].kind, "shared memory");
  EXPECT_DOUBLE_EQ(kinds[0].a, (3.59 + 2.52) * 1.25e6);
  EXPECT_EQ(kinds[1].kind, "global memory");
  double all = 0;
  for (const KindPair& kind : kinds) all += kind.share;
  EXPECT_DOUBLE_EQ(all, 1);
  EXPECT_EQ(kind_of("some_new_reason"), "instructions");
  EXPECT_EQ(kind_pairs(shared, shared).front().share, 0);
}

TEST(Metrics, AreThoseOfTheArchitecture) {
  const auto has = [](int arch, std::string_view reason) {
    for (const std::string& name : metric::all(arch))
      if (metric::stall_reason(name) == reason) return true;
    return false;
  };
  EXPECT_TRUE(has(90, "gmma"));
  EXPECT_FALSE(has(75, "gmma"));
  EXPECT_FALSE(has(120, "gmma"));
  EXPECT_TRUE(has(75, "imc_miss"));
  EXPECT_FALSE(has(100, "imc_miss"));
}

}  // namespace
}  // namespace tuner::profile
