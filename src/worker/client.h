// The parent's end of a worker process. Every call has a deadline; a worker that misses it, dies or talks nonsense is
// killed and reported as WorkerLost. The caller starts another. One that is asked to stop is killed too.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/artifact.h"
#include "core/execution.h"
#include "core/gpu_users.h"
#include "core/trial.h"

namespace tuner::worker {

// The worker is gone: during which request, how it ended, and what it had printed.
class WorkerLost : public std::runtime_error {
 public:
  enum class How { ended, timed_out, by_others };
  WorkerLost(const std::string& what, How how) : std::runtime_error(what), how_(how) {}
  bool timed_out() const noexcept { return how_ == How::timed_out; }
  // Somebody killed or halted it: what ran in it is hardly to blame, unless it took so much memory that the system did.
  bool by_others() const noexcept { return how_ == How::by_others; }

 private:
  How how_;
};
// So often it is started again before what runs in it is blamed.
inline constexpr int most_kills_by_others = 5;

struct Options {
  std::vector<std::string> command;  // e.g. {"/usr/bin/tuner", "worker", "--device", "cuda:0"}
  std::vector<std::string> environment;
  // Asked for while something is waited for: once it has said so for `stop_grace`, the worker is killed and the call
  // throws Interrupted. Empty: never.
  std::function<bool()> stop{};
  // Whatever starts the worker may queue, or find no node.
  std::chrono::milliseconds start_deadline{60000};
  // It runs behind something that may be lost without a word, a node or a network: no answer at all, not even that of
  // the worker's own watchdog, is then no candidate's time-out.
  bool launched = false;
};

inline constexpr std::chrono::milliseconds stop_grace{1000};  // what is nearly done is not lost

// One candidate on one workload.
struct Case {
  int workload = 0;
  Execution execution;
  std::int64_t chain = 0;
  bool deterministic = true;
};

struct VerifyRequest {
  int module = 0;
  Case main;
  std::vector<Case> awkward;  // failing only here makes the candidate exact_only
  std::chrono::milliseconds deadline{5000};
};

// Something to be timed: a candidate, a probe or a vendor's kernel, recorded once as a graph over rotating copies.
struct Member {
  int id = 0;
  int module = -1;  // -1: the vendor's gemv
  int workload = 0;
  Execution execution;  // empty for the vendor
  int vendor_order = 0;
  std::string library;        // of a manifest's own baseline; not empty: neither module nor vendor
  bool needs_verdict = true;  // only modules that verified clean in this worker are timed; probes need none
};

struct Recorded {
  std::string problem;  // not empty: could not be recorded (no cuBLAS, say)
  double first_us = 0;  // of the discarded first replay, a launch
  int launches = 0;     // in the graph
};

class Client {
 public:
  // Starts the worker and reads its first frame. Throws MachineError when it does not come up as a worker of this
  // protocol: text printed before the first frame is quoted.
  static Client start(const Options& options);
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  // What the first frame told. For a GPU, before `hello`, nothing but the driver has been touched.
  const GpuFacts& gpu() const;
  bool emulated() const;
  // How many GPUs its process sees.
  int gpus() const;
  // Who else is on the GPU; only before `hello`, since afterwards the worker itself is. Nobody on the host device.
  GpuUsers users();
  int pid() const;
  // False once the worker has ended: after bye, after a WorkerLost, or after a verdict that cost the device.
  bool alive() const;

  // Opens the device with its support kernels (none for the host). Throws MachineError with the device's own words.
  void hello(const Artifact& support);

  // load: what later requests name by id. Loading an id again replaces it.
  void load_module(int id, const Artifact& artifact);  // throws std::runtime_error when the image does not load
  void unload_module(int id);
  // Allocates and fills rotating copies and computes the references. `timed`: with rotation copies for rounds, `ring`
  // times as many as the rule asks for; `generation`: of the data. `reference`: of a kernel reference. Throws
  // MachineError when memory is out, UserError for a reference that does not fit.
  void load_workload(int id, const Workload& workload, bool timed, int ring = 1,
                     const std::optional<Artifact>& reference = {}, std::uint64_t generation = 0);
  void unload_workload(int id);
  Recorded load_member(const Member& member);
  void unload_member(int id);

  Verdict verify(const VerifyRequest& request);

  // Runs the main case of `request` once, on the random data, and checks nothing.
  Verdict run_once(const VerifyRequest& request);

  // One replay of every member in a fresh random order drawn from `seed`; microseconds a launch, in the order of `ids`.
  std::vector<double> round(const std::vector<int>& ids, std::uint64_t seed);
  // After timing: the outputs of the last replay against the reference, for finalists.
  Verdict check_timed(int id, std::int64_t chain);

  Conditions conditions();
  // One that has ended meanwhile is no loss.
  void bye();

 private:
  struct State;
  explicit Client(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tuner::worker
