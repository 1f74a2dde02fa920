// A device for comparisons that is all arithmetic: noise, drift, outliers, steps of the clock, and what places do.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "measure/compare.h"

namespace tuner::measure {

struct SimulatedDevice {
  double slower = 1;         // B's time over A's
  double noise = 0.003;      // of a sample, as a share
  double seat = 0.001;       // of a kernel's place in a process: it stays for a batch
  double placement = 0.001;  // of B against A in a process, twins alike
  double drift = 0.02;       // of all, over some hundred samples
  double outliers = 0.02;    // samples that take 5 to 105 % longer
  double first = 0.005;      // longer that the first of a round takes
  double steps = 0.002;      // samples from which on the clock is another, by 5 %
};

class SimulatedRounds : public Rounds {
 public:
  SimulatedRounds(const SimulatedDevice& device, std::uint64_t seed) : device_(device), random_(seed) {}

  void place(int) override {
    ++placed;
    for (double& seat : seats_) seat = device_.seat * normal_(random_);
    const double both = device_.placement * normal_(random_);
    for (const std::size_t b : {2, 3}) seats_[b] += both;
  }

  Round next(std::uint64_t seed) override {
    ++rounds;
    std::array<std::size_t, 4> order = {0, 1, 2, 3};
    std::mt19937_64 shuffle(seed);
    std::shuffle(order.begin(), order.end(), shuffle);
    std::array<double, 4> us{};
    for (const std::size_t member : order) us[member] = sample(member);
    us[order.front()] *= 1 + device_.first;
    return {us[0], us[1], us[2], us[3]};
  }

  bool out_of_time() override { return rounds >= most_rounds; }

  int placed = 0;
  int rounds = 0;
  int most_rounds = 1 << 30;

 private:
  double sample(std::size_t member) {
    constexpr double us = 10, turn = 0.02;
    phase_ += turn;
    if (share_(random_) < device_.steps) clock_ = clock_ > 1 ? 1 : 1.05;
    const double logarithm = seats_[member] + device_.noise * normal_(random_) + device_.drift * std::sin(phase_);
    double time = us * clock_ * std::exp(logarithm) * (member >= 2 ? device_.slower : 1);
    if (share_(random_) < device_.outliers) time *= 1.05 + share_(random_);
    return time;
  }

  SimulatedDevice device_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> share_{0, 1};
  std::array<double, 4> seats_{};  // a, its twin, b, its twin
  double phase_ = 0, clock_ = 1;
};

}  // namespace tuner::measure
