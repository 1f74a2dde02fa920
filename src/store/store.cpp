#include "store/store.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.h"
#include "core/hash.h"
#include "store/access.h"
#include "store/process_mark.h"
#include "store/rows.h"
#include "store/runs_behind.h"
#include "store/selection.h"
#include "store/time_text.h"
#include "store/write_rows.h"

namespace tuner::store {
namespace {

std::vector<Trial> read_trials(Statement& statement) {
  std::vector<Trial> trials;
  KnownSteps steps;
  while (statement.step()) trials.push_back(read_trial(statement, steps));
  return trials;
}

std::vector<Trial> trials_of(Connection& db, std::int64_t run, std::int64_t problem, const std::string& regime) {
  auto rows =
      db.prepare(std::string(select_trials) + "WHERE t.problem = ? AND t.regime = ? AND t.run = ? ORDER BY t.id");
  rows.bind(1, problem).bind(2, regime).bind(3, run);
  return read_trials(rows);
}

// The trial of this run with the configuration that won the run before it on this GPU model by the same objective; 0
// when there is none.
std::int64_t incumbent_of(Connection& db, std::int64_t run, std::int64_t problem, const ProblemResult& result,
                          const std::vector<Trial>& trials) {
  auto row = db.prepare(
      "SELECT t.params, r.objective FROM results r JOIN trials t ON t.id = r.winner JOIN runs u ON u.id = r.run"
      " WHERE r.problem = ? AND r.regime = ? AND r.run <> ? AND u.gpu = (SELECT gpu FROM runs WHERE id = ?)"
      " ORDER BY r.saved_at DESC, r.run DESC LIMIT 1");
  row.bind(1, problem).bind(2, result.regime).bind(3, run).bind(4, run);
  if (!row.step() || row.text(1) != result.objective) return 0;
  const Config config = config_from_json(row.text(0));
  for (const Trial& trial : trials)
    if (trial.config == config) return trial.status == Status::duplicate ? trial.duplicate_of : trial.id;
  return 0;
}

// What is newest is told by time, since imports bring older rows: a clock that was set back must not make what is
// stored now the older one.
std::string start_of_run(Connection& db) {
  return std::max(now_text(), db.scalar_text("SELECT coalesce(max(started_at), '') FROM runs"));
}

std::string time_of_result(Connection& db, std::int64_t run, std::int64_t problem, const std::string& regime) {
  auto row = db.prepare(
      "SELECT max((SELECT started_at FROM runs WHERE id = ?), coalesce(max(saved_at), '')) FROM results"
      " WHERE problem = ? AND regime = ?");
  row.bind(1, run).bind(2, problem).bind(3, regime);
  return row.step() ? std::max(now_text(), row.text(0)) : now_text();
}

}  // namespace

std::string gpu_key(const GpuFacts& gpu) {
  // Drivers report a little less than what is built in, and not always the same: whole GiB, rounded.
  const auto gib = std::llround(static_cast<double>(gpu.memory_bytes) / (1024.0 * 1024.0 * 1024.0));
  return gpu.name + "|" + arch_text(gpu.arch) + "|" + std::to_string(gpu.sm_count) + "|" + std::to_string(gib) + "|" +
         gpu.mig_profile;
}

bool same_model(const GpuFacts& a, const GpuFacts& b) {
  return a.arch == b.arch && a.sm_count == b.sm_count && a.name == b.name && a.mig_profile == b.mig_profile &&
         (a.memory_bytes == b.memory_bytes || gpu_key(a) == gpu_key(b));
}

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Store Store::open(const std::string& path, Mode mode) {
  auto state = std::make_unique<State>();
  state->database = mode == Mode::read_write ? Database::open_to_write(path) : Database::open_to_read(path);
  return Store(std::move(state));
}

const std::string& Store::path() const { return state_->database->path(); }

std::int64_t Store::begin_run(const RunFacts& facts) {
  Connection& db = state_->database->connection();
  std::int64_t id = 0;
  state_->database->write(false, [&] { id = write_run(db, {0, facts, start_of_run(db), {}, {}}, this_process()); });
  return id;
}

void Store::end_run(std::int64_t run, const std::string& outcome) {
  Connection& db = state_->database->connection();
  state_->database->write(true, [&] {
    db.prepare("UPDATE runs SET finished_at = max(?, started_at), outcome = ? WHERE id = ?")
        .bind(1, now_text())
        .bind(2, outcome)
        .bind(3, run)
        .run();
  });
}

void Store::keep_text(const std::string& hash, const std::string& kind, const std::string& name,
                      const std::string& text) {
  Connection& db = state_->database->connection();
  state_->database->write(false, [&] { text_row(db, hash, kind, name, text); });
}

std::optional<std::string> Store::text(const std::string& hash) const {
  auto row = StoreAccess::connection(*this).prepare("SELECT body FROM texts WHERE hash = ?");
  bind_hash(row, 1, hash);
  if (!row.step()) return std::nullopt;
  return row.text(0);
}

std::vector<Store::Text> Store::texts(const std::string& kind) const {
  auto row = StoreAccess::connection(*this).prepare("SELECT name, body FROM texts WHERE kind = ? ORDER BY id DESC");
  row.bind(1, kind);
  std::vector<Text> texts;
  while (row.step()) texts.push_back({row.text(0), row.text(1)});
  return texts;
}

std::int64_t Store::save(std::int64_t run, const Trial& trial) { return save_all(run, {trial}).front(); }

std::vector<std::int64_t> Store::save_all(std::int64_t run, const std::vector<Trial>& trials) {
  Connection& db = state_->database->connection();
  std::vector<std::int64_t> ids;
  state_->database->write(false, [&] {
    TrialWriter writer(db);
    for (const Trial& trial : trials) ids.push_back(writer.write(run, trial));
  });
  return ids;
}

void Store::save_result(std::int64_t run, const ProblemResult& result) {
  Connection& db = state_->database->connection();
  state_->database->write(true, [&] {
    const std::int64_t problem = problem_row(db, result.problem);
    const auto trials = trials_of(db, run, problem, result.regime);
    ProblemResult row = result;
    row.incumbent = incumbent_of(db, run, problem, result, trials);
    write_result(db, run, row, shown_ids(result, trials), time_of_result(db, run, problem, result.regime));
  });
}

std::optional<ProblemResult> Store::result(const GpuFacts& gpu, const Problem& problem,
                                           const std::string& regime) const {
  auto row = StoreAccess::connection(*this).prepare(
      "SELECT " + std::string(result_columns) +
      " FROM results r JOIN problems p ON p.id = r.problem JOIN runs u ON u.id = r.run JOIN gpus g ON g.id = u.gpu"
      " WHERE g.key = ? AND p.kernel = ? AND p.shape = ? AND p.facts_key = ? AND r.regime = ? ORDER BY r.saved_at"
      " DESC, r.run DESC, r.id DESC LIMIT 1");
  row.bind(1, gpu_key(gpu)).bind(2, problem.kernel).bind(3, shape_text(problem.dims)).bind(4, facts_key(problem.facts));
  row.bind(5, regime);
  if (!row.step()) return std::nullopt;
  return read_result(row);
}

std::vector<Trial> Store::trials(const GpuFacts& gpu, const Problem& problem, const std::string& regime) const {
  Connection& db = StoreAccess::connection(*this);
  const std::int64_t id = find_problem(db, problem);
  auto newest = db.prepare(
      "SELECT t.run FROM trials t JOIN runs u ON u.id = t.run JOIN gpus g ON g.id = u.gpu"
      " WHERE t.problem = ? AND t.regime = ? AND g.key = ? ORDER BY u.started_at DESC, t.run DESC LIMIT 1");
  newest.bind(1, id).bind(2, regime).bind(3, gpu_key(gpu));
  if (!newest.step()) return {};
  std::vector<Trial> trials = trials_of(db, newest.integer(0), id, regime);
  add_trials_behind(db, newest.integer(0), id, regime, trials);
  return trials;
}

std::optional<Trial> Store::trial(std::int64_t id) const {
  auto row = StoreAccess::connection(*this).prepare(std::string(select_trials) + "WHERE t.id = ?");
  row.bind(1, id);
  if (!row.step()) return std::nullopt;
  return read_trial(row);
}

std::optional<RunRecord> Store::run_of_trial(std::int64_t id) const {
  auto row = StoreAccess::connection(*this).prepare("SELECT " + std::string(run_columns) +
                                                    " FROM runs u JOIN trials t ON t.run = u.id WHERE t.id = ?");
  row.bind(1, id);
  if (!row.step()) return std::nullopt;
  return read_run(row);
}

std::vector<RunRecord> Store::runs() const {
  auto row =
      StoreAccess::connection(*this).prepare("SELECT " + std::string(run_columns) + " FROM runs u ORDER BY u.id");
  std::vector<RunRecord> runs;
  while (row.step()) runs.push_back(read_run(row));
  return runs;
}

}  // namespace tuner::store
