// What a launch has beyond grid, block and shared memory.
#pragma once

#include <string>
#include <vector>

#include "core/execution.h"

namespace tuner::report {

// " cluster 2x1x1 cooperative args A,y pass=3"; empty for most.
std::string launch_extras(const Step& step);
// The same as a JSON object: cluster, cooperative, arguments and values, each where it applies.
std::string launch_extras_json(const Step& step);

// Neighbours that differ in nothing but the scalars of their turn, as one step and how often it runs.
struct StepRun {
  Step step;
  int times = 1;
};
std::vector<StepRun> runs_of(const std::vector<Step>& steps);

}  // namespace tuner::report
