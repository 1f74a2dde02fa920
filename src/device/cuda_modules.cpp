#include "device/cuda_modules.h"

#include <fmt/core.h>

#include <cassert>
#include <limits>

#include "core/error.h"
#include "device/arguments.h"

namespace tuner::device {

namespace {

bool fits(const Dim3& d) {
  constexpr std::int64_t kMax = std::numeric_limits<unsigned>::max();
  return d.x >= 1 && d.y >= 1 && d.z >= 1 && d.x <= kMax && d.y <= kMax && d.z <= kMax;
}

unsigned narrow(std::int64_t value) { return static_cast<unsigned>(value); }

constexpr std::int64_t kPortableCluster = 8;  // blocks

bool is_clustered(const Step& step) { return step.cluster != Dim3{}; }

std::string launch_text(const Step& step) {
  std::string text = fmt::format(
      "launch {} with grid ({}, {}, {}), block ({}, {}, {}) and {} bytes of dynamic shared memory", step.entry,
      step.grid.x, step.grid.y, step.grid.z, step.block.x, step.block.y, step.block.z, step.shared_bytes);
  if (is_clustered(step)) text += fmt::format(", cluster ({}, {}, {})", step.cluster.x, step.cluster.y, step.cluster.z);
  if (step.cooperative) text += ", cooperatively";
  return text;
}

}  // namespace

CudaModules::~CudaModules() {
  if (context_.lost()) return;
  for (auto& [id, module] : modules_) context_.driver().module_unload(module.handle);
}

ModuleId CudaModules::load(const Artifact& artifact) {
  const Driver& driver = context_.driver();
  Module module;
  context_.check(driver.module_load(&module.handle, artifact.image.data()), "load the module");
  for (const auto& attributes : artifact.kernels) {
    Kernel kernel;
    kernel.parameter_bytes = attributes.parameter_bytes;
    kernel.dynamic_shared -= attributes.static_shared_bytes;
    const cu::Result found = driver.module_function(&kernel.function, module.handle, attributes.symbol.c_str());
    if (found == cu::kSuccess) {
      // Whatever CUDA_MODULE_LOADING says, the code shall be on the GPU before the first launch.
      if (driver.function_load) context_.check(driver.function_load(kernel.function), "load the kernel");
      module.kernels.emplace(attributes.entry, kernel);
      continue;
    }
    driver.module_unload(module.handle);
    context_.check(found, fmt::format("find the kernel {} in the module", attributes.entry));
  }
  modules_.emplace(next_, std::move(module));
  return next_++;
}

void CudaModules::unload(ModuleId module) {
  const auto found = modules_.find(module);
  assert(found != modules_.end());
  if (!context_.lost()) context_.check(context_.driver().module_unload(found->second.handle), "unload the module");
  modules_.erase(found);
}

cu::Function CudaModules::function(ModuleId module, const std::string& entry) const {
  const auto& kernels = modules_.at(module).kernels;
  const auto found = kernels.find(entry);
  if (found == kernels.end()) throw MachineError(fmt::format("the module has no kernel {}", entry));
  return found->second.function;
}

CudaModules::Outcome CudaModules::set_symbols(const Timed& timed) {
  const cu::Module module = modules_.at(timed.module).handle;
  const auto& arguments = timed.execution->arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].symbol.empty()) continue;
    if (auto outcome = set_symbol(module, arguments[i], timed.bindings[i]); !outcome.ok()) return outcome;
  }
  return {};
}

CudaModules::Outcome CudaModules::set_symbol(cu::Module module, const Argument& argument, Address from) {
  cu::Pointer symbol = 0;
  std::size_t bytes = 0;
  const cu::Result found = context_.driver().module_global(&symbol, &bytes, module, argument.symbol.c_str());
  if (found == cu::kNotFound) return {found, no_symbol(argument)};
  if (found != cu::kSuccess) return refused(found, "find the __constant__ " + argument.symbol);
  if (std::string why = symbol_mismatch(argument, static_cast<std::int64_t>(bytes)); !why.empty())
    return {cu::kInvalidValue, why};
  if (argument.bytes() == 0) return {};
  return refused(
      context_.driver().copy_on_device(symbol, from, static_cast<std::size_t>(argument.bytes()), context_.stream()),
      "set the __constant__ " + argument.symbol);
}

CudaModules::Outcome CudaModules::enqueue(const Timed& timed, bool overlapping) {
  const Execution& execution = *timed.execution;
  auto& kernels = modules_.at(timed.module).kernels;
  for (const auto& step : execution.steps) {
    Outcome outcome;
    if (step.kind == Step::Kind::memset) {
      outcome = set(step, timed);
    } else if (const auto kernel = kernels.find(step.entry); kernel == kernels.end()) {
      outcome = {cu::kNotFound, fmt::format("the module has no kernel {}", step.entry)};
    } else {
      PackedArguments packed = pack_arguments(execution.arguments, step, timed.bindings);
      const std::string text = mismatch(kernel->second.parameter_bytes, execution.arguments, packed);
      const bool first = &step == &execution.steps.front();
      outcome = text.empty() ? launch(kernel->second, step, overlapping && first, packed.pointers.data())
                             : Outcome{cu::kInvalidValue, text};
    }
    if (!outcome.ok()) return outcome;
  }
  return {};
}

