// A user's host reference, called in a process of its own: what it does to that process costs the worker nothing.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "measure/user_reference.h"

namespace tuner::worker {

// Of one call; a workload takes up to three.
inline constexpr std::chrono::minutes host_reference_deadline{10};

// As measure::HostFunction: `tuner reference-child` loads the object and works on memory that both processes share. It
// is killed at the deadline.
void call_host_reference(const Workload& workload, std::vector<measure::WideArgument>& arguments,
                         std::chrono::milliseconds deadline);

// The child's side: `memory` is the path of the shared memory; stdin holds the job. 0, or 2 with the reason on stderr.
int reference_child_main(const char* memory);

}  // namespace tuner::worker
