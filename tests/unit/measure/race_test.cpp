#include "measure/race.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace tuner::measure {
namespace {

// A session of a GPU: every round shares a slow drift, every sample has its own noise and now and then an outlier.
class Session {
 public:
  Session(std::uint64_t seed, double noise) : random_(seed), noise_(noise) {}

  std::vector<double> candidates(int count) {
    std::vector<double> us;
    for (int i = 0; i < count; ++i) {
      const double place = uniform_(random_);
      const double slower = place < 0.04   ? 0.01 * place / 0.04
                            : place < 0.15 ? 0.05 * place / 0.15
                                           : place * place * 1.5;
      us.push_back(28.0 * (1 + slower));
    }
    return us;
  }

  std::vector<double> round(const std::vector<double>& truth, const std::vector<int>& asked) {
    std::vector<double> us;
    for (const int i : asked) {
      drift_ = 0.9 * drift_ + 0.02 * std::sqrt(1 - 0.81) * normal_(random_);
      const double outlier = uniform_(random_) < 0.02 ? 1 + 0.2 * uniform_(random_) : 1;
      us.push_back(truth[static_cast<std::size_t>(i)] * (1 + drift_) * std::exp(noise_ * normal_(random_)) * outlier);
    }
    return us;
  }

 private:
  std::mt19937_64 random_;
  double noise_;
  double drift_ = 0;
  std::normal_distribution<double> normal_{0, 1};
  std::uniform_real_distribution<double> uniform_{0, 1};
};

struct Outcome {
  double regret = 0;
  double samples = 0;  // a candidate
};

Outcome play(std::uint64_t seed, double noise) {
  Session session(seed, noise);
  const auto truth = session.candidates(300);
  Race race(300, {299}, {});
  Outcome outcome;
  for (auto asked = race.ask(); !asked.empty(); asked = race.ask()) {
    outcome.samples += static_cast<double>(asked.size()) / 300;
    race.tell(session.round(truth, asked));
  }
  const std::vector<int> finalists = race.finalists();
  std::vector<std::vector<double>> paired(finalists.size());
  for (int r = 0; r < 60; ++r) {
    const auto us = session.round(truth, finalists);
    for (std::size_t i = 0; i < us.size(); ++i) paired[i].push_back(us[i]);
  }
  std::vector<TieKey> keys(finalists.size());
  const Decision decision = decide(paired, keys, 0);
  // The fastest by ratio, before ties are broken by preference: what statistics alone can be blamed for.
  const auto best = std::min_element(decision.ratio.begin(), decision.ratio.end()) - decision.ratio.begin();
  outcome.regret = truth[static_cast<std::size_t>(finalists[static_cast<std::size_t>(best)])] /
                       *std::min_element(truth.begin(), truth.end()) -
                   1;
  return outcome;
}

TEST(Race, PicksNearTheBestUnderNoiseAndDrift) {
  double regret = 0, worst = 0, samples = 0;
  constexpr int sessions = 100;
  for (int s = 0; s < sessions; ++s) {
    const Outcome outcome = play(static_cast<std::uint64_t>(s) + 1, 0.01);
    regret += outcome.regret / sessions;
    samples += outcome.samples / sessions;
    worst = std::max(worst, outcome.regret);
  }
  EXPECT_LT(regret, 0.003);
  EXPECT_LT(worst, 0.02);
  EXPECT_LT(samples, 14);
  RecordProperty("mean_regret_ppm", static_cast<int>(regret * 1e6));
  RecordProperty("samples_a_candidate", static_cast<int>(samples * 100));
}

TEST(Race, ThreeTimesTheLeaderLeavesAfterOneSample) {
  Race race(4, {}, {});
  EXPECT_EQ(race.ask(), (std::vector<int>{0, 1, 2, 3}));
  race.tell({10, 29, 31, 500});
  EXPECT_FALSE(race.left_early(0));
  EXPECT_FALSE(race.left_early(1));
  EXPECT_TRUE(race.left_early(2));
  EXPECT_TRUE(race.left_early(3));
  EXPECT_EQ(race.samples(3), std::vector<double>{500});
  EXPECT_EQ(race.ask(), (std::vector<int>{0, 1}));
}

TEST(Race, AnchorsStayHoweverSlow) {
  RaceOptions options;
  options.finalists = 1;
  Race race(3, {2, 2}, options);
  for (int r = 0; r < options.max_rounds && !race.ask().empty(); ++r) {
    std::vector<double> us;
    for (const int i : race.ask()) us.push_back(i == 0 ? 10 : i == 1 ? 15 : 400);
    race.tell(us);
  }
  EXPECT_FALSE(race.left_early(2));
  EXPECT_EQ(race.finalists(), (std::vector<int>{0, 2}));
  EXPECT_GE(race.rounds(), options.first_test);
}

TEST(Race, FarBehindLeavesAfterThreeRoundsAndCloseStays) {
  RaceOptions options;
  options.finalists = 0;
  Race race(3, {}, options);
  for (int r = 0; r < 3; ++r) race.tell({10, 10.1, 14});
  EXPECT_EQ(race.ask(), (std::vector<int>{0, 1}));
  EXPECT_FALSE(race.left_early(2));
}

TEST(Race, DriftCommonToARoundEliminatesNobody) {
  RaceOptions options;
  options.finalists = 0;
  Race race(2, {}, options);
  for (int r = 0; r < options.max_rounds; ++r) {
    ASSERT_EQ(race.ask().size(), 2u);
    const double drift = r % 2 == 0 ? 1 : 1.4;
    race.tell({10 * drift, 10.001 * drift});
  }
  EXPECT_TRUE(race.ask().empty());
  EXPECT_EQ(race.rounds(), 20);
}

TEST(Race, SampleThatIsNoTimeTakesTheCandidateOut) {
  Race race(2, {}, {});
  race.tell({10, 0});
  EXPECT_TRUE(race.ask().empty());
  EXPECT_EQ(race.finalists(), std::vector<int>{0});
  EXPECT_FALSE(race.left_early(1));
}

TEST(Race, EndsWhenAllSurvivorsFitTheFinal) {
  Race race(3, {}, {});
  int rounds = 0;
  while (!race.ask().empty()) {
    race.tell(std::vector<double>(race.ask().size(), 10.0));
    ++rounds;
  }
  EXPECT_EQ(rounds, RaceOptions{}.first_test);
}

TEST(Decide, TiesAreBrokenInTheDocumentedOrder) {
  const std::vector<std::vector<double>> paired{{10, 10}, {10.005, 10.005}, {10.01, 10.01}, {10.015, 10.015}, {11, 11}};
  std::vector<TieKey> keys(5);
  for (std::size_t i = 0; i < 5; ++i) keys[i].manifest_order = static_cast<std::int64_t>(5 - i);
  EXPECT_EQ(decide(paired, keys, 0).winner, 3);  // the first in the manifest among the tied
  keys[0].shared_bytes = keys[1].shared_bytes = keys[3].shared_bytes = 1;
  EXPECT_EQ(decide(paired, keys, 0).winner, 2);
  for (std::size_t i = 0; i < 5; ++i) keys[i].registers_times_threads = i == 1 ? 1 : 2;
  EXPECT_EQ(decide(paired, keys, 0).winner, 1);
  keys[3].is_default = true;
  EXPECT_EQ(decide(paired, keys, 0).winner, 3);
  keys[0].incumbent = true;
  const Decision decision = decide(paired, keys, 0);
  EXPECT_EQ(decision.winner, 0);
  EXPECT_EQ(decision.tied, (std::vector<int>{0, 3, 1, 2}));
  EXPECT_DOUBLE_EQ(decision.margin, 0.002);
  EXPECT_NEAR(decision.ratio[4], 1.1, 1e-12);
}

TEST(Decide, WhatIsResolvedIsNoTie) {
  const std::vector<std::vector<double>> paired{{10, 10}, {10.03, 10.03}};
  EXPECT_EQ(decide(paired, std::vector<TieKey>(2), 0.001).tied, std::vector<int>{0});
}

TEST(Decide, MarginIsTheNoiseFloorWhereThatIsLarger) {
  const std::vector<std::vector<double>> paired{{10, 10}, {10.2, 10.2}};
  EXPECT_EQ(decide(paired, std::vector<TieKey>(2), 0.01).tied.size(), 1u);
  const Decision wide = decide(paired, std::vector<TieKey>(2), 0.03);
  EXPECT_EQ(wide.tied.size(), 2u);
  EXPECT_DOUBLE_EQ(wide.margin, 0.03);
}

TEST(Decide, OneThatMayNotWinDoesNotAndSetsNoTie) {
  const std::vector<std::vector<double>> paired{{10, 10}, {10.5, 10.5}, {10.52, 10.52}};
  std::vector<TieKey> keys(3);
  keys[0].eligible = false;
  keys[1].manifest_order = 1;
  const Decision decision = decide(paired, keys, 0);
  EXPECT_EQ(decision.winner, 2);
  EXPECT_EQ(decision.tied, (std::vector<int>{2, 1}));
  keys[1].eligible = keys[2].eligible = false;
  EXPECT_EQ(decide(paired, keys, 0).winner, -1);
  EXPECT_EQ(decide({}, {}, 0).winner, -1);
}

TEST(Decide, ByWhatACostMakesOfTheTimes) {
  const std::vector<std::vector<double>> paired{{10, 20}, {11, 22}, {10.02, 20.04}, {9, 18}};
  std::vector<TieKey> keys(4);
  keys[3].eligible = false;
  keys[2].is_default = true;
  const double factor[] = {1, 0.9, 1, 0.1};
  const CostOf cost = [&](int i, double us) { return i == 3 ? std::nan("") : factor[i] * us; };
  const Decision decision = decide(paired, keys, 0, cost);
  EXPECT_EQ(decision.tied, std::vector<int>{1});  // 9.9 against 10 at the fastest one's 9 and the ratios to it
  ASSERT_EQ(decision.cost.size(), 4U);
  EXPECT_NEAR(decision.cost[1] / decision.cost[0], 0.99, 1e-9);
  EXPECT_EQ(decide(paired, keys, 0.02, cost).winner, 2);  // all three are tied, and it is the default
  EXPECT_EQ(decide(paired, keys, 0, [](int, double) { return -1.0; }).winner, -1);
}

TEST(NoiseFloor, BoundsTheMedianOfPairedRatios) {
  std::vector<double> a(101, 10), b(101, 10);
  EXPECT_EQ(noise_floor(a, b), 0);
  for (std::size_t i = 0; i < 101; ++i) b[i] = 10 * std::exp(0.0001 * static_cast<double>(i));
  // Median 0.005, median absolute deviation 0.0025.
  EXPECT_NEAR(noise_floor(a, b), 0.005 + 2.576 * 1.2533 * 1.4826 * 0.0025 / std::sqrt(101), 1e-9);
  b[100] = 1000;  // one outlier says nothing of the median
  EXPECT_LT(noise_floor(a, b), 0.0065);
}

TEST(EnoughRounds, MoreAreRunWhereTheyHelp) {
  const FinalOptions options;
  const auto rows = [](std::size_t rounds, double apart, double noise) {
    std::vector<double> a(rounds, 10), b(rounds, 10 * std::exp(apart));
    for (std::size_t i = 0; i < rounds; ++i) b[i] *= std::exp(i % 2 == 0 ? noise : -noise);
    return std::pair(a, b);
  };
  const auto enough = [&](std::size_t rounds, double apart, double noise) {
    const auto [a, b] = rows(rounds, apart, noise);
    return enough_rounds(a, b, options);
  };
  EXPECT_TRUE(enough(60, 0, 0.003));
  EXPECT_FALSE(enough(60, 0, 0.02));
  EXPECT_TRUE(enough(1200, 0, 0.2)) << "that is all";
  EXPECT_TRUE(enough(60, 0.02, 0.01)) << "steadily apart";
  EXPECT_FALSE(enough(60, 0.006, 0.01)) << "perhaps";
}

}  // namespace
}  // namespace tuner::measure
