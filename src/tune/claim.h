// Before a sweep opens its GPU: no other sweep is there, nobody else computes, no shared service stands in between.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "core/gpu.h"
#include "core/gpu_users.h"
#include "tune/events.h"
#include "tune/gpu_lock.h"

namespace tuner::tune {

struct ClaimOptions {
  double wait_s = 0;
  bool shared = false;  // do not ask who else is there
  bool allow_mps = false;
  std::vector<std::string> lock_folders;
  std::string command;
  std::function<bool()> stop;
  std::chrono::milliseconds between_looks{500};
  // One that has just ended is still listed for a moment: also without `wait_s` it is looked at again for so long.
  std::chrono::milliseconds grace{1000};
  // Where processes cannot be seen, work is: every one of this many looks found the GPU working.
  int working_looks = 10;
  std::chrono::milliseconds between_working_looks{100};
};

// Holds the GPU against other sweeps until it goes. Throws MachineError with who is there, when the time is up;
// Interrupted when `stop` says so.
GpuLock claim_gpu(const GpuFacts& gpu, const std::function<GpuUsers()>& users, const ClaimOptions& options,
                  Observer& observer);

}  // namespace tuner::tune
