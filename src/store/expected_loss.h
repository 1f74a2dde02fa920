// What answering a neighbour with a result costs, from the trials stored there.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "store/lookup.h"

namespace tuner::store {

// A finished problem with the times of its configurations, which are named by their JSON, or what its objective made of
// them: only those with the same objective are compared.
struct TimedProblem {
  Problem problem;
  std::string winner;
  double default_us = 0;                // 0: no default ran
  std::map<std::string, double> times;  // those that were timed at all
  std::vector<std::string> answers;     // those that may answer elsewhere: timed to the end, right on awkward sizes too
  std::string objective{};              // empty: the time
};

// Shares of the best time; -1: unknown, there is no neighbour where both the winner and the default were timed.
struct Losses {
  std::string traveller;   // within 2 % of the winner at home, and of those the least slow at the neighbours
  int neighbours = 0;      // the means are over
  double expected = -1;    // the traveller's mean
  double by_default = -1;  // the default's mean
  double worst = -1;       // the most that the traveller lost to the default at one of them
};

// Of each problem at its nearest neighbours among the others, at most seven: within a factor of 8 in every dimension,
// with the same facts (a fact that follows a dimension in both is the same). All are of one GPU model, kernel and
// regime.
std::vector<Losses> leave_one_out(const std::vector<TimedProblem>& problems);

// Whether a neighbour's answer is left for the manifest's default: the default is expected to lose less, or the
// traveller lost over 2 % to it somewhere near. Where fewer than three neighbours say anything: the default loses less
// than 5 % at the neighbour itself, so that there is little to win.
bool gives_way(const Entry& neighbour);

// A loss of a row as an answer may tell it: unknown where fewer than three neighbours say anything.
double told_loss(const ProblemResult& row, double loss);

// Computes the losses of every result of a kernel on a GPU model and keeps them. A result whose losses cannot be known
// from the trials here keeps those it came with.
void update_expected_losses(Store& store, const GpuFacts& gpu, const std::string& kernel, const std::string& regime);

}  // namespace tuner::store
