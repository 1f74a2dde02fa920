// How long a device will be at a problem, before anything of it is compiled.
#pragma once

#include <cstdint>

#include "core/execution.h"
#include "core/gpu.h"

namespace tuner::tune {

// From the first verification to the last round, within a factor of two or so.
double device_seconds(const Workload& workload, std::int64_t candidates, const GpuFacts& gpu, bool emulated);

}  // namespace tuner::tune
