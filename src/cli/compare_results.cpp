// The sides of `tuner compare` that are results: they know their problems, configurations and times.
#include <algorithm>
#include <deque>

#include "cli/compare_sides.h"
#include "cli/knowledge.h"
#include "cli/stored_source.h"
#include "core/error.h"
#include "spec/resolve.h"
#include "store/gpu_choice.h"

namespace tuner::cli {
namespace {

const Trial* winner_of(const store::Entry& entry) {
  for (const Trial& trial : entry.trials)
    if (trial.id == entry.result.winner) return &trial;
  return nullptr;
}

class ResultsSide : public Side {
 public:
  ResultsSide(ResultsOf results, const Known& known)
      : Side(std::move(results.title)), known_(known), results_(std::move(results)) {}

  std::vector<Asked> known() const override {
    std::vector<Asked> all;
    for (const store::Entry& entry : results_.entries)
      all.push_back({entry.result.problem, entry.result.regime, entry.gpu});
    return all;
  }

  Chosen choose(const Asked& asked) const override {
    const store::Entry* entry = entry_for(asked);
    if (entry == nullptr) return {title() + " has no result of " + name_of(asked.problem), {}, {}, {}};
    const Trial& trial = *winner_of(*entry);
    Chosen chosen{{}, entry->result.problem, trial.config, "its winner"};
    chosen.gpu = entry->gpu;
    chosen.gpu.driver = entry->driver;
    if (trial.time_us > 0) chosen.stored = stored_time(*entry, trial);
    chosen.rounds = rounds_of(*entry, trial);
    return chosen;
  }

  const spec::KernelSpec& code(const Asked& asked, Chosen& chosen) override {
    const store::Entry& entry = *entry_for(asked);
    const std::string& name = entry.result.problem.kernel;
    const spec::KernelSpec* today = known_.catalog.find(name);
    if (today != nullptr && is_as_it_was(entry.result)) return spec::in_regime(*today, asked.regime, title());
    if (const spec::KernelSpec* kept = kept_code(entry, today)) {
      chosen.note = "its template or manifest has changed since; the one that the database kept is run";
      return *kept;
    }
    if (today == nullptr)
      throw UserError("the source of " + name + " is gone", title(), "name the folder of its manifest with --kernels");
    chosen.note = "its template or manifest has changed since; today's is run";
    return spec::in_regime(*today, asked.regime, title());
  }

  bool is_here(const GpuFacts& here) const override {
    const std::string& driver = results_.driver;
    const bool same_driver = driver.empty() || here.driver == driver || here.driver.rfind(driver + ".", 0) == 0;
    return same_driver && store::is_called(here, results_.gpu);
  }

 private:
  // Of the GPU that is asked about; where it has none of that model at all, of another.
  const store::Entry* entry_for(const Asked& asked) const {
    const store::Entry* other = nullptr;
    bool has_model = false;
    for (const store::Entry& entry : results_.entries) {
      const bool model = store::same_model(entry.gpu, asked.gpu);
      has_model |= model;
      if (!same_problem(entry.result.problem, asked.problem) || entry.result.regime != asked.regime) continue;
      if (model) return &entry;
      if (other == nullptr) other = &entry;
    }
    return has_model ? nullptr : other;
  }

  bool is_as_it_was(const ProblemResult& result) const {
    if (result.closure_hash.empty()) return false;
    const store::KernelHashes now = knowledge_of(known_.catalog, result.regime).hashes(result.problem.kernel);
    return now.closure == result.closure_hash && now.manifest == result.manifest_hash;
  }

  // From the texts of the database. The files of a reference are today's.
  const spec::KernelSpec* kept_code(const store::Entry& entry, const spec::KernelSpec* today) {
    const store::Store* texts = results_.own ? &*results_.own : results_.texts;
    auto kept = texts ? stored_kernel(*texts, *winner_of(entry), entry.gpu) : std::nullopt;
    if (!kept) return nullptr;
    if (today != nullptr) kept->kernel.reference.source_path = today->reference.source_path;
    return &kept_.emplace_back(std::move(*kept)).kernel;
  }

  const Known known_;
  ResultsOf results_;
  std::deque<StoredKernel> kept_;
};

}  // namespace

std::unique_ptr<Side> results_side(ResultsOf results, const Known& known) {
  std::erase_if(results.entries, [](const store::Entry& entry) { return winner_of(entry) == nullptr; });
  const bool emulated = std::all_of(results.entries.begin(), results.entries.end(),
                                    [](const store::Entry& entry) { return entry.emulated; });
  if (results.entries.empty())
    throw NothingFound(results.title + " has no winner of any problem", "tuner compare",
                       "tuner list shows what is known");
  if (emulated)
    throw NothingFound(results.title + " is of the host device, which has no times", "tuner compare",
                       "compare results of a GPU");
  std::erase_if(results.entries, [](const store::Entry& entry) { return entry.emulated; });
  return std::make_unique<ResultsSide>(std::move(results), known);
}

measure::StoredTime stored_time(const store::Entry& entry, const Trial& trial) {
  return {trial.time_us, trial.spread, trial.samples_us, entry.result.noise_floor};
}

std::string rounds_of(const store::Entry& entry, const Trial& trial) {
  if (!trial.finalist || trial.samples_us.empty()) return {};
  return entry.source + '\n' + store::gpu_key(entry.gpu) + '\n' + std::to_string(entry.result.winner) + '\n' +
         entry.tuned_at + '\n' + entry.result.regime + '\n' + entry.result.problem.kernel + ' ' +
         shape_text(entry.result.problem.dims) + ' ' + facts_key(entry.result.problem.facts);
}

std::string name_of(const Problem& problem) { return problem.kernel + " " + shape_text(problem.dims); }

bool same_problem(const Problem& a, const Problem& b) {
  return a.kernel == b.kernel && a.dims == b.dims && facts_key(a.facts) == facts_key(b.facts);
}

}  // namespace tuner::cli
