#include "device/foreign.h"

#include <fmt/core.h>

namespace tuner::device {

std::string Foreign::open(const std::string& path) {
  if (function_ != nullptr) return {};
  if (!library_.open(path)) return library_.error();
  tuner_baseline::FunctionOf* table = nullptr;
  if (!library_.find(table, "tuner_baseline_function")) return "it offers no baseline";
  function_ = table();
  library_.leak();  // the CUDA runtime in it lives as long as the context
  return {};
}

std::string Foreign::call(const Timed& timed, void* workspace, std::size_t& bytes, void* stream) const {
  Step step;
  const auto& arguments = timed.execution->arguments;
  for (const Argument& argument : arguments)
    if (!argument.is_buffer || !is_scratch(argument.role)) step.arguments.push_back(argument.name);
  PackedArguments packed = pack_arguments(arguments, step, timed.bindings);
  const std::size_t own = packed.pointers.size();
  if (function_->count != static_cast<int>(own) + 3)
    return fmt::format(
        "it takes {} arguments and is given {}: the kernel's without scratch, a workspace, its size and a stream",
        function_->count, own + 3);
  for (std::size_t i = 0; i < own; ++i) {
    const Argument& argument = arguments[packed.indices[i]];
    if (function_->bytes[i] != argument.parameter_bytes())
      return fmt::format("'{}' is {} bytes in it and {} in the manifest", argument.name, function_->bytes[i],
                         argument.parameter_bytes());
  }
  std::size_t* size = &bytes;
  packed.pointers.push_back(&workspace);
  packed.pointers.push_back(&size);
  packed.pointers.push_back(&stream);
  const char* problem = function_->call(packed.pointers.data());
  return problem == nullptr ? std::string() : std::string(problem);
}

}  // namespace tuner::device
