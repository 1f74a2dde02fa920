// One configuration compiled and verified here, like any candidate of a sweep, without timing or storing it.
#pragma once

#include "core/trial.h"
#include "spec/sweep_plan.h"
#include "tune/sweep.h"

namespace tuner::tune {

// Opens the device of `options` for it. Throws MachineError where that cannot be used.
Verdict verify_config(const spec::KernelSpec& kernel, const Problem& problem, const Config& config,
                      const SweepOptions& options, compile::Cache& cache);

}  // namespace tuner::tune
