// Named ranges for profilers, through NVTX: ncu filters launches by them, nsys draws them. A profiler names its library
// in NVTX_INJECTION64_PATH; without one a range does nothing.
#pragma once

namespace tuner::device {

// Lasts as long as this object, on its thread. `name` must outlive it.
class ProfilerRange {
 public:
  explicit ProfilerRange(const char* name);
  ~ProfilerRange();
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
};

}  // namespace tuner::device
