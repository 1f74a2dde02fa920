// One candidate on one prepared workload: is it right, and does it keep to its buffers?
#pragma once

#include <cstdint>
#include <vector>

#include "core/execution.h"
#include "core/trial.h"
#include "device/device.h"
#include "measure/prepared.h"

namespace tuner::measure {

struct Candidate {
  device::ModuleId module = -1;
  const Execution* execution = nullptr;
  std::int64_t chain = 0;
  bool deterministic = true;
};

// main: both data sets, three runs of the random one. awkward: the exact one alone, for small problems no tile divides.
enum class Thoroughness { main, awkward };

struct Verification {
  Verdict verdict;
  bool device_lost = false;  // the process must end
};

// Exact set first, over two poisons; where threads can be shuffled, in further orders. Then the random set. Guards and
// checksums of the inputs are read once, at the end or at the first wrong result, and outrank it: a kernel that writes
// out of bounds is told so whatever it computed.
Verification verify(device::Device& device, Prepared& prepared, const Candidate& candidate, Thoroughness thoroughness,
                    device::Clock::time_point deadline);

// An awkward case beside its main one.
struct AwkwardCase {
  Prepared* prepared = nullptr;
  Candidate candidate;
};

// The main case, then the awkward ones; in the dependent regime each also as measure/dependent.h says. Wrong results on
// an awkward case alone leave the verdict ok() with exact_only set and the case in `detail`; a fault, a write out of
// bounds or a changed input there rejects.
Verification verify_all(device::Device& device, Prepared& prepared, const Candidate& candidate,
                        const std::vector<AwkwardCase>& awkward, device::Clock::time_point deadline);

}  // namespace tuner::measure
