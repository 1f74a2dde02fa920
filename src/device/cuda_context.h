// One GPU's primary context and the one stream on which everything runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "device/device.h"
#include "device/driver.h"

namespace tuner::device {

class CudaContext {
 public:
  CudaContext(const Driver& driver, cu::DeviceIndex device);
  ~CudaContext();
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  const Driver& driver() const { return driver_; }
  cu::Stream stream() const { return stream_; }

  // Throws DeviceFault for an error that ends the context, MachineError for another.
  void check(cu::Result result, std::string_view what);

  // Polls until everything enqueued so far has ended. kNotReady: the deadline passed first, and the context counts as
  // lost. Without a deadline it waits for ever.
  cu::Result wait(std::optional<Clock::time_point> deadline = {});
  // As wait, but throws as check does.
  void settle();

  // A kernel faulted or hangs: no call may wait for this context any more, so nothing of it is freed.
  bool lost() const { return lost_; }
  void lose() { lost_ = true; }

 private:
  const Driver& driver_;
  cu::DeviceIndex device_;
  cu::Context context_ = nullptr;
  cu::Stream stream_ = nullptr;
  bool lost_ = false;
};

}  // namespace tuner::device
