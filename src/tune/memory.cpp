#include "tune/memory.h"

#include <fmt/core.h>

#include "core/bytes.h"
#include "core/error.h"
#include "spec/resolve.h"

namespace tuner::tune {
double least_memory(const spec::PlannedProblem& planned, const GpuFacts& gpu, bool emulated) {
  const spec::KernelSpec& kernel = *planned.kernel;
  if (!kernel.space.complete(spec::base_scope(kernel, planned.problem, gpu), {})) return 0;
  double bytes = 0;
  for (const Argument& argument : spec::workload_of(kernel, planned.problem, gpu).arguments) {
    if (!argument.is_buffer || is_scratch(argument.role)) continue;
    bytes += static_cast<double>(argument.bytes()) * (argument.role == Role::output ? 1 : 2);
  }
  return emulated ? 2 * bytes : bytes;
}

void refuse_too_large(const spec::SweepPlan& plan, const GpuFacts& gpu, bool emulated) {
  for (const auto& planned : plan.problems) {
    const double needed = least_memory(planned, gpu, emulated), there = static_cast<double>(gpu.memory_bytes);
    if (gpu.memory_bytes == 0 || needed <= there) continue;
    throw UserError(
        fmt::format("{} {} needs {} of memory, {} has {}", planned.kernel->name, shape_text(planned.problem.dims),
                    bytes_text(needed), emulated ? "this machine" : gpu.name, bytes_text(there)),
        plan.path.empty() ? "--shape" : plan.path, "sweep a smaller shape");
  }
}

}  // namespace tuner::tune
