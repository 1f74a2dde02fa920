// Scratch that every launch finds 0 and leaves 0.
#pragma once

#include "core/trial.h"
#include "device/device.h"
#include "measure/prepared.h"

namespace tuner::measure {

// All of it to `byte`.
void set_zeroed(device::Device& device, const Bound& bound, int byte);

// After a run: a wrong result where something else was left, with the first place; it is 0 again then.
Verdict not_left_zero(device::Device& device, const Bound& bound);

}  // namespace tuner::measure
