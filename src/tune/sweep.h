// The main path: every planned problem compiled, verified, timed, stored.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compile/cache.h"
#include "spec/sweep_plan.h"
#include "store/store.h"
#include "tune/events.h"
#include "tune/known.h"
#include "tune/overrules.h"

namespace tuner::tune {

struct Builds;
class Turns;

struct SweepOptions {
  std::string device = "auto";          // "auto", "cuda:N", "host"
  std::string nvrtc;                    // a path; empty: found
  int jobs = 0;                         // compiles at once; 0: usable CPUs
  std::string program;                  // this binary, for worker and compile processes
  std::vector<std::string> launcher{};  // in front of the worker's command, which stands where "{}" is, else at the end
  std::string worker{};                 // this program where the launcher starts it; empty: as here
  std::string templates;                // folder with support/ and probes/
  bool any_gpu = false;                 // a plan for another GPU is run here
  Overrules overrules;                  // pins and forbids of every layer
  KnownOf known_of{};                   // for kernels that are baselines of others; empty: they are left out
  bool again = false;                   // finished problems are repeated, and what cost a process is run again
  std::string command;                  // for the record
  double wait_s = 0;                    // for a GPU that others use
  bool shared = false;                  // run although others use it; the run is marked
  bool allow_mps = false;               // run under a Multi-Process Service
  std::vector<std::string> lock_folders;
  std::function<bool()> stop;           // Ctrl-C or SIGTERM was asked for
  std::shared_ptr<Builds> builds = {};  // of all devices that are swept at once; null: this one's own
};

SweepDone sweep(const spec::SweepPlan& plan, const spec::Catalog& catalog, const SweepOptions& options,
                compile::Cache& cache, store::Store& store, Observer& observer);

// One device's part of a sweep, as `turns` deal it out; `done` is filled as it goes, so that it holds what was done
// where this throws. Says everything but on_done.
void sweep_on_device(const spec::SweepPlan& plan, const SweepOptions& options, compile::Cache& cache,
                     store::Store& store, Observer& observer, Turns& turns, SweepDone& done);

}  // namespace tuner::tune
