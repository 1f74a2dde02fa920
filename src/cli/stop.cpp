#include "cli/stop.h"

#include <time.h>
#include <unistd.h>

#include <csignal>
#include <initializer_list>

namespace tuner::cli {
namespace {

constexpr double same_word_s = 0.5;

volatile std::sig_atomic_t stops = 0;
timespec first_stop{};  // written before `stops`, by the handler, which does not interrupt itself

extern "C" void on_stop_signal(int) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (stops == 0) {
    first_stop = now;
    stops = 1;
    return;
  }
  const double since_s =
      static_cast<double>(now.tv_sec - first_stop.tv_sec) + static_cast<double>(now.tv_nsec - first_stop.tv_nsec) / 1e9;
  if (since_s >= same_word_s) _exit(130);
}

}  // namespace

void catch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = on_stop_signal;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&action.sa_mask, signal);
  // No SA_RESTART: a wait for a child returns and asks.
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // nohup's stays
}

bool stop_requested() noexcept { return stops != 0; }

}  // namespace tuner::cli
