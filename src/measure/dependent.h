// Whether a candidate waits for its predecessor.
#pragma once

#include "measure/verify.h"

namespace tuner::measure {

// For candidates of the dependent regime that are right on their own. What comes before the launch lets it start at
// once, and only much later writes activations, poisons results and scratch; then, where results are exact, those of
// this launch are fed to another one in the same way. main: both data sets; awkward: the exact one, without feeding.
Verification verify_dependent(device::Device& device, Prepared& prepared, const Candidate& candidate,
                              Thoroughness thoroughness, device::Clock::time_point deadline);

}  // namespace tuner::measure
