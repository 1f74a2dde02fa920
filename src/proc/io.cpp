#include "proc/io.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "core/error.h"

namespace tuner::proc {
namespace {

// SIGPIPE is blocked in this thread meanwhile; one that we caused is taken back.
class PipeSignalHeld {
 public:
  PipeSignalHeld() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    if (!was_pending_) pthread_sigmask(SIG_BLOCK, &pipe_, &old_);
  }
  PipeSignalHeld(const PipeSignalHeld&) = delete;
  PipeSignalHeld& operator=(const PipeSignalHeld&) = delete;
  ~PipeSignalHeld() {
    if (was_pending_) return;
    const int saved = errno;
    const timespec none{};
    while (sigtimedwait(&pipe_, nullptr, &none) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &old_, nullptr);
    errno = saved;
  }

 private:
  sigset_t pipe_{};
  sigset_t old_{};
  bool was_pending_ = false;
};

int above_standard(int fd) {
  if (fd > 2) return fd;
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  const int saved = errno;
  ::close(fd);
  errno = saved;
  return moved;
}

}  // namespace

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

int Fd::release() { return std::exchange(fd_, -1); }

void Fd::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Pipe make_pipe() {
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw MachineError(std::string("cannot make a pipe: ") + std::strerror(errno), {},
                       "raise the limit of open files (ulimit -n)");
  }
  Pipe pipe{Fd(above_standard(ends[0])), Fd(above_standard(ends[1]))};
  if (!pipe.read_end || !pipe.write_end) {
    throw MachineError(std::string("cannot make a pipe: ") + std::strerror(errno), {},
                       "raise the limit of open files (ulimit -n)");
  }
  return pipe;
}

void set_nonblocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

Io read_some(int fd, std::string& to, std::size_t limit) {
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), std::min(limit, buffer.size()));
    if (got > 0) {
      to.append(buffer.data(), static_cast<std::size_t>(got));
      return Io::some;
    }
    if (got == 0) return Io::closed;
    if (errno == EINTR) continue;
    return errno == EAGAIN ? Io::would_block : Io::closed;
  }
}

Io write_some(int fd, const char* bytes, std::size_t size, std::size_t& written) {
  const PipeSignalHeld held;
  for (;;) {
    const ssize_t put = ::write(fd, bytes, size);
    if (put >= 0) {
      written += static_cast<std::size_t>(put);
      return Io::some;
    }
    if (errno == EINTR) continue;
    return errno == EAGAIN ? Io::would_block : Io::closed;
  }
}

int poll_timeout(std::optional<Clock::time_point> deadline) {
  if (!deadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max()));
}

bool wait_ready(int fd, short events, std::optional<Clock::time_point> deadline) {
  for (;;) {
    pollfd one{fd, events, 0};
    const int ready = ::poll(&one, 1, poll_timeout(deadline));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return true;  // the read or write that follows tells what is wrong
    if (deadline && Clock::now() >= *deadline) return false;
  }
}

}  // namespace tuner::proc
