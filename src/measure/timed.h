// What is timed: a graph of launches over rotating copies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/execution.h"
#include "core/trial.h"
#include "device/device.h"
#include "measure/prepared.h"

namespace tuner::measure {

// Launches in one graph of a kernel that takes about `us`: a multiple of `copies` that lasts at least 500 us (what
// bracketing a graph costs is then under 0.2 % of it), at most 512; from 100 us on whole rounds of the copies, at least
// 4 launches; a single launch over 1 ms.
//
// `ring_us`: the shortest time in which all copies can pass the memory. Where a round of the copies takes over 200
// times as long, what their coldness costs is under 0.5 % of it, and as few launches as last 500 us are enough. 0:
// unknown.
int launches_for(double us, int copies, double ring_us = 0);

// The shortest time in which `bytes` can pass at the memory's nominal clock; 0 when that is unknown.
double shortest_us(double bytes, const GpuFacts& gpu);

struct TimedGraph {
  std::string problem;  // not empty: not recorded, and why
  bool device_lost = false;
  device::GraphId graph = -1;
  int launches = 0;
  double first_us = 0;  // of the discarded first replay, a launch
};

// `rough_us`: an earlier run's wall time, or 0: it is run once first. Recorded again when the first replay shows that
// the number of launches was far off.
TimedGraph record_kernel(device::Device& device, Prepared& prepared, device::ModuleId module,
                         const Execution& execution, double rough_us, device::Clock::time_point deadline);

// The vendor's gemv on the same copies. `order` as in Device::Gemv.
TimedGraph record_vendor(device::Device& device, Prepared& prepared, int order, device::Clock::time_point deadline);

// The baseline in a shared object (core/baseline_abi.h), with the workload's arguments.
TimedGraph record_foreign(device::Device& device, Prepared& prepared, const std::string& library,
                          const Execution& execution, device::Clock::time_point deadline);

// Replays the graph alone over poisoned outputs and compares every copy it writes with the random set's reference.
// Empty: no reference to compare with.
std::optional<Verdict> check_timed(device::Device& device, Prepared& prepared, const TimedGraph& timed,
                                   std::int64_t chain, device::Clock::time_point deadline);

}  // namespace tuner::measure
