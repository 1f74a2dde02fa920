// A reference that is a kernel: run in double on the device, where its inputs are.
#pragma once

#include <chrono>
#include <vector>

#include "core/execution.h"
#include "device/device.h"
#include "measure/reference.h"

namespace tuner::measure {

// Of one run; a workload takes up to three.
inline constexpr std::chrono::minutes reference_kernel_deadline{5};

// As user_reference, by the steps of `workload.reference` in `module`.
std::vector<Reference> kernel_reference(device::Device& device, const Workload& workload,
                                        const std::vector<device::Address>& inputs, bool sums, device::ModuleId module);

}  // namespace tuner::measure
