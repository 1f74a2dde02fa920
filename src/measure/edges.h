// One value of a row that is left out of a sum of many hardly shows in the result. So a large one stands wherever a
// kernel's vectors, warps, tiles or parts of a row may begin or end: what treats one of them wrongly is wrong by far
// more than roundings are.
#pragma once

#include <cstdint>
#include <vector>

#include "core/execution.h"
#include "device/device.h"

namespace tuner::measure {

// In order: the powers of two and the elements before them, from either end, and where sixteenths begin and end.
std::vector<std::int64_t> edges_of_row(std::int64_t length);

// Puts `argument.fill.edge` at these elements of rows of the last dim's length: of the first 32 and the last 32. The
// rows of the buffer at `address` are as many as the other dims say, and equally far apart.
void raise_edges(device::Device& device, device::Address address, const Argument& argument,
                 const std::vector<std::int64_t>& dims);

}  // namespace tuner::measure