CudaModules::Outcome CudaModules::set(const Step& step, const Timed& timed) {
  const auto& arguments = timed.execution->arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].name != step.argument) continue;
    const auto bytes = static_cast<std::size_t>(arguments[i].bytes());
    return refused(context_.driver().memory_set(timed.bindings[i], static_cast<unsigned char>(step.byte), bytes,
                                                context_.stream()),
                   fmt::format("set {} bytes of {}", bytes, step.argument));
  }
  return {cu::kNotFound, fmt::format("no argument {} to set", step.argument)};
}

CudaModules::Outcome CudaModules::launch(Kernel& kernel, const Step& step, bool overlapping, void** arguments) {
  if (!fits(step.grid) || !fits(step.block) || !fits(step.cluster) || step.shared_bytes < 0 ||
      step.shared_bytes > std::numeric_limits<int>::max())
    return {cu::kInvalidValue, fmt::format("cannot {}: outside what a launch can say", launch_text(step))};
  if (auto outcome = allow_shared(kernel, step.shared_bytes); !outcome.ok()) return outcome;
  if (is_clustered(step) || step.cooperative || overlapping) return launch_with(kernel, step, overlapping, arguments);
  return refused(
      context_.driver().launch(kernel.function, narrow(step.grid.x), narrow(step.grid.y), narrow(step.grid.z),
                               narrow(step.block.x), narrow(step.block.y), narrow(step.block.z),
                               narrow(step.shared_bytes), context_.stream(), arguments, nullptr),
      launch_text(step));
}

CudaModules::Outcome CudaModules::launch_with(Kernel& kernel, const Step& step, bool overlapping, void** arguments) {
  const Driver& driver = context_.driver();
  if (!driver.launch_with)
    return {cu::kInvalidValue,
            fmt::format("cannot {}: the driver is too old: it has no cuLaunchKernelEx (CUDA 11.8)", launch_text(step))};
  cu::LaunchAttribute attributes[3] = {};
  cu::LaunchConfig config{
      narrow(step.grid.x),  narrow(step.grid.y),       narrow(step.grid.z), narrow(step.block.x), narrow(step.block.y),
      narrow(step.block.z), narrow(step.shared_bytes), context_.stream(),   attributes,           0};
  if (is_clustered(step)) {
    if (auto outcome = allow_cluster(kernel, step.cluster.x * step.cluster.y * step.cluster.z); !outcome.ok())
      return outcome;
    cu::LaunchAttribute& cluster = attributes[config.attribute_count++];
    cluster.id = cu::LaunchAttribute::Id::cluster_dimension;
    cluster.value.cluster = {narrow(step.cluster.x), narrow(step.cluster.y), narrow(step.cluster.z)};
  }
  if (step.cooperative) {
    cu::LaunchAttribute& cooperative = attributes[config.attribute_count++];
    cooperative.id = cu::LaunchAttribute::Id::cooperative;
    cooperative.value.cooperative = 1;
  }
  if (overlapping) attributes[config.attribute_count++] = cu::overlapping();
  return refused(driver.launch_with(&config, kernel.function, arguments, nullptr), launch_text(step));
}

CudaModules::Outcome CudaModules::allow_cluster(Kernel& kernel, std::int64_t blocks) {
  if (blocks <= kPortableCluster || kernel.any_cluster) return {};
  const cu::Result result =
      context_.driver().function_set_attribute(kernel.function, cu::kFunctionNonPortableCluster, 1);
  kernel.any_cluster = result == cu::kSuccess;
  return refused(result, fmt::format("opt in to clusters of {} blocks", blocks));
}

CudaModules::Outcome CudaModules::allow_shared(Kernel& kernel, std::int64_t bytes) {
  if (bytes <= kernel.dynamic_shared) return {};
  const cu::Result result =
      context_.driver().function_set_attribute(kernel.function, cu::kFunctionMaxDynamicShared, static_cast<int>(bytes));
  if (result == cu::kSuccess) kernel.dynamic_shared = bytes;
  return refused(result, fmt::format("opt in to {} bytes of dynamic shared memory", bytes));
}

CudaModules::Outcome CudaModules::refused(cu::Result result, const std::string& what) const {
  if (result == cu::kSuccess) return {};
  return {result, fmt::format("cannot {}: {}", what, error_text(context_.driver(), result))};
}

}  // namespace tuner::device
