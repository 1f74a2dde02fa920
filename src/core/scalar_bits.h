// Scalar arguments as a launch passes them.
#pragma once

#include <cstdint>

#include "core/execution.h"

namespace tuner {

// The bits of a scalar in its type, in the low bytes: `real` rounded to nearest even where the type is floating, else
// `value`.
std::uint64_t scalar_bits(const Argument& scalar);

}  // namespace tuner
