// The size of a sweep before it is run: nothing is compiled, run or written.
#pragma once

#include <functional>
#include <vector>

#include "compile/render.h"
#include "core/gpu.h"
#include "spec/sweep_plan.h"
#include "tune/overrules.h"

namespace tuner::tune {

struct DryProblem {
  Problem problem;
  bool finished = false;      // its result is stored; it would not be repeated, and counts nothing
  bool forbidden = false;     // every configuration is: it would not be run
  std::string searched_in{};  // the strategy that asks for at most so many; empty: all of them are tried
  std::int64_t candidates = 0;
  std::int64_t distinct_sources = 0;
  std::int64_t missing = 0;  // compiles that the cache has not got; those of an earlier problem are not counted again
  double compile_s = 0;      // of those, estimated
  double device_s = 0;       // estimated, from the first verification to the last round
  // Of the device, with the rotating copies, and on a GPU the probes that stay loaded beside them.
  double memory_bytes = 0;
};

struct DryRun {
  std::vector<DryProblem> problems;
  DryProblem total;  // sums; memory of the largest, because one is tuned after the other
};

struct DryRunRequest {
  const spec::SweepPlan* plan = nullptr;
  GpuFacts gpu;
  bool emulated = false;
  int jobs = 0;  // compiles at once; 0: the CPUs this process may use
  Overrules overrules;
  std::function<bool(const compile::Source&)> cached;
  std::function<bool(const spec::PlannedProblem&)> finished;
};

// Throws as the sweep would: UserError for a problem with no legal configuration, or one that no memory holds;
// NothingFound where all is forbidden.
DryRun dry_run(const DryRunRequest& request);

}  // namespace tuner::tune
