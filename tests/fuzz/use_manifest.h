// What is done with a manifest that was not refused.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "spec/metrics.h"
#include "spec/resolve.h"

namespace tuner {

// Spaces that could not be walked in the time of one input are left out.
inline bool small(const space::Space& space) {
  std::size_t points = 1;
  for (const space::Param& param : space.params) {
    points *= param.values.size();
    if (points > 5'000) return false;
  }
  return true;
}

inline void use(const spec::KernelSpec& kernel) {
  const std::vector<std::int64_t> dims(kernel.dims.size(), 37);
  const Problem problem = spec::make_problem(kernel, dims, {}, "--shape");
  const GpuFacts gpu = gpu_of_arch(90);
  (void)spec::why_not_on(kernel, problem, gpu);
  (void)spec::awkward_problems(kernel, problem);
  if (!small(kernel.space)) return;
  (void)spec::default_config(kernel, problem, gpu);
  (void)spec::workload_of(kernel, problem, gpu);
  const space::Scope base = spec::base_scope(kernel, problem, gpu);
  for (const Config& config : kernel.space.covering(base, 10, 1)) {
    (void)spec::resolve(kernel, problem, config, gpu);
    (void)spec::chain_of(kernel, problem, config, gpu);
    (void)spec::deterministic(kernel, problem, config, gpu);
    for (const Metric& metric : spec::metrics_of(kernel, problem, config, gpu, 12.5))
      if (metric.value.has_value() == !metric.why.empty()) std::abort();
    if (kernel.objective && !(spec::Cost(kernel, problem, config, gpu).at(12.5) > 0)) std::abort();
  }
}

}  // namespace tuner
