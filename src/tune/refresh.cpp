#include "tune/refresh.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

#include "compile/render.h"
#include "core/error.h"
#include "core/hash.h"
#include "spec/resolve.h"
#include "store/expected_loss.h"
#include "store/import.h"
#include "store/state.h"
#include "tune/refresh_judgement.h"
#include "tune/sized_probe.h"
#include "tune/tune_problem.h"

namespace tuner::tune {
namespace {

using Clock = std::chrono::steady_clock;

// So many rows are compiled ahead of the one that is looked at.
constexpr std::size_t rows_ahead = 8;

std::vector<compile::Source> sources_of(const StoredRow& row, const GpuFacts& gpu) {
  std::vector<compile::Source> sources;
  for (const Trial& trial : row.ties)
    sources.push_back(compile::render(*row.kernel, trial.config, row.entry->result.problem, gpu));
  return sources;
}

spec::PlannedProblem planned_of(const StoredRow& row) {
  spec::PlannedProblem planned{row.kernel, row.entry->result.problem, {}};
  for (const Trial& trial : row.ties) planned.exactly.push_back(trial.config);
  planned.exactly.insert(planned.exactly.end(), row.beside.begin(), row.beside.end());
  return planned;
}

std::vector<spec::PlannedProblem> problems_of(const RefreshPlan& plan) {
  std::vector<spec::PlannedProblem> problems;
  for (const StoredRow& row : plan.rows) problems.push_back({row.kernel, row.entry->result.problem, {}});
  return problems;
}

bool copies_much(const StoredRow& row, const GpuFacts& gpu) {
  const Workload workload = spec::workload_of(*row.kernel, row.entry->result.problem, gpu);
  return is_copy(workload.bytes_read, workload.bytes_written);
}

class Refresh {
 public:
  Refresh(const RefreshPlan& plan, const RefreshOptions& options, Session& session, store::Store& store,
          Observer& observer)
      : plan_(plan), options_(options), session_(session), store_(store), observer_(observer) {}

  RefreshDone run() {
    RefreshDone done;
    for (; at_ < plan_.rows.size() && !stop(); ++at_) {
      const auto refreshed = one(plan_.rows[at_]);
      if (!refreshed) break;
      options_.on_row(*refreshed);
    }
    done.left = static_cast<int>(plan_.rows.size() - at_);
    done.interrupted = interrupted();
    finish(done.interrupted);
    return done;
  }

 private:
  bool interrupted() const { return options_.sweep.stop && options_.sweep.stop(); }
  double elapsed_s() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  bool stop() const { return interrupted() || (options_.time_budget_s > 0 && elapsed_s() > options_.time_budget_s); }

  // Empty where a stop came before its end.
  std::optional<Refreshed> one(const StoredRow& row) {
    if (!row.why_not.empty()) return unconfirmed(row, row.why_not);
    try {
      if (const auto found = found_again(row)) return found;
      if (stop()) return std::nullopt;
      return tuned(row);
    } catch (const Interrupted&) {
      return std::nullopt;
    } catch (const UserError& fault) {
      return unconfirmed(row, std::string(fault.what()) + (fault.where().empty() ? "" : ", " + fault.where()));
    }
  }

  // Where every binary and launch of what was tied is the stored one, and the driver is.
  std::optional<Refreshed> found_again(const StoredRow& row) {
    if (options_.sweep.again || row.entry->driver != session_.gpu().driver) return std::nullopt;
    start_ahead();
    const std::vector<compile::Source> sources = sources_of(row, session_.gpu());
    session_.builder->build(sources, [](std::size_t, std::size_t) {});
    for (std::size_t i = 0; i < sources.size(); ++i)
      if (!is_the_same(row, row.ties[i], sources[i].hash)) return std::nullopt;
    take_in(row);
    store::record_same_binary(store_, row.entry->gpu, row.entry->result.problem, row.entry->result.regime, row.now,
                              session_.facts.nvrtc, row.entry->tuned_at);
    return same_binary(row);
  }

  bool is_the_same(const StoredRow& row, const Trial& before, const std::string& source_hash) const {
    if (before.cubin_hash.empty() || !session_.builder->has(source_hash)) return false;
    const Artifact& artifact = session_.builder->at(source_hash);
    const Execution now = spec::resolve(*row.kernel, row.entry->result.problem, before.config, session_.gpu());
    return artifact.ok() && artifact.cubin_hash == before.cubin_hash && to_json(now.steps) == to_json(before.steps);
  }

