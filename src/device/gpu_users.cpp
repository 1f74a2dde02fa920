#include <signal.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>

#include "device/cuda_facts.h"
#include "device/device.h"
#include "device/driver.h"
#include "device/nvml.h"

namespace tuner::device {
namespace {

// Drivers that do not know the question: the control daemon's own note of its process.
bool mps_daemon_lives() {
  const char* folder = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
  std::ifstream file(std::string(folder && *folder ? folder : "/tmp/nvidia-mps") + "/nvidia-cuda-mps-control.pid");
  long pid = 0;
  if (!(file >> pid) || pid <= 1) return false;
  return ::kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM;
}

bool mps_serves(const Driver& driver, cu::DeviceIndex device) {
  int enabled = 0;
  if (driver.device_attribute(&enabled, cu::Attribute::mps_enabled, device) == cu::kSuccess) return enabled != 0;
  return mps_daemon_lives();
}

}  // namespace

GpuUsers gpu_users(int index) {
  const Driver& loaded = driver();
  const cu::DeviceIndex device = cuda_device(loaded, index);
  const Nvml nvml(cuda_facts(loaded, device).uuid, pci_bus_id(loaded, device));
  return {nvml.processes(), nvml.utilization_percent(), mps_serves(loaded, device)};
}

}  // namespace tuner::device
