// Dependent launches whose predecessors write late.
#include <array>
#include <cassert>

#include "device/cuda_device.h"

namespace tuner::device {

namespace {

// How long a predecessor stands before it writes: its successor has long started, or is not allowed to.
constexpr std::uint64_t kLateClocks = 100000;  // about 50 us
constexpr unsigned kLateBlocks = 8;            // they leave room for the successor
constexpr unsigned kLateThreads = 256;

void* opaque(const void* value) { return const_cast<void*>(value); }

}  // namespace

cu::Result CudaDevice::launch_late(cu::Function kernel, std::span<void*> arguments) {
  cu::LaunchAttribute overlapping = cu::overlapping();
  const cu::LaunchConfig config{kLateBlocks, 1, 1, kLateThreads, 1, 1, 0, context_.stream(), &overlapping, 1};
  return context_.driver().launch_with(&config, kernel, arguments.data(), nullptr);
}

cu::Result CudaDevice::leave(const Left& left, std::uint64_t clocks) {
  if (left.fed_elements > 0) {
    const int type = static_cast<int>(left.type), from_type = static_cast<int>(left.from_type);
    const std::int64_t count = left.bytes / size_of(left.type);
    std::array<void*, 8> arguments{
        opaque(&left.to),           opaque(&count),     opaque(&type),           opaque(&left.from),
        opaque(&left.fed_elements), opaque(&from_type), opaque(&left.magnitude), opaque(&clocks)};
    return launch_late(feed_, arguments);
  }
  std::array<void*, 5> arguments{opaque(&left.to), opaque(&left.from), opaque(&left.bytes), opaque(&left.byte),
                                 opaque(&clocks)};
  return launch_late(leave_, arguments);
}

RunResult CudaDevice::run_chain(std::span<const Link> links, const RunOptions&, Clock::time_point deadline) {
  assert(!links.empty());
  const Driver& driver = context_.driver();
  if (!driver.launch_with) return {Reason::launch_error, "the driver has no cuLaunchKernelEx (CUDA 11.8)", false, 0};
  context_.settle();
  const auto start = Clock::now();
  auto outcome = modules_.set_symbols(links.front().timed);
  context_.check(driver.event_record(start_, context_.stream()), "record an event");
  for (const Link& link : links) {
    for (const Left& left : link.before)
      context_.check(leave(left, &left == &link.before.front() ? kLateClocks : 0), "launch a support kernel");
    if (outcome.ok()) outcome = modules_.enqueue(link.timed, true);
  }
  return ended(outcome, start, deadline);
}

}  // namespace tuner::device
