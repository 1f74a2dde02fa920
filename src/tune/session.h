// One device with what is needed to use it: compiler, worker, probes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "spec/catalog.h"
#include "tune/bench.h"
#include "tune/builder.h"
#include "tune/gpu_lock.h"
#include "tune/sweep.h"
#include "tune/time_spent.h"

namespace tuner::tune {

struct Session {
  GpuLock lock;  // the last to go: until then the worker is on the GPU
  RunFacts facts;
  std::unique_ptr<Builder> builder;
  std::unique_ptr<Bench> bench;
  spec::Catalog probes;
  std::unique_ptr<TimeSpent> spent = std::make_unique<TimeSpent>();

  const GpuFacts& gpu() const { return facts.gpu; }
  bool emulated() const { return facts.emulated; }
};

struct NeededCompilers {
  bool nvrtc = true;
  bool nvcc = false;
};
NeededCompilers compilers_of(const std::vector<spec::PlannedProblem>& problems);

// The device that a session would be opened on: a worker is started and asked. Throws MachineError.
GpuFacts device_of(const SweepOptions& options);

// Chooses the device ("auto": GPU 0; without one, an error that names `--device host`), the compiler and the probes,
// and starts the worker. `check` may refuse the device before anything is done with it. Throws MachineError.
Session open_session(const SweepOptions& options, compile::Cache& cache, Observer& observer,
                     const std::function<void(const GpuFacts&)>& check, NeededCompilers needed = {});
// Without a word and a check of its own.
Session open_session(const SweepOptions& options, compile::Cache& cache);

}  // namespace tuner::tune
