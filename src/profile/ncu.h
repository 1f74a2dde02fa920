// Nsight Compute's command line: where it is, what it is asked, and what its words mean.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/counters.h"
#include "proc/toolkit_program.h"

namespace tuner::profile {

using Ncu = proc::ToolkitProgram;

// $TUNER_NCU alone where it is set, else the first of $CUDA_HOME/bin, $CUDA_PATH/bin, PATH, /usr/local/cuda/bin and the
// newest of /opt/nvidia/nsight-compute and /usr/local/cuda*/nsight-compute*.
Ncu find_ncu();
// As find_ncu; throws MachineError where there is none that works.
Ncu choose_ncu();

// What is run under it, and what is wanted.
struct Request {
  std::vector<std::string> command;   // launches each of `launches` once, within an NVTX range
  std::string range;                  // of that name
  std::vector<std::string> launches;  // their entries, in order
  std::vector<std::string> metrics;   // by its names
  std::function<bool()> stop = {};    // asked while it runs; true ends it with Interrupted
};

struct Counted {
  std::vector<LaunchCounters> launches;  // one for each that was asked, but not more than most_launches
  int exit_code = 0;                     // of the command; where it is not 0 there may be no launches
  std::string out, err;                  // what the command said
};

// ncu replays each launch many times.
inline constexpr std::size_t most_launches = 32;

// Runs the command once under ncu. Clocks are left as they are, caches are flushed before every replay. Throws
// MachineError where the counters are refused, held by another tool or not there, and where ncu does not do what is
// asked; Interrupted.
Counted count(const Ncu& ncu, const Request& request);

}  // namespace tuner::profile
