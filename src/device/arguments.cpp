#include "device/arguments.h"

#include <fmt/core.h>

#include <cassert>
#include <cstring>

#include "core/scalar_bits.h"

namespace tuner::device {

PackedArguments pack_arguments(const std::vector<Argument>& arguments, const Step& step, const Bindings& bindings) {
  assert(arguments.size() == bindings.size());
  PackedArguments packed;
  const auto add = [&](std::size_t i) {
    Argument argument = arguments[i];
    for (const auto& [name, value] : step.values)
      if (name == argument.name) argument.real = static_cast<double>(argument.value = value);
    std::string bytes(8, '\0');
    const std::uint64_t word = argument.is_buffer ? bindings[i] : scalar_bits(argument);
    std::memcpy(bytes.data(), &word, 8);
    packed.values.push_back(argument.bytes_by_value.empty() ? bytes : argument.bytes_by_value);
    packed.indices.push_back(i);
  };
  if (step.arguments.empty()) {
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].symbol.empty()) add(i);
  }
  for (const std::string& name : step.arguments)
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].name == name) add(i);
  for (auto& value : packed.values) packed.pointers.push_back(value.data());
  return packed;
}

std::string mismatch(const std::vector<int>& parameter_bytes, const std::vector<Argument>& arguments,
                     const PackedArguments& packed) {
  if (parameter_bytes.size() != packed.indices.size())
    return fmt::format("the kernel takes {} arguments, the manifest gives {}", parameter_bytes.size(),
                       packed.indices.size());
  for (std::size_t i = 0; i < parameter_bytes.size(); ++i) {
    const Argument& argument = arguments[packed.indices[i]];
    if (parameter_bytes[i] != argument.parameter_bytes())
      return fmt::format("argument {} is {} bytes in the kernel and {} in the manifest", argument.name,
                         parameter_bytes[i], argument.parameter_bytes());
  }
  return {};
}

std::string symbol_mismatch(const Argument& argument, std::int64_t symbol_bytes) {
  if (argument.bytes() <= symbol_bytes) return {};
  return fmt::format("the __constant__ '{}' has {} bytes, the argument '{}' {}", argument.symbol, symbol_bytes,
                     argument.name, argument.bytes());
}

std::string no_symbol(const Argument& argument) {
  return fmt::format("the module has no __constant__ '{}' for the argument '{}'", argument.symbol, argument.name);
}

}  // namespace tuner::device
