// Many child processes at once.
#pragma once

#include <functional>
#include <vector>

#include "proc/child.h"

namespace tuner::proc {

// CPUs this process may use: affinity and cgroup quota, at least 1.
int usable_cpus();

// Runs every command, at most `jobs` at a time, each killed at its own deadline. `done(i, output)` is called on this
// thread as each ends. Stops early, killing what runs, once `stop` returns true (asked at least every 50 ms).
void run_all(const std::vector<Command>& commands, int jobs, const std::function<void(std::size_t, Output)>& done,
             const std::function<bool()>& stop = {});

}  // namespace tuner::proc
