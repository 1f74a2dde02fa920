// The inner loop of the gemv reference: dot products of generated rows with given columns.
#pragma once

#include <cstdint>
#include <span>

#include "device/device.h"

namespace tuner::measure {

struct DotSums {
  double sum = 0;
  double magnitude = 0;
};

// sums[b] += over j < count of a[first + j] * x[b][j], where a is generated. Picks the widest vectors this CPU has.
void dot_generated(const device::FillRequest& a, std::int64_t first, std::int64_t count,
                   std::span<const double* const> x, std::span<DotSums> sums);

// Writes elements [first, first + count) of a generated array as floats; exact for every type but f64 and 64-bit
// integers, whose generated values are floats as well.
void generate_floats(const device::FillRequest& a, std::int64_t first, std::int64_t count, float* to);

}  // namespace tuner::measure
