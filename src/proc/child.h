// Child processes: their own process group, pipes for stdin, stdout and stderr, a deadline, an exit reason.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tuner::proc {

using Clock = std::chrono::steady_clock;

struct ExitStatus {
  bool exited = false;  // by itself
  int code = 0;         // of exit
  int signal = 0;       // that killed it
  bool killed_by_us = false;
  bool stuck = false;        // SIGKILL was sent and it still has not ended: it sleeps in a driver
  std::string text() const;  // "exit 1", "signal 11 (segmentation fault)", "killed at its deadline"
  // By a signal that people and systems send and faults do not raise (KILL, TERM, INT, HUP), itself or, as a shell or
  // srun tells it, what it had started; not by us.
  bool killed_by_others() const;
};

// A spawned process (never a shell), in a group of its own. The whole group is killed when this object goes and when
// the child ends; the kernel kills the child when the thread that spawned it ends (proc/spawn.h). Options::grace makes
// it slower.
class Child {
 public:
  struct Options {
    bool capture_stdout = true;
    bool capture_stderr = true;            // false: inherited
    std::vector<std::string> environment;  // "NAME=value", added to or replacing the parent's
    // Not 0: it stands for something elsewhere, which a SIGKILL would leave there. It is ended by the end of its input,
    // then by SIGTERM, with so long to obey, before it is killed.
    std::chrono::milliseconds grace{0};
  };
  // Throws MachineError when the program cannot be started.
  static Child spawn(const std::vector<std::string>& argv, const Options& options);
  Child(Child&&) noexcept;
  Child& operator=(Child&&) noexcept;
  ~Child();

  int pid() const;
  int stdin_fd() const;  // -1 when closed
  int stdout_fd() const;
  int stderr_fd() const;
  void close_stdin();
  // Readable once the child has ended, for poll(2); -1 where the kernel has none (before Linux 5.3).
  int exit_fd() const;
  // Empty while it runs past `deadline`. Does not read the pipes: a child that fills one waits for its reader.
  std::optional<ExitStatus> wait_until(Clock::time_point deadline);
  // Whether it is halted by SIGSTOP or the like.
  bool stopped() const;
  // SIGKILL to the group, after Options::grace, then reaps, waiting at most five seconds. Safe to call twice.
  ExitStatus kill();

 private:
  struct State;
  explicit Child(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct Output {
  ExitStatus status;
  bool timed_out = false;
  std::string out;
  std::string err;
};

// Runs to the end or to the deadline, then kills; output beyond `limit_bytes` a stream is cut.
Output run(const std::vector<std::string>& argv, const std::string& input, std::chrono::milliseconds deadline,
           const Child::Options& options, std::size_t limit_bytes = 64u << 20);

// One of many (proc/pool.h).
struct Command {
  std::vector<std::string> argv;
  std::string input;
  std::chrono::milliseconds deadline{10000};
};

}  // namespace tuner::proc
