// Arguments as a kernel launch takes them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/execution.h"
#include "device/device.h"

namespace tuner::device {

// The values of an execution's arguments and pointers to them, in order. Pointers stay valid when it is moved.
struct PackedArguments {
  std::vector<std::uint64_t> values;  // little-endian; a narrow scalar fills the low bytes
  std::vector<void*> pointers;
};

// Buffers give their binding, scalars their value as their type; a floating one is rounded to nearest even.
PackedArguments pack_arguments(const std::vector<Argument>& arguments, const Bindings& bindings);

// The bits of an integer in a type.
std::uint64_t scalar_bits(Type type, std::int64_t value);

}  // namespace tuner::device
