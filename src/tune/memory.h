// What a problem needs of a device's memory.
#pragma once

#include "core/gpu.h"
#include "spec/sweep_plan.h"

namespace tuner::tune {

// Bytes without which it cannot be verified: both data sets of the inputs and the outputs; on the host device each in
// two places. Rotating copies are not among them: there are as many as fit. 0: no configuration is legal.
double least_memory(const spec::PlannedProblem& planned, const GpuFacts& gpu, bool emulated);

// Throws UserError for the first problem that needs more than the device has.
void refuse_too_large(const spec::SweepPlan& plan, const GpuFacts& gpu, bool emulated);

}  // namespace tuner::tune
