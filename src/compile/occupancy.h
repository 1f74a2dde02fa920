// Blocks an SM holds and what limits them, from the limits of the architecture (NVIDIA's occupancy calculation).
#pragma once

#include <optional>
#include <string>

#include "core/artifact.h"
#include "core/execution.h"
#include "core/gpu.h"

namespace tuner::compile {

struct Occupancy {
  int blocks_per_sm = 0;  // 0: cannot run
  double occupancy = 0;   // active warps over the most an SM holds
  std::string limiter;    // "registers", "shared memory", "warps", "blocks"
};

Occupancy occupancy(const KernelAttributes& kernel, const Step& launch, const GpuFacts& gpu);

// Why this execution cannot run here, if it cannot: a verdict with registers, shared_memory, threads or grid and what
// is needed against the limit. Of the host device: where the threads of a cooperative grid are more than it holds.
std::optional<Verdict> cannot_run(const Artifact& artifact, const Execution& execution, const GpuFacts& gpu);

// The part of it that is about cooperative grids: more blocks than are resident at once.
std::optional<Verdict> not_at_once(const Artifact& artifact, const Execution& execution, const GpuFacts& gpu);

}  // namespace tuner::compile
