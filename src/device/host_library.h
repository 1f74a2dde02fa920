// A shared object that the host build made: many configurations, one of which a module means.
#pragma once

#include <string_view>

#include "core/artifact.h"
#include "core/simt_abi.h"
#include "device/shared_library.h"

namespace tuner::device {

class HostLibrary {
 public:
  // Throws MachineError for an image that does not load, is of another version or lacks an entry of `artifact`.
  HostLibrary(const Artifact& artifact, const tuner_simt::Runtime* runtime);

  const tuner_simt::Configuration& configuration() const { return *configuration_; }
  const tuner_simt::Entry* find(std::string_view entry) const;
  const tuner_simt::Symbol* find_symbol(std::string_view name) const;

 private:
  SharedLibrary library_;
  const tuner_simt::Configuration* configuration_ = nullptr;
};

}  // namespace tuner::device
