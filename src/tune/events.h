// What a sweep tells while it runs. Every method has an empty default. `device` names who tells it where several
// devices are at work ("cuda:1"), and is empty where there is one.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/metric.h"
#include "core/trial.h"

namespace tuner::tune {

struct DeviceEvent {
  GpuFacts gpu;
  std::string nvrtc;
  bool emulated = false;
  double sustained_read_gb_per_s = 0;
  double sustained_copy_gb_per_s = 0;
  std::string device{};
};

// The GPU is not free yet.
struct WaitEvent {
  std::string why;
  double waited_s = 0;
  double limit_s = 0;
  std::string device{};
};

struct PlanEvent {
  int problems = 0;
  int finished_before = 0;  // not repeated
  std::int64_t candidates = 0;
  int distinct_sources = 0;
  std::string database;
  std::string gpu{};  // the model whose devices share it, where there are several devices
};

struct ProblemEvent {
  Problem problem;
  std::string regime;
  int index = 0;  // from 1
  int of = 0;
  std::int64_t candidates = 0;
  std::map<std::string, std::int64_t> excluded;  // by constraint
  std::string search;                            // the strategy; empty: all candidates are tried, else at most so many
  std::string device{};
};

enum class Phase { compile, verify, probe, race, finals, search };

struct ProgressEvent {
  Phase phase = Phase::compile;
  std::int64_t done = 0;
  std::int64_t of = 0;
  int rejected = 0;
  double best_us = 0;
  double best_sol = 0;
  std::string device{};
};

struct ProblemDone {
  ProblemResult result;
  std::vector<Trial> trials;                              // all of this problem, ids as stored
  std::map<std::int64_t, std::vector<Metric>> metrics{};  // by trial: of those that have a time
  std::int64_t pinned = 0;                                // the trial that a person chose; 0: none
  int refused = 0;                                        // not run: they cost a process twice before
  int stood = 0;                                          // their verdicts are an earlier run's
  bool finished = true;                                   // false: a stop came before its end
  double seconds = 0;
  std::string device{};
};

struct SweepDone {
  int problems = 0;  // finished
  int without_winner = 0;
  std::int64_t trials = 0;  // that were run, or found to be no use before
  double seconds = 0;
  std::vector<std::int64_t> runs{};  // one a device, at least
  bool interrupted = false;
  // What `seconds` went into: "compiling", "verifying", ...
  std::vector<std::pair<std::string, double>> spent{};
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_device(const DeviceEvent&) {}
  virtual void on_wait(const WaitEvent&) {}
  virtual void on_plan(const PlanEvent&) {}
  virtual void on_problem(const ProblemEvent&) {}
  virtual void on_progress(const ProgressEvent&) {}
  virtual void on_problem_done(const ProblemDone&) {}
  virtual void on_warning(const std::string&) {}
  virtual void on_done(const SweepDone&) {}
};

}  // namespace tuner::tune
