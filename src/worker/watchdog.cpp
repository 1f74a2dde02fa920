#include "worker/watchdog.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "worker/protocol.h"

namespace tuner::worker {
namespace {

constexpr int tick_ms = 20;  // a deadline is noticed this late at most
constexpr std::int64_t idle_end_ns = 2'000'000'000;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

// Whether the other end of `fd` has gone; sleeps a tick when it has not.
bool writer_gone(int fd) {
  pollfd watched{fd, POLLRDHUP, 0};
  const int ready = ::poll(&watched, 1, tick_ms);
  return ready > 0 && (watched.revents & (POLLHUP | POLLRDHUP | POLLERR | POLLNVAL)) != 0;
}

}  // namespace

Watchdog::Watchdog(int fd) : thread_([this, fd] { watch(fd); }) {}

Watchdog::~Watchdog() {
  stop_ = true;
  thread_.join();
}

void Watchdog::arm(Clock::time_point deadline) {
  deadline_ns_ = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline.time_since_epoch()).count();
}

void Watchdog::disarm() { deadline_ns_ = 0; }

void Watchdog::watch(int fd) {
  std::int64_t gone_since = 0;
  while (!stop_) {
    if (gone_since != 0)
      ::usleep(tick_ms * 1000);
    else if (writer_gone(fd))
      gone_since = now_ns();
    const std::int64_t deadline = deadline_ns_;
    const std::int64_t now = now_ns();
    if (deadline != 0 && now >= deadline) ::_exit(exit_deadline);
    if (gone_since != 0 && deadline != 0) ::_exit(exit_orphan);
    if (gone_since != 0 && now - gone_since > idle_end_ns && !stop_) ::_exit(exit_orphan);
  }
}

}  // namespace tuner::worker
