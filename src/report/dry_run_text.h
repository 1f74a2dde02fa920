// The size of a sweep, as text and as JSON.
#pragma once

#include <string>

#include "report/style.h"
#include "tune/dry_run.h"

namespace tuner::report {

struct DryRunFigures {
  tune::DryRun dry;
  GpuFacts gpu;
  bool emulated = false;
  std::string compiler;  // NVRTC's version, or the host compiler; empty: there is none here
};

std::string dry_run_text(const DryRunFigures& figures, const Style& style);
std::string dry_run_json(const DryRunFigures& figures);

}  // namespace tuner::report
