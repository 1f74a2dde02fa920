// One configuration under ncu: what `tuner run` launches once.
#pragma once

#include <optional>
#include <string>

#include "cli/commands.h"
#include "core/counters.h"
#include "profile/ncu.h"
#include "spec/kernel_spec.h"

namespace tuner::cli {

struct ProfiledRun {
  std::optional<Counters> counters;
  std::string failure;  // of the configuration, where there are none
};

// Throws as profile::count, and MachineError for what keeps every configuration from running.
ProfiledRun profiled_run(const Context& context, const profile::Ncu& ncu, const spec::KernelSpec& kernel,
                         const Problem& problem, const Config& config, const GpuFacts& gpu);

}  // namespace tuner::cli
