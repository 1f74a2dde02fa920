// Reads and writes on pipes that neither block, raise SIGPIPE nor stop at EINTR.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "proc/child.h"

namespace tuner::proc {

// One file descriptor, closed when it goes.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept;
  ~Fd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release();
  void reset();

 private:
  int fd_ = -1;
};

struct Pipe {
  Fd read_end;
  Fd write_end;
};
// Both ends close on exec and lie above 2, whatever this process has closed. Throws MachineError.
Pipe make_pipe();

void set_nonblocking(int fd);

enum class Io { some, would_block, closed };

// Reads up to `limit` bytes and appends them to `to`. Closed: end of file, or a broken descriptor.
Io read_some(int fd, std::string& to, std::size_t limit);

// Writes a part of `bytes`; `written` grows by what was taken. Closed: the reader is gone. SIGPIPE is held back.
Io write_some(int fd, const char* bytes, std::size_t size, std::size_t& written);

// False once `deadline` passed. No deadline: waits for ever.
bool wait_ready(int fd, short events, std::optional<Clock::time_point> deadline);

// For poll(2): milliseconds from now, rounded up, never negative; -1 without a deadline.
int poll_timeout(std::optional<Clock::time_point> deadline);

}  // namespace tuner::proc
