// What differs between the counters of two launches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profile/figures.h"

namespace tuner::profile {

struct StallPair {
  std::string reason;
  Stall a, b;
};

// Of both, the one that differs most first: by the cycles of all warps where the instructions were counted, else by
// those for each instruction.
std::vector<StallPair> stall_pairs(const LaunchCounters& a, const LaunchCounters& b);

// What they wait for, by kind.
struct KindPair {
  std::string_view kind;
  double a = 0, b = 0;  // cycles, of all warps or for each instruction as stall_pairs compares them
  double share = 0;     // in all that differs between kinds
};
// The one that differs most first.
std::vector<KindPair> kind_pairs(const LaunchCounters& a, const LaunchCounters& b);

// The first of the stalls, with the share it has in all that differs; empty where no stall was counted.
struct Foremost {
  StallPair stall;
  double share = 0;
  bool of_all_warps = false;  // compared by the cycles of all warps
};
std::optional<Foremost> foremost(const LaunchCounters& a, const LaunchCounters& b);

}  // namespace tuner::profile
