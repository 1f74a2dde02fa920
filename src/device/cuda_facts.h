// What the driver and NVML report about one GPU.
#pragma once

#include <string>

#include "core/gpu.h"
#include "device/driver.h"

namespace tuner::device {

// Throws MachineError for an index with no GPU.
cu::DeviceIndex cuda_device(const Driver& driver, int index);
GpuFacts cuda_facts(const Driver& driver, cu::DeviceIndex device);
// "GPU-8c3f..." as nvidia-smi prints it.
std::string uuid_text(const cu::Uuid& uuid);
std::string pci_bus_id(const Driver& driver, cu::DeviceIndex device);

}  // namespace tuner::device
