// One kernel tried once, to tell whether what its author wrote hangs together: the space counted, one configuration
// compiled, verified as a sweep does it. Nothing is timed or stored.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/metric.h"
#include "spec/sweep_plan.h"
#include "tune/session.h"

namespace tuner::tune {

// One configuration compiled for a GPU, by NVRTC or nvcc.
struct GpuCompile {
  std::string compiler;  // "13.0.88" of NVRTC, "nvcc 13.0.88"
  int arch = 0;
  Execution execution;
  Artifact artifact;
  std::vector<std::string> mismatches;  // between the manifest's arguments and the kernel's parameters
  std::string reference_log;            // of a reference kernel that does not compile; else empty
};

struct Check {
  Problem problem;
  std::int64_t configs = 0;
  std::map<std::string, std::int64_t> excluded;  // by constraint
  GpuFacts gpu;
  bool emulated = false;
  std::string compiler;  // of what ran
  Config config;
  std::vector<Metric> metrics{};     // as if it took a microsecond
  std::size_t awkward = 0;           // shapes it was verified at beside its own
  std::size_t awkward_all = 0;       // that there are; at the rest this configuration is not legal
  std::vector<std::string> files{};  // that have one size, for which there are none
  bool judged = true;                // false: the manifest says of no result whether it is right
  Verdict verdict;
};

// Compiles the default configuration and a reference kernel with the manifest's compiler, for the kernel's target or
// the oldest architecture it runs on; empty where it runs on none. Throws MachineError where that compiler is not here.
std::optional<GpuCompile> compile_for_gpu(const spec::PlannedProblem& planned, const SweepOptions& options,
                                          compile::Cache& cache);

// Runs the manifest's default, or without one the first legal configuration. Throws UserError where none is legal.
Check check(const spec::PlannedProblem& planned, const SweepOptions& options, compile::Cache& cache,
            Observer& observer);

// A problem to try a kernel at when nobody named one: the first with a legal configuration among round shapes and the
// awkward ones. Throws UserError where there is none.
Problem example_problem(const spec::KernelSpec& kernel, const Facts& facts);

}  // namespace tuner::tune
