// Runs code that may touch memory it should not, or never end, and comes back all the same.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace tuner::device {

struct HostFault {
  int signal = 0;             // SIGSEGV, SIGBUS, SIGFPE, SIGILL; 0: the deadline passed
  std::uint64_t address = 0;  // 0 where the processor does not tell
  bool write = false;
};

// Empty when `body` returned. Faults are caught only while `in_thread` holds; elsewhere they are bugs of ours and end
// the process. `body` may be left at any instruction: what it owns must stand outside of it.
std::optional<HostFault> run_guarded(const std::function<void()>& body, std::chrono::steady_clock::time_point deadline,
                                     const volatile bool& in_thread);

}  // namespace tuner::device
