// What compiling without a GPU gave: a table of configurations and a count of what was pruned.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compile/occupancy.h"
#include "core/artifact.h"
#include "core/config.h"
#include "core/problem.h"
#include "report/style.h"

namespace tuner::report {

struct CompiledConfig {
  Config config;
  Problem problem;               // whose launch the occupancy is of
  Reason reason = Reason::none;  // it does not compile, or cannot run on this architecture
  std::string detail;
  KernelAttributes attributes;  // of the manifest's entry
  int spill_bytes = 0;
  compile::Occupancy occupancy;
  bool duplicate = false;  // the same kernel as one above it
};

// One kernel of the file.
struct CompiledKernel {
  std::string kernel;
  std::int64_t problems = 0;
  std::vector<CompiledConfig> configs;
};

struct CompileSummary {
  std::string arch;
  std::string nvrtc;
  double seconds = 0;
  std::vector<CompiledKernel> kernels;
};

std::string compile_text(const CompileSummary& summary, const Style& style);
std::string compile_json(const CompileSummary& summary);

}  // namespace tuner::report
