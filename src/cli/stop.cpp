#include "cli/stop.h"

#include <unistd.h>
#include <csignal>

namespace tuner::cli {
namespace {

volatile std::sig_atomic_t stops = 0;

extern "C" void on_stop_signal(int) {
  if (stops) _exit(130);
  stops = 1;
}

}  // namespace

void catch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = on_stop_signal;
  sigemptyset(&action.sa_mask);
  // No SA_RESTART: a wait for a child returns and asks.
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // nohup's stays
}

bool stop_requested() noexcept { return stops != 0; }

}  // namespace tuner::cli
