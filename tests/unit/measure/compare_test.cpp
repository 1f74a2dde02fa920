#include "measure/compare.h"

#include <gtest/gtest.h>

#include <map>

#include "unit/measure/simulated_rounds.h"

namespace tuner::measure {
namespace {

constexpr int many = 1000;

CompareRules gate_of_2_percent() {
  CompareRules rules;
  rules.fail_if_slower = 0.02;
  return rules;
}

struct Tally {
  std::map<Finding, int> findings;
  std::map<Gate, int> gates;
  int outside = 0;  // intervals that do not hold the truth
  double placements = 0;
};

Tally compared(const SimulatedDevice& device, int times, const CompareRules& rules = gate_of_2_percent()) {
  Tally tally;
  for (int i = 0; i < times; ++i) {
    SimulatedRounds rounds(device, 7919 * static_cast<std::uint64_t>(i) + 1);
    const Comparison result = compare(rounds, rules);
    ++tally.findings[result.finding];
    ++tally.gates[result.gate];
    tally.outside += result.ratio.low > device.slower || result.ratio.high < device.slower ? 1 : 0;
    tally.placements += static_cast<double>(result.batches) / times;
  }
  return tally;
}

SimulatedDevice device_of(double slower, double noise) {
  SimulatedDevice device;
  device.slower = slower;
  device.noise = noise;
  return device;
}

class OfNoise : public testing::TestWithParam<double> {
 protected:
  // Much noise takes many placements.
  int times() const { return GetParam() <= 0.01 ? many : many / 4; }
};

TEST_P(OfNoise, AKernelAgainstItselfNeverTripsTheGate) {
  const Tally tally = compared(device_of(1, GetParam()), times());
  EXPECT_EQ(tally.gates.count(Gate::tripped), 0u);
  EXPECT_EQ(tally.findings.count(Finding::slower) + tally.findings.count(Finding::faster), 0u);
  EXPECT_LT(tally.outside, times() / 50);
  if (GetParam() <= 0.01) {
    EXPECT_GT(tally.findings.at(Finding::same), many * 97 / 100);
  }
}

TEST_P(OfNoise, ThreePercentMoreTripItEveryTime) {
  const Tally tally = compared(device_of(1.03, GetParam()), times());
  EXPECT_EQ(tally.gates.at(Gate::tripped), times());
  EXPECT_EQ(tally.findings.at(Finding::slower), times());
  EXPECT_LT(tally.outside, times() / 50);
  EXPECT_LT(tally.placements, GetParam() <= 0.01 ? 5 : 8);
}

// 0.3 % is that of an H200 with steady clocks, 3 % that of a GPU that is shared.
INSTANTIATE_TEST_SUITE_P(Noise, OfNoise, testing::Values(0.003, 0.01, 0.03));

TEST(Compare, SaysWhichOfThemIsFaster) {
  EXPECT_EQ(compared(device_of(0.97, 0.003), 100).findings.at(Finding::faster), 100);
  EXPECT_EQ(compared(device_of(0.97, 0.003), 100).gates.at(Gate::passed), 100);
  EXPECT_EQ(compared(device_of(1.01, 0.003), 100).findings.at(Finding::slower), 100);
  EXPECT_EQ(compared(device_of(1.01, 0.003), 100).gates.at(Gate::passed), 100);
}

// At the very limit nothing can be proven, whatever it costs.
TEST(Compare, AtTheLimitOfTheGateItIsUndecided) {
  const Tally tally = compared(device_of(1.02, 0.01), 100);
  EXPECT_GE(tally.gates.at(Gate::undecided), 97);
}

TEST(Compare, DriftAndStepsOfTheClockCancelWithinARound) {
  SimulatedDevice device = device_of(1.03, 0.001);
  device.drift = 0.3;
  device.steps = 0.02;
  device.seat = device.placement = 0;
  const Tally tally = compared(device, 100);
  EXPECT_EQ(tally.gates.at(Gate::tripped), 100);
}

// Of samples without any noise, places alone decide: no number of rounds in one place may hide what they do.
TEST(Compare, WhatPlacesDoIsInTheInterval) {
  for (const bool twins_alike : {false, true}) {
    SimulatedDevice device = device_of(1, 0.0001);
    device.seat = twins_alike ? 0 : 0.01;
    device.placement = twins_alike ? 0.01 : 0;
    CompareRules rules = gate_of_2_percent();
    rules.rounds = 8;
    const Tally tally = compared(device, many, rules);
    EXPECT_EQ(tally.gates.count(Gate::tripped), 0u);
    EXPECT_LT(tally.outside, many * 2 / 100) << twins_alike;
  }
}

TEST(Compare, EndsWithWhatItHasWhenTimeIsUp) {
  SimulatedRounds rounds(device_of(1.0199, 0.03), 1);
  rounds.most_rounds = 1;
  const CompareRules rules = gate_of_2_percent();
  const Comparison result = compare(rounds, rules);
  EXPECT_EQ(result.batches, rules.least_batches);
  EXPECT_EQ(rounds.placed, rules.least_batches);
  EXPECT_EQ(result.rounds, rules.least_batches * rules.least_rounds);
  EXPECT_EQ(result.gate, Gate::undecided);
}

TEST(Compare, WithoutAGateItEndsWhenTheFindingIsKnown) {
  SimulatedRounds rounds(device_of(1.0199, 0.001), 1);
  const Comparison result = compare(rounds, {});
  EXPECT_EQ(result.finding, Finding::slower);
  EXPECT_EQ(result.gate, Gate::none);
  EXPECT_LT(result.batches, 6);
}

std::vector<Batch> steady(double a, double a_twin, double b, double b_twin, int batches = 3) {
  return std::vector<Batch>(static_cast<std::size_t>(batches), Batch(10, Round{a, a_twin, b, b_twin}));
}

TEST(Compare, TheRatioIsThatOfBToAOverBothPairs) {
  const Comparison result = compare(steady(10, 10, 11, 11), gate_of_2_percent());
  EXPECT_DOUBLE_EQ(result.ratio.ratio, 1.1);
  EXPECT_DOUBLE_EQ(result.ratio.low, 1.1);
  EXPECT_EQ(result.gate, Gate::tripped);
  EXPECT_DOUBLE_EQ(result.a_us, 10);
  EXPECT_DOUBLE_EQ(result.b_us, 11);
  EXPECT_EQ(result.rounds, 30);
  EXPECT_DOUBLE_EQ(result.noise_floor, 0);
  EXPECT_DOUBLE_EQ(compare(steady(10, 10, 11, 10), {}).ratio.ratio, std::sqrt(1.1));
  EXPECT_DOUBLE_EQ(compare(steady(10, 10, 10, 11), {}).ratio.ratio, std::sqrt(1.1));
}

TEST(Compare, TwinsThatDifferAreTheNoiseFloorAndTheMargin) {
  const Comparison result = compare(steady(10, 10.2, 10, 10.2), gate_of_2_percent());
  EXPECT_GT(result.noise_floor, 0.0198 / std::sqrt(2));
  EXPECT_EQ(result.margin, result.noise_floor);
  EXPECT_LT(result.ratio.low, 1);
  EXPECT_GT(result.ratio.high, 1);
}

TEST(Compare, FewerThanTheLeastPlacementsDecideNothing) {
  EXPECT_EQ(compare(steady(10, 10, 20, 20, 2), gate_of_2_percent()).finding, Finding::undecided);
  const Comparison one = compare(steady(10, 10, 20, 20, 1), gate_of_2_percent());
  EXPECT_EQ(one.ratio.high, 0);
  EXPECT_EQ(one.gate, Gate::undecided);
}

// A gate below the margin trips only on what is proven to be another.
TEST(Compare, AGateOfNothingLetsTheSamePass) {
  CompareRules rules;
  rules.fail_if_slower = 0;
  EXPECT_EQ(compare(steady(10, 10, 10.04, 10.04), rules).gate, Gate::passed);
  EXPECT_EQ(compare(steady(10, 10, 10.06, 10.06), rules).gate, Gate::tripped);
}

StoredTime stored(double us, double noise = 0.002, int samples = 60) {
  StoredTime time{us, noise, {}, 0.001};
  for (int i = 0; i < samples; ++i) time.samples_us.push_back(static_cast<float>(us * (1 + noise * ((i % 5) - 2))));
  return time;
}

TEST(CompareStored, OfDifferentRunsItAllowsForWhatRunsDo) {
  const Comparison same = compare_stored(stored(10), stored(10.02), false, gate_of_2_percent());
  EXPECT_EQ(same.finding, Finding::same);
  EXPECT_EQ(same.gate, Gate::passed);
  EXPECT_LT(same.ratio.low, 1.002 - between_runs);
  EXPECT_EQ(compare_stored(stored(10), stored(10.3), false, gate_of_2_percent()).gate, Gate::undecided);
  EXPECT_EQ(compare_stored(stored(10), stored(10.5), false, gate_of_2_percent()).gate, Gate::tripped);
  EXPECT_EQ(compare_stored(stored(10), stored(9.5), false, gate_of_2_percent()).finding, Finding::faster);
}

TEST(CompareStored, OfTheSameRoundsTheSamplesArePaired) {
  StoredTime a = stored(10, 0.05), b = stored(10.3, 0.05);  // wide, and in step
  const Comparison paired = compare_stored(a, b, true, gate_of_2_percent());
  EXPECT_EQ(paired.gate, Gate::tripped);
  EXPECT_NEAR(paired.ratio.ratio, 1.03, 1e-6);
  EXPECT_EQ(compare_stored(a, b, false, gate_of_2_percent()).gate, Gate::undecided);
  StoredTime noisy = a;
  noisy.noise_floor = 0.02;
  EXPECT_EQ(compare_stored(noisy, noisy, true, gate_of_2_percent()).finding, Finding::same);
  EXPECT_EQ(compare_stored(noisy, noisy, false, gate_of_2_percent()).finding, Finding::same);
}

TEST(CompareStored, WithoutSamplesTheSpreadOfOneStandsForThem) {
  const StoredTime a{10, 0.002, {}, 0.001}, b{11, 0.002, {}, 0.001}, unknown{11, 0, {}, 0.001};
  EXPECT_EQ(compare_stored(a, b, false, gate_of_2_percent()).gate, Gate::tripped);
  const Comparison without = compare_stored(a, unknown, false, gate_of_2_percent());
  EXPECT_EQ(without.ratio.high, 0);
  EXPECT_EQ(without.finding, Finding::undecided);
  EXPECT_EQ(without.gate, Gate::undecided);
}

}  // namespace
}  // namespace tuner::measure
