// One device with what is needed to use it: compiler, worker, probes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compile/compiler.h"
#include "spec/catalog.h"
#include "tune/bench.h"
#include "tune/compile_queue.h"
#include "tune/gpu_lock.h"
#include "tune/sweep.h"
#include "tune/time_spent.h"

namespace tuner::tune {

// Artifacts by source hash, so that a configuration is compiled once a sweep however many shapes it serves.
class Builder {
 public:
  using Done = std::function<void(std::size_t built, std::size_t of)>;
  // What it waits for is booked in `spent`, where there is one.
  Builder(compile::CompileOptions options, bool host, TimeSpent* spent = nullptr)
      : options_(std::move(options)), host_(host), spent_(spent) {}

  // An artifact made elsewhere.
  void adopt(const std::string& source_hash, Artifact artifact) { artifacts_[source_hash] = std::move(artifact); }
  // Begins to build what is not there yet, and goes on meanwhile; for a GPU only.
  void start(const std::vector<compile::Source>& sources);
  // Builds what is not there yet, before all that was only started.
  void build(const std::vector<compile::Source>& sources, const Done& done);
  const Artifact& at(const std::string& source_hash) const;
  // False where a stop came before it was built.
  bool has(const std::string& source_hash) const;
  bool host() const { return host_; }

 private:
  std::vector<compile::Source> missing(const std::vector<compile::Source>& sources) const;
  CompileQueue& queue();

  compile::CompileOptions options_;
  bool host_;
  std::map<std::string, Artifact> artifacts_;  // adopted, or built for the host
  std::unique_ptr<CompileQueue> queue_;
  TimeSpent* spent_;
};

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
