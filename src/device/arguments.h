// Arguments as a kernel launch takes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/execution.h"
#include "device/device.h"

namespace tuner::device {

// What a launch passes, in the entry's order, with pointers to it. Move only: the pointers are into the values.
struct PackedArguments {
  PackedArguments() = default;
  PackedArguments(PackedArguments&&) = default;
  PackedArguments& operator=(PackedArguments&&) = default;
  std::vector<std::string> values;  // little-endian; a narrow scalar fills the low bytes of 8
  std::vector<void*> pointers;
  std::vector<std::size_t> indices;  // into the execution's arguments
};

// Buffers give their binding; scalars their value as their type, as this step sees it.
PackedArguments pack_arguments(const std::vector<Argument>& arguments, const Step& step, const Bindings& bindings);

// A launch with other arguments than the kernel has would read past their end. Empty: they match.
std::string mismatch(const std::vector<int>& parameter_bytes, const std::vector<Argument>& arguments,
                     const PackedArguments& packed);

// An argument must fit its __constant__, which may have room for more. Empty: it does.
std::string symbol_mismatch(const Argument& argument, std::int64_t symbol_bytes);
std::string no_symbol(const Argument& argument);

}  // namespace tuner::device
