// A user's host reference, called in a process of its own: what it does to that process costs the worker nothing.
#pragma once

#include <string>
#include <vector>

#include "measure/user_reference.h"

namespace tuner::worker {

// As measure::HostFunction: `tuner reference-child` loads the object and works on memory that both processes share.
void call_host_reference(const Workload& workload, std::vector<measure::WideArgument>& arguments);

// The child's side: `memory` is the path of the shared memory; stdin holds the job. 0, or 2 with the reason on stderr.
int reference_child_main(const char* memory);

}  // namespace tuner::worker
