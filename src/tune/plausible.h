// Times that nothing right can have.
#pragma once

#include <optional>
#include <string>

#include "core/execution.h"
#include "core/gpu.h"
#include "core/trial.h"

namespace tuner::tune {

// Whether the trial is faster than the probe of the same bytes by over 2 %. `probe_us` 0: there is none.
bool beats(const Trial& trial, double probe_us);

// Why this time cannot be: it beats the probe or, of a probe itself, the GPU's widths at the highest clock.
std::optional<std::string> implausible(const Trial& trial, const Workload& workload, double probe_us,
                                       const GpuFacts& gpu);

}  // namespace tuner::tune
