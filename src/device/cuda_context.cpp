#include "device/cuda_context.h"

#include <fmt/core.h>

#include <thread>

namespace tuner::device {

namespace {

// Polling costs a core; after this long a kernel is slow enough for the waiter to sleep between looks.
constexpr std::chrono::microseconds kSpin{1000};
constexpr std::chrono::microseconds kNap{50};

}  // namespace

CudaContext::CudaContext(const Driver& driver, cu::DeviceIndex device) : driver_(driver), device_(device) {
  // Without this flag a kernel with more local memory than any before it would resize everybody's stack, with a
  // synchronisation, inside its first timed launch. A refusal means that somebody holds the context: carry on.
  driver_.context_set_flags(device_, cu::kContextKeepLocalMemory);
  tuner::device::check(driver_, driver_.context_retain(&context_, device_), "open the GPU");
  tuner::device::check(driver_, driver_.context_set_current(context_), "use the GPU");
  driver_.context_reset_persisting_l2();  // older GPUs have none
  tuner::device::check(driver_, driver_.stream_create(&stream_, cu::kStreamNonBlocking), "create a stream");
}

CudaContext::~CudaContext() {
  if (lost_) return;
  driver_.stream_destroy(stream_);
  driver_.context_release(device_);
}

void CudaContext::check(cu::Result result, std::string_view what) {
  if (result == cu::kSuccess) return;
  if (lost_ || is_sticky(result)) {
    lost_ = true;
    throw DeviceFault(result == cu::kLaunchTimeout ? Reason::timeout : Reason::fault,
                      fmt::format("cannot {}: {}", what, error_text(driver_, result)));
  }
  tuner::device::check(driver_, result, what);
}

cu::Result CudaContext::wait(std::optional<Clock::time_point> deadline) {
  const auto start = Clock::now();
  for (;;) {
    const cu::Result result = driver_.stream_query(stream_);
    if (result != cu::kNotReady) {
      if (result != cu::kSuccess) lost_ = true;  // what a stream reports late has ended the context
      return result;
    }
    const auto now = Clock::now();
    if (deadline && now >= *deadline) {
      lost_ = true;
      return cu::kNotReady;
    }
    if (now - start > kSpin) std::this_thread::sleep_for(kNap);
  }
}

void CudaContext::settle() { check(wait(), "wait for the GPU"); }

}  // namespace tuner::device
