// A worker that is replaced when it is lost, and what has to be loaded again then.
#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/artifact.h"
#include "worker/client.h"

namespace tuner::tune {

class Bench {
 public:
  Bench(worker::Options options, Artifact support) : options_(std::move(options)), support_(std::move(support)) {}

  // A worker that was started and told nothing yet.
  void adopt(worker::Client fresh);
  // The worker, started where there is none. Throws MachineError when none comes up.
  worker::Client& client();
  // Counts workers: what a worker was told is forgotten by the next.
  int epoch() const { return epoch_; }
  // After WorkerLost: the next use starts a fresh one.
  void lost();

  // Starts the worker of renew() beside this one, which goes on; it touches the GPU once, to be there. Behind a
  // launcher it does nothing: whoever gives out GPUs may make the second wait for the first.
  void prepare();
  // Ends the worker; the next one, in which memory lies elsewhere, works on data of this generation.
  void renew(std::uint64_t generation);
  // Of the workloads that are loaded from now on.
  void use_data(std::uint64_t generation) { generation_ = generation; }

  // Remembered: loaded again into each new worker when it is first needed there. With `ring` times the rotating copies
  // that the rule asks for.
  void set_workload(int id, const Workload& workload, bool timed, const std::optional<Artifact>& reference = {},
                    int ring = 1);
  // The same workload with `times` as many rotating copies.
  void multiply_copies(int id, int times);
  void drop_workload(int id);
  void drop_workloads();
  const Workload& workload(int id) const { return workloads_.at(id).workload; }
  // The module of its kernel reference; none where it has another.
  const std::optional<Artifact>& reference(int id) const { return workloads_.at(id).reference; }
  // Loads workload and module where this worker has not got them yet.
  void need_workload(int id);
  void need_module(int id, const Artifact& artifact);
  void drop_module(int id);
  void drop_modules(int limit);  // those with an id below it
  // Members are the present worker's alone.
  worker::Recorded load_member(const worker::Member& member);
  void drop_member(int id);
  // Those with an id below `limit`: what outlives a problem has higher ones.
  void drop_members(int limit);

 private:
  bool alive() const;

  struct Loaded {
    Workload workload;
    bool timed = false;
    int ring = 1;
    std::optional<Artifact> reference;  // the module of a kernel reference
  };
  worker::Options options_;
  Artifact support_;
  std::optional<worker::Client> client_;
  std::future<worker::Client> next_;
  int epoch_ = 0;
  std::uint64_t generation_ = 0;
  std::map<int, Loaded> workloads_;
  std::set<int> workloads_here_;
  std::set<int> modules_here_;
  std::set<int> members_here_;
};

}  // namespace tuner::tune
