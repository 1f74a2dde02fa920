// NVML, all of it optional: where the library or a call is missing, the answer is empty or zero.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/gpu_users.h"
#include "core/trial.h"

namespace tuner::device {

// One GPU as NVML sees it.
class Nvml {
 public:
  // Finds the GPU by its UUID ("GPU-..." or "MIG-..."), then by its PCI bus id. `TUNER_LIBNVML` replaces the library's
  // path (for tests). Never throws.
  Nvml(const std::string& uuid, const std::string& pci_bus_id);

  std::string driver_version() const;  // "580.159.04"
  int power_limit_w() const;
  // Takes tens of microseconds and the driver's lock: never while a kernel is timed.
  Conditions conditions() const;
  // See GpuUsers; a server of MPS is left out for its clients.
  std::vector<GpuProcess> processes() const;
  int utilization_percent() const;

 private:
  using Handle = void*;
  Handle gpu_ = nullptr;
};

// The reasons in a bit mask of NVML, comma separated; empty when the clocks are free or the GPU is idle.
std::string throttle_text(unsigned long long reasons);

}  // namespace tuner::device
