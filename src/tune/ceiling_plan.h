// A sweep of the probes themselves: what each level of this GPU's memory gives and takes, and what its arithmetic
// reaches.
#pragma once

#include "core/gpu.h"
#include "spec/sweep_plan.h"

namespace tuner::tune {

// Each probe of core/ceiling_probe.h at a size that suits this GPU; those that cannot run there are left out. For the
// host device, which times nothing, they are small. `probes` must outlive the plan.
spec::SweepPlan ceiling_plan(const spec::Catalog& probes, const GpuFacts& gpu, bool host);

// The problem of one of them on a GPU.
Problem ceiling_problem(const spec::KernelSpec& probe, const GpuFacts& gpu);

}  // namespace tuner::tune
