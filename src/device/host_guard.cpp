#include "device/host_guard.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "core/error.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace tuner::device {
namespace {

constexpr std::array<int, 4> fault_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr std::size_t signal_stack_bytes = 64 * 1024;

int deadline_signal() { return SIGRTMIN + 5; }

// What the handlers of this process thread know.
struct Guard {
  bool active = false;
  int generation = 0;  // of the run: a timer's signal may come late
  const volatile bool* in_thread = nullptr;
  HostFault fault;
  sigjmp_buf back;
};
thread_local Guard guard;

struct Deactivate {
  ~Deactivate() { guard.active = false; }
};

std::array<struct sigaction, fault_signals.size()> previous;

void on_fault(int signal, siginfo_t* info, void* context) {
  if (!guard.active || !*guard.in_thread) {
    // Not ours: let it happen again with the handler that was there before.
    for (std::size_t i = 0; i < fault_signals.size(); ++i)
      if (fault_signals[i] == signal) ::sigaction(signal, &previous[i], nullptr);
    return;
  }
  guard.fault = {};
  guard.fault.signal = signal;
  if (info->si_code > 0 && info->si_code != SI_KERNEL)
    guard.fault.address = reinterpret_cast<std::uint64_t>(info->si_addr);
#if defined(__x86_64__)
  constexpr greg_t write_bit = 2;
  guard.fault.write = (static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & write_bit) != 0;
#else
  (void)context;
#endif
  siglongjmp(guard.back, 1);
}

void on_deadline(int, siginfo_t* info, void*) {
  if (!guard.active || info->si_value.sival_int != guard.generation) return;
  guard.fault = {};
  siglongjmp(guard.back, 1);
}

void install_handlers() {
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < fault_signals.size(); ++i) {
    struct sigaction old = {};
    ::sigaction(fault_signals[i], &action, &old);
    if (old.sa_sigaction != on_fault) previous[i] = old;
  }
  action.sa_sigaction = on_deadline;
  action.sa_flags |= SA_RESTART;
  ::sigaction(deadline_signal(), &action, nullptr);
}

// Handlers run on a stack of their own: a thread's may be what overflowed.
class SignalStack {
 public:
  SignalStack() {
    thread_local const auto memory = std::make_unique<char[]>(signal_stack_bytes);
    stack_t stack = {};
    stack.ss_sp = memory.get();
    stack.ss_size = signal_stack_bytes;
    ::sigaltstack(&stack, &previous_);
  }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;
  ~SignalStack() { ::sigaltstack(&previous_, nullptr); }

 private:
  stack_t previous_ = {};
};

// Signals this thread when the deadline passes.
class Timer {
 public:
  Timer(std::chrono::steady_clock::time_point deadline, int generation) {
    struct sigevent event = {};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = deadline_signal();
    event.sigev_value.sival_int = generation;
    event.sigev_notify_thread_id = static_cast<pid_t>(::syscall(SYS_gettid));
    if (::timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0) throw MachineError("no timer is left for a deadline");
    using std::chrono::nanoseconds;
    const auto left = std::chrono::duration_cast<nanoseconds>(deadline - std::chrono::steady_clock::now());
    const auto wait = std::clamp<std::int64_t>(left.count(), 1000, 86400ll * 1000000000);
    struct itimerspec spec = {};
    spec.it_value.tv_sec = wait / 1000000000;
    spec.it_value.tv_nsec = wait % 1000000000;
    ::timer_settime(timer_, 0, &spec, nullptr);
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { ::timer_delete(timer_); }

 private:
  timer_t timer_ = {};
};

}  // namespace

std::optional<HostFault> run_guarded(const std::function<void()>& body, std::chrono::steady_clock::time_point deadline,
                                     const volatile bool& in_thread) {
  install_handlers();
  const SignalStack stack;
  ++guard.generation;
  guard.in_thread = &in_thread;
  const Timer timer(deadline, guard.generation);
  const Deactivate deactivate;
  if (sigsetjmp(guard.back, 1) != 0) return guard.fault;
  guard.active = true;
  body();
  return {};
}

}  // namespace tuner::device
