// A manifest's metrics, and its objective, with numbers in.
#pragma once

#include <string>
#include <vector>

#include "core/metric.h"
#include "spec/kernel_spec.h"
#include "spec/resolve.h"

namespace tuner::spec {

// Every metric of `config` when it takes this time, in the manifest's order. One that cannot be computed says why.
std::vector<Metric> metrics_of(const KernelSpec& kernel, const Problem& problem, const Config& config,
                               const GpuFacts& gpu, double time_us);

// The objective with every metric and `let` that it is made of: "max tflops = 2 * M * N / time_s / 1e12"; empty where
// it is the time.
std::string objective_text(const KernelSpec& kernel);

// What `config` is ranked by in place of its time, lower is better: the objective's metric, or one over it where the
// largest is the best. The kernel has an objective.
class Cost {
 public:
  Cost(const KernelSpec& kernel, const Problem& problem, const Config& config, const GpuFacts& gpu);
  // Throws UserError where the metric cannot be computed for this time, or is not above 0.
  double at(double time_us);

 private:
  const KernelSpec& kernel_;
  space::Scope scope_;
};

}  // namespace tuner::spec
