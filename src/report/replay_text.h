// Strategies beside each other on recorded sweeps.
#pragma once

#include <string>
#include <vector>

#include "report/style.h"
#include "search/replay.h"

namespace tuner::report {

// One strategy on one recording.
struct ReplayedStrategy {
  std::string name;
  std::vector<search::Reached> repeats;
};

struct ReplayedRecording {
  std::string name, about, notes;
  std::size_t points = 0;
  std::size_t good_enough = 0;               // points within the share that was asked for
  std::vector<ReplayedStrategy> strategies;  // the same ones in every recording, in one order
};

struct ReplayedSweeps {
  search::ReplayOptions options;
  std::vector<ReplayedRecording> recordings;
};

// How many times as many trials as `random` took on the same recording, at this quantile; the geometric mean over the
// recordings. Not a number where random was not run, or one of them did not come there.
double over_random(const ReplayedSweeps& sweeps, std::size_t strategy, double quantile);

std::string replay_text(const ReplayedSweeps& sweeps, const Style& style);
std::string replay_json(const ReplayedSweeps& sweeps);
// A panel a recording: the share of repeats that came there within so many trials.
std::string replay_svg(const ReplayedSweeps& sweeps);

}  // namespace tuner::report
