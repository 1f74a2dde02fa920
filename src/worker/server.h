// The worker's loop, whatever the device.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/gpu.h"
#include "device/device.h"

namespace tuner::worker {

struct DeviceSource {
  GpuFacts facts;  // before the device is opened
  bool emulated = false;
  int gpus = 0;  // that this process sees
  std::function<std::unique_ptr<device::Device>(const Artifact& support)> open;
  std::function<GpuUsers()> users = [] { return GpuUsers{}; };
};

// Moves fds 0 and 1 away, points them at /dev/null and stderr, sends the first frame and answers until `bye` or the end
// of input. `find` may throw: the first frame then carries the error. Returns the exit code; does not return when the
// device is lost or a deadline passes.
int serve_device(const std::string& word, const std::function<DeviceSource()>& find);

}  // namespace tuner::worker
