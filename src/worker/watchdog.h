// A thread that ends this process when a request outlives its deadline or nobody is left to answer.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace tuner::worker {

using Clock = std::chrono::steady_clock;

class Watchdog {
 public:
  // Watches `fd` for its writer to go; at that moment a request in progress ends with _exit(exit_orphan), and an idle
  // process is given two seconds to see the end of its input itself.
  explicit Watchdog(int fd);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // From now until disarm: _exit(exit_deadline) at `deadline`, whatever the other threads do.
  void arm(Clock::time_point deadline);
  void disarm();

 private:
  void watch(int fd);

  std::atomic<std::int64_t> deadline_ns_{0};  // 0: idle
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace tuner::worker
