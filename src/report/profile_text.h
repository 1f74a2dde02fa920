// What a profiler counted of configurations of one problem, with what the figures should be and what low ones mean.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/counters.h"
#include "core/problem.h"
#include "core/trial.h"
#include "report/style.h"

namespace tuner::report {

struct Profiled {
  Config config;
  std::string origin;                // where it comes from: "trial 8"
  std::optional<Counters> counters;  // empty: see failure
  std::string failure;
  double time_us = 0;         // of a sweep, never of a profiler; 0: unknown
  bool other_binary = false;  // than the one with that time
};

// Of one GPU model.
struct Profile {
  Problem problem;
  std::string gpu;
  std::vector<Profiled> all;
};

// A row for each launch, the targets above; then, for each configuration, what misses them.
std::string profile_text(const Profile& profile, const Style& style);
// Two, side by side with what their warps wait for, and what differs most.
std::string comparison_text(const Profile& profile, const Style& style);
std::string profile_json(const std::vector<Profile>& profiles);

// "DRAM 93.8%, SM 12.3% ..." of the first launch, for a line of `explain`.
std::string counters_line(const Counters& counters);
// Those of one configuration as a JSON object; "null" for none.
std::string counters_json(const std::optional<Counters>& counters);

}  // namespace tuner::report
