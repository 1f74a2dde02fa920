// The ladder: pinned, exact, near_shape, near_gpu, default; over the user's database and result folders.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/metric.h"
#include "core/trial.h"
#include "store/store.h"

namespace tuner::store {

enum class Match { pinned, exact, near_shape, near_gpu, by_default };
std::string_view to_text(Match match);  // "default" for by_default

// Sum over dims of the squared difference of log2 in 1/256 steps (store/distance.h). Empty when a dimension differs by
// more than a factor 8 or the numbers of dimensions differ.
std::optional<std::int64_t> shape_distance(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b);

// Of a kernel as it is now; without comments and white space.
struct KernelHashes {
  std::string closure;  // the template, every header it includes, and the options
  std::string manifest;
  std::string objective{};  // spec/metrics.h
};

// What a results file or the database knows of one finished problem.
struct Entry {
  GpuFacts gpu;
  std::string layer;   // "user", "project", "site", "shipped"
  std::string source;  // path
  std::string tuned_at, driver, nvrtc, tool_version;
  // Where its binary was found again since: the hashes and NVRTC of that time; empty: it was not.
  KernelHashes found_again;
  std::string found_with_nvrtc;
  int policy = 0;
  bool emulated = false, shared_gpu = false;
  ProblemResult result;       // trial ids index `trials`
  std::vector<Trial> trials;  // winner, ties, default, best of each variant; more from a database on request
  // Not 0: only GPU, problem, regime, layer and source have been read, `winner` is -1. Above 0 the row of a database
  // (EntryReader), below 0 a result of a file (LayerRows).
  std::int64_t unread = 0;
};

struct Query {
  std::string kernel;  // empty: every kernel tuned at this shape
  std::vector<std::int64_t> dims;
  Facts facts;      // given ones only
  std::string gpu;  // case-blind part of the name; empty: `here`, else every GPU known
  std::optional<GpuFacts> here;
  std::string regime = "plain";
  std::string nvrtc;  // that would compile here; empty: not asked
  std::string by;     // "variant": the best of each value of this parameter
  int top = 1;
};

struct Answer {
  Problem problem;  // asked
  GpuFacts gpu;     // asked; name empty when none is known
  Match match = Match::by_default;
  std::string regime = "plain";
  std::string layer;
  std::vector<std::int64_t> tuned_dims;
  std::string tuned_gpu;
  std::vector<std::int64_t> distance;  // {shape distance, gpu distance}
  double expected_loss = -1;           // -1: unknown
  Config config;
  std::vector<Step> steps;       // resolved for the asked problem
  const Entry* entry = nullptr;  // null for default
  const Trial* trial = nullptr;
  const Pin* pin = nullptr;              // null unless pinned
  bool unverified = false;               // pinned, and nobody has run it on this GPU model
  std::string rejected;                  // pinned, and a sweep on this GPU model rejected it: the reason
  const Pin* ignored = nullptr;          // a pin that is not obeyed: its configuration is illegal or forbidden here
  bool default_forbidden = false;        // the default of its row is
  std::optional<double> cost;            // pinned: what it is ranked by over the best's of the same run, less 1
  const Entry* passed = nullptr;         // default: the neighbour that is expected to be worse than it
  std::vector<const Forbid*> forbidden;  // that kept better rows of the same rung, or the pin, from answering
  std::string state = "current";
  std::vector<std::string> changed;
  std::vector<Metric> metrics{};  // of its trial's time; filled by who asks
};

// What look-up needs to know of manifests; implemented over the catalog by the caller.
struct KernelKnowledge {
  std::function<std::vector<std::string>()> kernels;
  std::function<std::size_t(const std::string& kernel)> dims;  // 0: unknown kernel
  std::function<Problem(const std::string& kernel, const std::vector<std::int64_t>&, const Facts&)> problem;
  std::function<std::optional<std::string>(const Problem&, const Config&, const GpuFacts&)> why_illegal;
  std::function<std::optional<Config>(const Problem&, const GpuFacts&)> default_config;
  std::function<std::vector<Step>(const Problem&, const Config&, const GpuFacts&)> steps;
  // May be empty: then every configuration counts as deterministic.
  std::function<bool(const Problem&, const Config&, const GpuFacts&)> deterministic;
  // May be empty: then nothing is known to have changed.
  std::function<KernelHashes(const std::string& kernel)> hashes;
};

class Layers {
 public:
  // `database` may not exist; a bad one named by the user throws, the default one gives a warning and is skipped.
  // Folders: project, site, shipped, in this order; absent ones are skipped.
  struct Places {
    std::string database;
    bool database_named = false;
    std::string project, site, shipped;
  };
  static Layers open(const Places& places, std::vector<std::string>& warnings);
  Layers(Layers&&) noexcept;
  ~Layers();

  // Answers, best first: by kernel, then GPU. Throws UserError for an ambiguous or unknown GPU (listing), a shape whose
  // number of dimensions no kernel has, an unknown kernel. Forbids that left a problem without any answer are added to
  // `in_the_way`.
  std::vector<Answer> best(const Query& query, const KernelKnowledge& kernels,
                           std::vector<const Forbid*>* in_the_way = nullptr) const;
  // What this pin, wherever it will be written, answers on every GPU known or `here` that it names; another answer
  // where it cannot be obeyed, none where nothing is legal.
  std::vector<Answer> with_pin(const Pin& pin, const std::optional<GpuFacts>& here,
                               const KernelKnowledge& kernels) const;
  // In a fixed order: by layer, GPU, kernel, shape, facts, regime; all whole. What turns out damaged is left out and
  // gives a warning; what best() and outlines() gave before must not be used any more.
  const std::vector<Entry>& entries() const;
  // Of what turned out damaged when it was read, so far.
  const std::vector<std::string>& warnings() const;
  // As entries(), perhaps in outline (Entry::unread).
  const std::vector<Entry>& outlines() const;
  // Of all layers, each in the order of its layer; pins of a layer oldest first.
  const std::vector<Pin>& pins() const;
  const std::vector<Forbid>& forbids() const;

 private:
  struct State;
  explicit Layers(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tuner::store
