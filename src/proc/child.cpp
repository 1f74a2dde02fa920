#include "proc/child.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "proc/io.h"
#include "proc/spawn.h"

namespace tuner::proc {
namespace {

constexpr std::chrono::seconds kDeathWait{5};
constexpr std::chrono::seconds kInputWait{1};  // for what ends with its input

int open_exit_fd(int pid) {
#ifdef SYS_pidfd_open
  return static_cast<int>(syscall(SYS_pidfd_open, pid, 0));  // closes on exec by itself
#else
  (void)pid;
  return -1;
#endif
}

ExitStatus status_of(const siginfo_t& info, bool killed_by_us) {
  ExitStatus status;
  status.exited = info.si_code == CLD_EXITED;
  (status.exited ? status.code : status.signal) = info.si_status;
  status.killed_by_us = killed_by_us && (status.signal == SIGKILL || status.signal == SIGTERM);
  return status;
}

}  // namespace

std::string ExitStatus::text() const {
  if (stuck) return "killed, but it does not end";
  if (killed_by_us) return "killed at its deadline";
  if (exited) return "exit " + std::to_string(code);
  std::string name = signal > 0 ? strsignal(signal) : "unknown";
  if (!name.empty()) name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
  return "signal " + std::to_string(signal) + " (" + name + ")";
}

bool ExitStatus::killed_by_others() const {
  if (killed_by_us || stuck) return false;
  constexpr int as_exit = 128;
  const int by = exited ? code - as_exit : signal;
  return by == SIGKILL || by == SIGTERM || by == SIGINT || by == SIGHUP;
}

struct Child::State {
  int pid = -1;
  Fd in, out, err, exit;
  std::optional<ExitStatus> status;
  bool killed = false;
  std::chrono::milliseconds grace{0};

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (!status) kill();
  }

  // Whether it has ended; leaves it a zombie, so that its group's number cannot be taken by another meanwhile.
  bool ended(siginfo_t& info) const {
    info = {};
    int result = 0;
    do {
      result = waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT);
    } while (result < 0 && errno == EINTR);
    return result < 0 || info.si_pid == pid;
  }

  std::optional<ExitStatus> wait_until(Clock::time_point deadline) {
    siginfo_t info{};
    while (!status) {
      if (ended(info)) {
        status = status_of(info, killed);
        ::kill(-pid, SIGKILL);
        while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
        }
      } else if (Clock::now() >= deadline) {
        return std::nullopt;
      } else if (exit) {
        wait_ready(exit.get(), POLLIN, deadline);
      } else {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
    }
    return status;
  }

  // Whether it ends when it is asked to.
  bool obeys() {
    in.reset();
    if (wait_until(Clock::now() + kInputWait)) return true;
    ::kill(-pid, SIGTERM);
    return wait_until(Clock::now() + grace).has_value();
  }

  ExitStatus kill() {
    if (status) return *status;
    killed = true;
    if (grace.count() > 0 && obeys()) return *status;
    ::kill(-pid, SIGKILL);
    if (wait_until(Clock::now() + kDeathWait)) return *status;
    status.emplace();
    status->signal = SIGKILL;
    status->killed_by_us = true;
    status->stuck = true;
    return *status;
  }
};

Child::Child(std::unique_ptr<State> state) : state_(std::move(state)) {}
Child::Child(Child&&) noexcept = default;
Child& Child::operator=(Child&&) noexcept = default;
Child::~Child() = default;

Child Child::spawn(const std::vector<std::string>& argv, const Options& options) {
  Pipe in = make_pipe();
  Pipe out = options.capture_stdout ? make_pipe() : Pipe{};
  Pipe err = options.capture_stderr ? make_pipe() : Pipe{};
  auto state = std::make_unique<State>();
  state->status.emplace();  // nothing to kill should the next line throw
  state->grace = options.grace;
  state->pid = spawn_process(argv, options.environment, {in.read_end.get(), out.write_end.get(), err.write_end.get()});
  state->status.reset();
  state->exit = Fd(open_exit_fd(state->pid));
  state->in = std::move(in.write_end);
  state->out = std::move(out.read_end);
  state->err = std::move(err.read_end);
  for (const Fd* fd : {&state->in, &state->out, &state->err})
    if (*fd) set_nonblocking(fd->get());
  return Child(std::move(state));
}

int Child::pid() const { return state_->pid; }
int Child::stdin_fd() const { return state_->in.get(); }
int Child::stdout_fd() const { return state_->out.get(); }
int Child::stderr_fd() const { return state_->err.get(); }
int Child::exit_fd() const { return state_->exit.get(); }
void Child::close_stdin() { state_->in.reset(); }
std::optional<ExitStatus> Child::wait_until(Clock::time_point deadline) { return state_->wait_until(deadline); }
bool Child::stopped() const {
  siginfo_t info{};
  const auto pid = static_cast<id_t>(state_->pid);
  return !state_->status && waitid(P_PID, pid, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}
ExitStatus Child::kill() { return state_->kill(); }

}  // namespace tuner::proc
