#include "proc/spawn.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "core/error.h"

extern char** environ;

namespace tuner::proc {
namespace {

#if defined(__GNUC__) && !defined(__clang__)
#define TUNER_NO_SANITIZER __attribute__((no_sanitize_address, no_sanitize_thread, no_sanitize_undefined))
#else
#define TUNER_NO_SANITIZER __attribute__((no_sanitize("address", "thread", "undefined")))
#endif

struct Plan {
  const char* program = nullptr;
  char* const* argv = nullptr;
  char* const* environment = nullptr;
  Wiring wiring;
  pid_t parent = 0;
  bool followed = false;  // by a library that was put into this process
  int error = 0;          // written by the child where memory is shared until exec
};

TUNER_NO_SANITIZER void default_signals() {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) sigaction(signal, &standard, nullptr);  // KILL and STOP refuse
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

TUNER_NO_SANITIZER bool put_at(int fd, int target) { return fd < 0 || dup2(fd, target) == target; }

// Runs in the child, which shares this process's memory while the calling thread waits: system calls only.
TUNER_NO_SANITIZER int child_main(void* data) {
  auto& plan = *static_cast<Plan*>(data);
  if (setpgid(0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
    plan.error = errno;
    _exit(127);
  }
  if (getppid() != plan.parent) _exit(127);  // it died before the line above could matter
  default_signals();
  rlimit core{};
  getrlimit(RLIMIT_CORE, &core);
  core.rlim_cur = 0;
  setrlimit(RLIMIT_CORE, &core);
  if (!put_at(plan.wiring.in, 0) || !put_at(plan.wiring.out, 1) || !put_at(plan.wiring.err, 2)) {
    plan.error = errno;
    _exit(127);
  }
#ifdef SYS_close_range
  if (!plan.followed) syscall(SYS_close_range, 3U, UINT_MAX, 0U);  // absent before Linux 5.9: ours close on exec anyway
#endif
  execve(plan.program, plan.argv, plan.environment);
  plan.error = errno;
  _exit(127);
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> all;
  all.reserve(words.size() + 1);
  for (const auto& word : words) all.push_back(const_cast<char*>(word.c_str()));
  all.push_back(nullptr);
  return all;
}

std::vector<std::string> merged_environment(const std::vector<std::string>& extra) {
  std::vector<std::string> all;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view line = *entry;
    const auto name = line.substr(0, line.find('=') + 1);
    bool replaced = false;
    for (const auto& own : extra) replaced = replaced || std::string_view(own).substr(0, name.size()) == name;
    if (!replaced) all.emplace_back(line);
  }
  all.insert(all.end(), extra.begin(), extra.end());
  return all;
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  std::string_view folders = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!folders.empty()) {
    const auto folder = folders.substr(0, folders.find(':'));
    folders.remove_prefix(std::min(folders.size(), folder.size() + 1));
    const std::string full = std::string(folder.empty() ? "." : folder) + "/" + name;
    if (::access(full.c_str(), X_OK) == 0) return full;
  }
  throw MachineError("cannot start '" + name + "': not found in $PATH");
}

// A stack of the child's own, with a page below it that faults.
class ChildStack {
 public:
  ChildStack() : base_(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0)) {
    if (base_ == MAP_FAILED) throw MachineError(std::string("cannot start a process: ") + std::strerror(errno));
    mprotect(base_, 4096, PROT_NONE);
  }
  ChildStack(const ChildStack&) = delete;
  ChildStack& operator=(const ChildStack&) = delete;
  ~ChildStack() { munmap(base_, kBytes); }
  void* top() const { return static_cast<char*>(base_) + kBytes; }

 private:
  static constexpr std::size_t kBytes = 256 * 1024;
  void* base_;
};

// A profiler's library stands in fork and execve, takes locks there and talks over descriptors of its own. It empties
// the variables that brought it in, and fills them again at execve.
bool is_followed() {
  for (const char* name : {"LD_PRELOAD", "CUDA_INJECTION64_PATH", "NV_TPS_LAUNCH_TOKEN"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

int clone_with_signals_held(Plan& plan, const ChildStack& stack) {
  sigset_t all;
  sigset_t old;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &old);  // a handler must not run in the child, on our memory
  int pid = -1;
  if (!plan.followed) {
    pid = clone(child_main, stack.top(), CLONE_VM | CLONE_VFORK | SIGCHLD, &plan);
  } else if ((pid = fork()) == 0) {
    child_main(&plan);
  }
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  errno = error;
  return pid;
}

}  // namespace

int spawn_process(const std::vector<std::string>& argv, const std::vector<std::string>& environment,
                  const Wiring& wiring) {
  if (argv.empty()) throw MachineError("cannot start a program without a name");
  const std::string program = find_program(argv.front());
  const auto words = pointers(argv);
  const auto lines = merged_environment(environment);
  const auto line_pointers = pointers(lines);
  Plan plan{program.c_str(), words.data(), line_pointers.data(), wiring, getpid(), is_followed(), 0};
  const ChildStack stack;
  const int pid = clone_with_signals_held(plan, stack);
  if (pid < 0) {
    throw MachineError("cannot start '" + program + "': " + std::strerror(errno), {},
                       errno == EAGAIN ? "too many processes: raise the limit (ulimit -u) or ask for fewer jobs" : "");
  }
  if (plan.error != 0) {
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    throw MachineError("cannot start '" + program + "': " + std::strerror(plan.error));
  }
  return pid;
}

}  // namespace tuner::proc
