// nvcc, for sources that NVRTC does not take: host code, standard headers, CUB and Thrust.
#pragma once

#include <string>
#include <vector>

#include "compile/compile_job.h"
#include "proc/toolkit_program.h"

namespace tuner::compile {

using Nvcc = proc::ToolkitProgram;

// $TUNER_NVCC alone where it is set, else the first of $CUDA_HOME/bin, $CUDA_PATH/bin, PATH and /usr/local/cuda/bin.
Nvcc find_nvcc();

// As find_nvcc; throws MachineError where there is none that works.
Nvcc choose_nvcc();

struct NvccResult {
  bool ok = false;
  std::string log;
  std::string cubin;  // holds a marker kernel beside each entry (compile/entry_markers.h)
};

// Runs nvcc in this process's group, so that whoever kills the group ends its passes too: for compile children. Its
// files lie in a folder of their own within the job's, and go with the call. Throws MachineError when it does not
// start.
NvccResult compile_with_nvcc(const CompileJob& job, const std::vector<std::string>& options);

}  // namespace tuner::compile
