// Processes that stay: each is given one job after another as a frame on its stdin and answers with a frame, so that
// what it loads is loaded once.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "proc/child.h"

namespace tuner::proc {

class Crew {
 public:
  struct Job {
    std::string input;
    std::chrono::milliseconds deadline{10000};
  };

  // A process ends after so many jobs: what a library leaks or breaks does not last.
  Crew(std::vector<std::string> argv, int jobs_each);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew();

  // Runs every job, at most `width` at a time, each killed with its process at its own deadline; `done(i, output)` is
  // called on this thread as each ends. What was answered has `out` and an exit code of 0, as a process of its own
  // would; else `status` tells how the process ended. Processes start when they are first needed, from this thread, and
  // die with it (proc/spawn.h). Stops early, killing what works, once `stop` returns true (asked at least every 50 ms).
  void run(const std::vector<Job>& jobs, int width, const std::function<void(std::size_t, Output)>& done,
           const std::function<bool()>& stop = {});

 private:
  class Hand;
  Hand& idle_hand();
  void wait_for_any(bool with_stop) const;

  std::vector<std::string> argv_;
  int jobs_each_;
  std::vector<std::unique_ptr<Hand>> hands_;
};

}  // namespace tuner::proc
