// What this GPU reaches: probe kernels, tuned like any other, in the same rounds as the kernels they judge.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/ceiling_probe.h"
#include "core/problem.h"
#include "core/trial.h"
#include "tune/session.h"
#include "worker/client.h"

namespace tuner::tune {

// Ids of members, modules and workloads that no candidate uses, in the order in which they may be dropped: those of one
// problem below sustained_ids, those of the whole sweep from there on.
inline constexpr int probe_ids = 1 << 20;
inline constexpr int vendor_ids = 2 << 20;
inline constexpr int twin_id = 3 << 20;
inline constexpr int sustained_ids = 4 << 20;

struct Probe {
  Config config;
  worker::Member member;
  double us = 0;  // median of the rounds it was chosen in
};

// The fastest configurations of the probe `name` on `problem`'s workload, best first, at most `keep`; loaded as members
// of the present worker. Ids count from `first_id`.
struct ProbeRequest {
  std::string name;  // "probe_read", "probe_copy"
  std::vector<std::int64_t> dims;
  Facts facts;
  int workload = 0;  // that the members run on
  int first_id = probe_ids;
  int keep = 3;
  int rounds = 8;
  // Of the kernel that it judges; a probe that has not got it runs in the plain one.
  std::string regime = spec::plain_regime;
  // Configurations that agree with any of these; empty: all.
  std::vector<space::Partial> tries{};
};
std::vector<Probe> best_probes(Session& session, const ProbeRequest& request);
// What they will be made of.
std::vector<compile::Source> probe_sources(const Session& session, const ProbeRequest& request);

// A probe whose configuration is chosen once, and which is loaded anew in each worker that needs it.
class KeptProbe {
 public:
  explicit KeptProbe(ProbeRequest request) : request_(std::move(request)) {}
  // The median of so many rounds. Throws MachineError where no configuration runs.
  double us(Session& session, int rounds);
  // After the first run.
  const Workload& workload() const { return workload_; }
  const Config& chosen() const { return chosen_; }

 private:
  void load(Session& session);
  ProbeRequest request_;
  Workload workload_;
  Config chosen_;
  int epoch_ = -1;
  int member_ = 0;
};

// Sustained ceilings, kept up as the clocks move.
class Sustained {
 public:
  // Tunes the probe at a size of at least eight times the last-level cache and 2 GiB (a sixteenth of the memory where
  // that is less), and keeps its member loaded. Without `copy` that one is not probed, and 0.
  void open(Session& session, bool copy);
  // Runs the chosen probes again, in a fresh worker where this one is lost; the ceiling is the best seen.
  void probe_again(Session& session);
  double read_gb_per_s() const { return read_gb_per_s_; }
  double copy_gb_per_s() const { return copy_gb_per_s_; }
  const std::string& read_config() const { return read_config_; }
  const std::string& copy_config() const { return copy_config_; }

 private:
  void probe_once(Session& session);
  std::optional<KeptProbe> read_, copy_;
  double read_gb_per_s_ = 0, copy_gb_per_s_ = 0;
  std::string read_config_, copy_config_;
};

// What units of arithmetic reach, kept up as Sustained is.
class Peaks {
 public:
  // Probes this unit ("tensor_f16") again and returns the best seen; 0 where none of its probes runs here or what it
  // says is impossible.
  double tflop_per_s(Session& session, const std::string& arithmetic);

 private:
  struct One {
    const CeilingProbe* probe;
    KeptProbe kept;
    double best = 0;
  };
  void open(Session& session, const std::string& arithmetic);
  void probe_once(Session& session, One& one);
  std::map<std::string, std::vector<One>> units_;
};

}  // namespace tuner::tune
