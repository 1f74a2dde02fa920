// What the support kernels do on a GPU, in plain C++: values, comparison, widening. Agrees with them to the bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "device/device.h"

namespace tuner::device {

void host_fill(void* to, const FillRequest& request);
// As Device::widen.
void host_widen(std::span<double> to, const std::byte* from, Type type, bool absolute);
// As Device::first_not.
std::int64_t host_first_not(std::span<const std::byte> bytes, int byte);

}  // namespace tuner::device
