// One configuration compiled, loaded and launched exactly once, for a profiler. Nothing is checked, timed or stored.
#pragma once

#include "spec/sweep_plan.h"
#include "tune/session.h"

namespace tuner::tune {

struct Ran {
  GpuFacts gpu;
  bool emulated = false;
  std::string compiler;
  Config config;
  Execution execution;
  Artifact artifact;
  Verdict verdict;  // not ok: what kept it from ending
};

// `config` is asked once the GPU is known. Throws UserError where the configuration is not legal there.
Ran run_once(const spec::PlannedProblem& planned, const std::function<Config(const GpuFacts&)>& config,
             const SweepOptions& options, compile::Cache& cache, Observer& observer);

}  // namespace tuner::tune
