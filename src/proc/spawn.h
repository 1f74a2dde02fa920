// Starting a program: vfork-like, own process group, killed with the thread that started it.
#pragma once

#include <string>
#include <vector>

namespace tuner::proc {

// What becomes the child's 0, 1 and 2; -1: this process's own.
struct Wiring {
  int in = -1;
  int out = -1;
  int err = -1;
};

// The new process's id, which is its group's as well. `environment` ("NAME=value") is added to this process's or
// replaces what is there. The child starts with no signal blocked or ignored, no other descriptor and no core dumps.
//
// The kernel kills it when the *thread* that called this ends (PR_SET_PDEATHSIG is a thread's), which includes the end
// of the process by any cause: spawn from a thread that outlives the child. Processes that the child starts itself are
// reached by a kill of the group only.
//
// Throws MachineError when the program is not there or cannot be executed.
int spawn_process(const std::vector<std::string>& argv, const std::vector<std::string>& environment,
                  const Wiring& wiring);

}  // namespace tuner::proc
