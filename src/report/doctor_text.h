// What this machine offers, as text.
#pragma once

#include <string>
#include <vector>

#include "compile/nvcc.h"
#include "compile/nvrtc.h"
#include "core/gpu.h"
#include "profile/ncu.h"
#include "report/style.h"

namespace tuner::report {

struct Checkup {
  std::vector<GpuFacts> gpus;
  std::string gpu_problem;  // why there are no (more) GPUs
  std::vector<compile::NvrtcCandidate> nvrtc;
  std::string nvrtc_taken;  // path; empty: none fits
  std::string nvrtc_problem;
  compile::Nvcc nvcc;
  profile::Ncu ncu;
  std::string cublas;         // path; empty: none
  std::string host_compiler;  // "g++ 12.2.0"; empty: none
  std::string host_problem;
  std::vector<std::pair<std::string, std::string>> places;  // name, path and state
  std::vector<std::pair<std::string, std::string>> layers;  // name, what it holds
  std::vector<std::string> warnings;
  std::vector<std::string> damage;  // a sentence each; with `repaired` they say what was done
  bool repaired = false;
};

std::string doctor_text(const Checkup& checkup, const Style& style);
std::string doctor_json(const Checkup& checkup);

}  // namespace tuner::report
