// The SQLite database: every trial for ever. WAL on local file systems; every write transaction under an exclusive
// flock on `<db>.lock`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/counters.h"
#include "core/trial.h"

namespace tuner::store {

// How a GPU model is recognised: name, arch, SM count, memory, MIG profile.
std::string gpu_key(const GpuFacts& gpu);
// Whether the keys are equal.
bool same_model(const GpuFacts& a, const GpuFacts& b);

struct RunRecord {
  std::int64_t id = 0;
  RunFacts facts;
  std::string started_at;   // UTC, ISO 8601
  std::string finished_at;  // empty: it did not finish
  std::string outcome;      // "done", "interrupted", "failed"
};

// A person's word: this problem is answered with this configuration. `gpu`: a case-blind part of the name; empty: any.
struct Pin {
  std::int64_t id = 0;
  Problem problem{};
  std::string regime = "plain";
  std::string gpu{};
  Config config{};         // complete
  std::int64_t trial = 0;  // that it was taken from; 0: none
  std::string why{};
  std::string made_at{};    // UTC, ISO 8601; set by the store where it is empty
  bool unverified = false;  // nobody had run it on such a GPU when it was pinned
  std::string layer = "user";
  std::string source{};  // path of its file or database
};

// Configurations that agree with every parameter named here are neither run nor answered.
struct Forbid {
  std::int64_t id = 0;
  std::string kernel{};  // empty: any
  std::string gpu{};     // as in Pin
  Config params{};       // not empty
  std::string why{};
  std::string made_at{};
  std::string layer = "user";
  std::string source{};
};

struct KeptCounters {
  std::string gpu;  // name
  Config config;
  Counters counters;
};

// What finished sweeps tried of a problem, all with the template and manifest of its newest result.
struct Tried {
  std::string closure_hash;  // of that result; empty: unknown
  std::string manifest_hash;
  std::string objective{};
  std::set<std::string> configs{};  // JSON
  // How many configurations one of these results had where not all of them are stored, because it came from a results
  // file; else 0.
  int without_rows = 0;
};

class Store {
 public:
  enum class Mode { read_write, read_only };
  // Creates and migrates in read_write mode. Throws UserError for a file that is not ours, truncated or newer than this
  // tool reads (untouched), MachineError when it cannot be opened, written or locked within 10 s.
  static Store open(const std::string& path, Mode mode);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  const std::string& path() const;

  std::int64_t begin_run(const RunFacts& facts);
  void end_run(std::int64_t run, const std::string& outcome);

  // A text kept once by its hash: "manifest", "source", "header", "sweep".
  void keep_text(const std::string& hash, const std::string& kind, const std::string& name, const std::string& text);
  std::optional<std::string> text(const std::string& hash) const;
  struct Text {
    std::string name;
    std::string body;
  };
  // The newest first.
  std::vector<Text> texts(const std::string& kind) const;

  // Inserts (id 0) or updates; one transaction. Returns the id.
  std::int64_t save(std::int64_t run, const Trial& trial);
  // Many at once, in one transaction; ids in order.
  std::vector<std::int64_t> save_all(std::int64_t run, const std::vector<Trial>& trials);
  // The problem is finished: its result becomes what look-ups answer.
  void save_result(std::int64_t run, const ProblemResult& result);

  std::optional<ProblemResult> result(const GpuFacts& gpu, const Problem& problem, const std::string& regime) const;
  // Trials of the newest run of this problem x regime on this GPU model; where that is a refresh, or did not finish it,
  // beside them those of other configurations, back to the last finished sweep.
  std::vector<Trial> trials(const GpuFacts& gpu, const Problem& problem, const std::string& regime) const;
  std::optional<Trial> trial(std::int64_t id) const;
  std::optional<RunRecord> run_of_trial(std::int64_t id) const;
  std::vector<RunRecord> runs() const;
  // Trials still `started` of runs that are over: what was in flight when a process ended.
  std::vector<Trial> killers() const;

  // What runs newer than its last result left of a problem, made with the same driver, NVRTC and tool: the newest trial
  // of each configuration. One that was in flight when its run ended has the status `started`.
  std::vector<Trial> unfinished(const RunFacts& like, const Problem& problem, const std::string& regime) const;
  // Empty where the problem has no result.
  std::optional<Tried> tried(const GpuFacts& gpu, const Problem& problem, const std::string& regime) const;
  // Trials of a problem that cost a process: rejected for such a reason, or in flight when the machine went down. A
  // candidate cannot end the tool's process alone: one that was in flight then is not charged.
  std::vector<Trial> deadly(const GpuFacts& gpu, const Problem& problem, const std::string& regime) const;

  // Of a configuration on a GPU model, whichever of its trials there are; newer ones replace older ones.
  void keep_counters(const GpuFacts& gpu, const Problem& problem, const Config& config, const Counters& counters);
  std::optional<Counters> counters(const GpuFacts& gpu, const Problem& problem, const Config& config) const;
  // All of a problem: by GPU, then in the order in which they were counted.
  std::vector<KeptCounters> counters(const Problem& problem) const;

  // The newest pin of a problem, regime and GPU replaces older ones. Returns the id.
  std::int64_t pin(const Pin& pin);
  // One of the same configurations, kernel and GPU replaces older ones.
  std::int64_t forbid(const Forbid& forbid);
  // Whether there was one.
  bool remove_pin(std::int64_t id);
  bool remove_forbid(std::int64_t id);
  std::vector<Pin> pins() const;
  std::vector<Forbid> forbids() const;

 private:
  struct State;
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
  friend struct StoreAccess;  // look-up and export read the same connection
};

}  // namespace tuner::store
