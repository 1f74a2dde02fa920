#include "device/host_library.h"

#include <fmt/core.h>

#include "core/error.h"

namespace tuner::device {

HostLibrary::HostLibrary(const Artifact& artifact, const tuner_simt::Runtime* runtime) {
  const std::string& path = artifact.image;
  if (!library_.open(path)) throw MachineError("a host module does not load: " + library_.error(), path);
  tuner_simt::LibraryFunction* get = nullptr;
  if (!library_.find(get, "tuner_host_library")) throw MachineError("not a module of the host device", path);
  const tuner_simt::Library* library = get(runtime);
  if (library->version != tuner_simt::abi_version)
    throw MachineError(fmt::format("a host module of version {}, where {} is wanted", library->version,
                                   static_cast<int>(tuner_simt::abi_version)),
                       path, "clear the cache");
  if (artifact.host_index < 0 || artifact.host_index >= library->configuration_count)
    throw MachineError(fmt::format("a host module with {} configurations has no number {}",
                                   library->configuration_count, artifact.host_index),
                       path);
  configuration_ = &library->configurations[artifact.host_index];
  for (const KernelAttributes& kernel : artifact.kernels)
    if (find(kernel.entry) == nullptr)
      throw MachineError(fmt::format("a host module has no __global__ '{}'", kernel.entry), path);
}

const tuner_simt::Entry* HostLibrary::find(std::string_view entry) const {
  for (int i = 0; i < configuration_->entry_count; ++i)
    if (configuration_->entries[i].name == entry) return &configuration_->entries[i];
  return nullptr;
}

const tuner_simt::Symbol* HostLibrary::find_symbol(std::string_view name) const {
  for (int i = 0; i < configuration_->symbol_count; ++i)
    if (configuration_->symbols[i].name == name) return &configuration_->symbols[i];
  return nullptr;
}

}  // namespace tuner::device
