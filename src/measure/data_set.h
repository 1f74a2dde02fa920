// The two data sets every candidate runs on.
//
// exact:  small integers, so that every partial sum is exact in a float accumulator, in any order.
// random: what the manifest's `fill` says.
//
// What is no amount keeps its fill in both: integers with a `fill` (indices, say), iota, files.
//
// Every rotating copy of the weights holds the values of the random set, so that every timed output can be checked.
#pragma once

#include <cstdint>

#include "core/execution.h"
#include "device/device.h"

namespace tuner::measure {

enum class DataSet { exact, random };

// Up to here a float holds every integer.
inline constexpr std::int64_t most_exact = std::int64_t{1} << 24;

// The largest |value| of the exact set, 1 to 3, such that magnitude^2 * terms <= 2^24. Beyond 2^24 terms 1: there the
// hashed signs keep partial sums near sqrt(terms), which the reference checks.
int exact_magnitude(std::int64_t terms);

// How argument `index` of the workload, no file, is filled. `generation` gives other values of the same kind.
device::FillRequest fill_request(const Workload& workload, std::size_t index, DataSet set,
                                 std::uint64_t generation = 0);

}  // namespace tuner::measure