  void start_ahead() {
    if (session_.emulated()) return;
    for (; started_ < plan_.rows.size() && started_ < at_ + rows_ahead; ++started_) {
      const StoredRow& row = plan_.rows[started_];
      if (row.why_not.empty() && !row.now.closure.empty()) session_.builder->start(sources_of(row, session_.gpu()));
    }
  }

  // A row of a results file, so that there is something to record, an incumbent, and what stands behind the new result.
  void take_in(const StoredRow& row) {
    if (row.entry->layer != "user") store::import_row(store_, *row.entry);
  }

  std::optional<Refreshed> tuned(const StoredRow& row) {
    const spec::PlannedProblem planned = planned_of(row);
    take_in(row);
    open_ceilings();
    begin_run(*row.kernel);
    const bool timed = against_ceilings();
    const ProblemContext context{session_,
                                 store_,
                                 observer_,
                                 timed ? &sustained_ : nullptr,
                                 run_,
                                 static_cast<int>(at_) + 1,
                                 static_cast<int>(plan_.rows.size()),
                                 [this] { return stop(); },
                                 &options_.sweep.overrules,
                                 false,
                                 timed ? &peaks_ : nullptr,
                                 &options_.sweep.known_of,
                                 nullptr,
                                 options_.sweep.again};
    const ProblemDone done = tune_problem(planned, context);
    observer_.on_problem_done(done);
    if (!done.finished) return std::nullopt;
    count(done);
    return judged(row, done, session_.emulated());
  }

  void count(const ProblemDone& done) {
    ++done_.problems;
    done_.trials += static_cast<std::int64_t>(done.trials.size());
    refreshed_.emplace(done.result.problem.kernel, done.result.regime);
  }

  bool against_ceilings() const { return options_.against_ceilings && !session_.emulated(); }

  // Only where something is timed: they take a while.
  void open_ceilings() {
    if (run_ != 0 || !against_ceilings()) return;
    const bool copies = std::any_of(plan_.rows.begin(), plan_.rows.end(),
                                    [&](const StoredRow& row) { return copies_much(row, session_.gpu()); });
    sustained_.open(session_, copies);
  }

  void begin_run(const spec::KernelSpec& kernel) {
    if (run_ == 0) run_ = store_.begin_run(session_.facts);
    store_.keep_text(content_hash(kernel.text), "manifest", kernel.name, kernel.text);
  }

  void finish(bool interrupted) {
    for (const auto& [kernel, regime] : refreshed_)
      if (!session_.emulated()) store::update_expected_losses(store_, session_.gpu(), kernel, regime);
    if (run_ != 0) store_.end_run(run_, interrupted ? "interrupted" : "done");
    if (run_ != 0) done_.runs = {run_};
    done_.interrupted = interrupted;
    done_.seconds = elapsed_s();
    for (const Work work : {Work::compile, Work::verify, Work::probe, Work::time, Work::other})
      done_.spent.emplace_back(to_text(work), session_.spent->seconds(work));
    if (run_ != 0) observer_.on_done(done_);
  }

  const RefreshPlan& plan_;
  const RefreshOptions& options_;
  Session& session_;
  store::Store& store_;
  Observer& observer_;
  Clock::time_point begin_ = Clock::now();
  Sustained sustained_;
  Peaks peaks_;
  std::size_t at_ = 0, started_ = 0;                         // of the rows
  std::int64_t run_ = 0;                                     // 0: nothing ran yet
  std::set<std::pair<std::string, std::string>> refreshed_;  // kernel and regime
  SweepDone done_;
};

}  // namespace

RefreshDone refresh(const RefreshPlan& plan, const RefreshOptions& options, Session& session, store::Store& store,
                    Observer& observer) {
  observer.on_device({session.gpu(), session.facts.nvrtc, session.emulated(), 0, 0});
  return Refresh(plan, options, session, store, observer).run();
}

RefreshDone refresh(const RefreshPlan& plan, const RefreshOptions& options, compile::Cache& cache, store::Store& store,
                    Observer& observer) {
  const auto check = [](const GpuFacts&) {};
  Session session = open_session(options.sweep, cache, observer, check, compilers_of(problems_of(plan)));
  return refresh(plan, options, session, store, observer);
}

}  // namespace tuner::tune
