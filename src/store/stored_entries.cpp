#include "store/stored_entries.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "store/access.h"
#include "store/ladder.h"
#include "store/results_file.h"
#include "store/rows.h"
#include "store/runs_behind.h"

namespace tuner::store {
namespace {

std::vector<Trial> trials_by_id(Statement& rows, const std::string& ids, KnownSteps& steps) {
  rows.reset();
  rows.bind(1, ids);
  std::map<std::int64_t, Trial> found;
  while (rows.step()) {
    Trial trial = read_trial(rows, steps);
    found.emplace(trial.id, std::move(trial));
  }
  std::vector<Trial> trials;
  for (const std::int64_t id : ids_from_json(ids))
    if (const auto at = found.find(id); at != found.end()) trials.push_back(std::move(at->second));
  return trials;
}

// What read_entry expects, in its order.
std::string entry_columns() {
  return std::string(result_columns) + ", r.saved_at, r.shown, s.state, s.closure_hash, s.manifest_hash, s.nvrtc, " +
         std::string(run_columns) +
         " FROM results r JOIN problems p ON p.id = r.problem JOIN runs u ON u.id = r.run"
         " LEFT JOIN states s ON s.result = r.id";
}

// Without its trials; their ids into `shown`.
Entry read_entry(const Statement& row, const std::string& path, std::string& shown) {
  Entry entry;
  entry.result = read_result(row);
  shown = row.text(result_column_count + 1);
  if (row.text(result_column_count + 2) == "current") {
    entry.found_again = {read_hash(row, result_column_count + 3), read_hash(row, result_column_count + 4)};
    entry.found_with_nvrtc = row.text(result_column_count + 5);
  }
  const RunRecord run = read_run(row, result_column_count + 6);
  entry.gpu = run.facts.gpu;
  entry.layer = "user";
  entry.source = path;
  entry.tuned_at = row.text(result_column_count);
  entry.driver = run.facts.gpu.driver;
  entry.nvrtc = run.facts.nvrtc;
  entry.tool_version = run.facts.tool_version;
  entry.policy = run.facts.policy;
  entry.emulated = run.facts.emulated;
  entry.shared_gpu = run.facts.shared_gpu;
  return entry;
}

constexpr std::int64_t unknown_winner = -1;  // there may be none, says the row

struct RunOutline {
  std::int64_t model = 0;  // row of `gpus`
  GpuFacts gpu;
  bool emulated = false;
  bool shared_gpu = false;
};

std::map<std::int64_t, RunOutline> run_outlines(Connection& db) {
  auto rows = db.prepare("SELECT id, gpu, facts, emulated, shared_gpu FROM runs");
  std::map<std::int64_t, RunOutline> runs;
  std::map<std::string, GpuFacts> known;  // runs of one machine have the same facts
  while (rows.step()) {
    const auto [at, fresh] = known.try_emplace(rows.text(2));
    try {
      if (fresh) at->second = gpu_from_json(at->first);
    } catch (const UserError& error) {
      throw UserError(error.what(), rows.path() + ", run " + std::to_string(rows.integer(0)),
                      "the database is damaged: move it away, or name another with --db");
    }
    runs[rows.integer(0)] = {rows.integer(1), at->second, rows.integer(3) != 0, rows.integer(4) != 0};
  }
  return runs;
}

std::map<std::int64_t, Problem> stored_problems(Connection& db) {
  auto rows = db.prepare("SELECT id, kernel, shape, facts FROM problems");
  std::map<std::int64_t, Problem> problems;
  while (rows.step())
    problems[rows.integer(0)] = {rows.text(1), parse_shape(rows.text(2), "database"), facts_from_json(rows.text(3))};
  return problems;
}

// When it was saved or last found current, its run, its row: the greatest is the newest.
using Newness = std::tuple<std::string, std::int64_t, std::int64_t>;
// GPU model, problem, regime, emulated, shared.
using ResultKey = std::tuple<std::int64_t, std::int64_t, std::string, bool, bool>;

std::map<std::int64_t, std::string> check_times(Connection& db) {
  auto rows = db.prepare("SELECT result, checked_at FROM states");
  std::map<std::int64_t, std::string> times;
  while (rows.step()) times[rows.integer(0)] = rows.text(1);
  return times;
}

// Only columns of one index: the rows themselves are long and lie far apart.
std::map<ResultKey, Newness> newest_results(Connection& db, const std::map<std::int64_t, RunOutline>& runs) {
  const auto checked = check_times(db);
  auto rows = db.prepare("SELECT id, run, problem, regime, saved_at FROM results");
  std::map<ResultKey, Newness> newest;
  while (rows.step()) {
    const auto run = runs.find(rows.integer(1));
    if (run == runs.end()) continue;  // begun after the runs were read
    const RunOutline& of = run->second;
    const auto check = checked.find(rows.integer(0));
    Newness row{rows.text(4), run->first, rows.integer(0)};
    if (check != checked.end()) std::get<0>(row) = std::max(std::get<0>(row), check->second);
    Newness& at = newest[{of.model, rows.integer(2), rows.text(3), of.emulated, of.shared_gpu}];
    at = std::max(at, row);
  }
  return newest;
}

}  // namespace

std::vector<Entry> outlines(const Store& store, std::size_t room) {
  Connection& db = StoreAccess::connection(store);
  // What is stored after a part was read is left out: runs come before their results, results before their problems.
  const auto runs = run_outlines(db);
  const auto newest = newest_results(db, runs);
  const auto problems = stored_problems(db);
  std::vector<Entry> entries;
  entries.reserve(newest.size() + room);
  for (const auto& [key, row] : newest) {
    const auto problem = problems.find(std::get<1>(key));
    if (problem == problems.end()) continue;
    const RunOutline& run = runs.at(std::get<1>(row));
    Entry& entry = entries.emplace_back();
    entry.unread = std::get<2>(row);
    entry.result.problem = problem->second;
    entry.result.regime = std::get<2>(key);
    entry.result.winner = unknown_winner;
    entry.gpu = run.gpu;
    entry.driver = run.gpu.driver;
    entry.emulated = run.emulated;
    entry.shared_gpu = run.shared_gpu;
    entry.layer = "user";
    entry.source = store.path();
  }
  return entries;
}

EntryReader::EntryReader(const Store& store)
    : path_(store.path()),
      result_(StoreAccess::connection(store).prepare("SELECT " + entry_columns() + " WHERE r.id = ?")),
      trials_(StoreAccess::connection(store).prepare(std::string(select_trials) +
                                                     "WHERE t.id IN (SELECT value FROM json_each(?))")) {}

void EntryReader::read_rest(Entry& entry) {
  if (entry.unread == 0) return;
  result_.reset();
  result_.bind(1, entry.unread);
  if (result_.step()) {
    std::string shown;
    Entry whole = read_entry(result_, path_, shown);
    whole.trials = trials_by_id(trials_, shown, steps_);
    entry = std::move(whole);
  }
  result_.reset();
  trials_.reset();
  entry.unread = 0;
}

namespace {

// `rows` give ids of results.
std::vector<Entry> whole(const Store& store, Statement& rows) {
  std::vector<Entry> entries;
  EntryReader reader(store);
  while (rows.step()) {
    Entry& entry = entries.emplace_back();
    entry.unread = rows.integer(0);
    reader.read_rest(entry);
  }
  return entries;
}

}  // namespace

std::vector<Entry> export_results(const Store& store) {
  std::vector<Entry> entries = outlines(store);
  EntryReader reader(store);
  for (Entry& entry : entries) reader.read_rest(entry);
  sort_entries(entries);
  return entries;
}

std::vector<Entry> entries_of_run(const Store& store, std::int64_t run) {
  auto rows = StoreAccess::connection(store).prepare("SELECT id FROM results WHERE run = ? ORDER BY id");
  rows.bind(1, run);
  return whole(store, rows);
}

std::vector<Entry> entries_of_driver(const Store& store, const std::string& driver) {
  auto rows = StoreAccess::connection(store).prepare(
      "SELECT r.id FROM results r JOIN runs u ON u.id = r.run"
      " WHERE u.driver = ?1 OR substr(u.driver, 1, length(?1) + 1) = ?1 || '.' ORDER BY r.id DESC");
  rows.bind(1, driver);
  std::vector<Entry> newest;
  for (Entry& entry : whole(store, rows)) {
    const bool older = std::any_of(newest.begin(), newest.end(), [&](const Entry& other) {
      return same_model(other.gpu, entry.gpu) && other.result.problem == entry.result.problem &&
             other.result.regime == entry.result.regime && other.emulated == entry.emulated;
    });
    if (!older) newest.push_back(std::move(entry));
  }
  return newest;
}

std::optional<Entry> entry_of(const Store& store, const Trial& trial) {
  Connection& db = StoreAccess::connection(store);
  auto row = db.prepare("SELECT " + entry_columns() +
                        " JOIN trials t ON t.run = r.run AND t.problem = r.problem AND t.regime = r.regime"
                        " WHERE t.id = ?");
  row.bind(1, trial.id);
  std::string shown;
  if (!row.step()) return std::nullopt;
  Entry entry = read_entry(row, store.path(), shown);
  std::vector<std::int64_t> ids = ids_from_json(shown);
  ids.push_back(trial.id);
  if (trial.duplicate_of != 0) ids.push_back(trial.duplicate_of);
  auto trials = db.prepare(std::string(select_trials) + "WHERE t.id IN (SELECT value FROM json_each(?))");
  KnownSteps steps;
  entry.trials = trials_by_id(trials, ids_to_json(ids), steps);
  return entry;
}

std::optional<Trial> newest_trial(const Store& store, const PlacedConfig& wanted,
                                  const std::function<bool(const GpuFacts&)>& on) {
  Connection& db = StoreAccess::connection(store);
  auto rows = db.prepare(
      "SELECT t.id, u.facts FROM trials t JOIN problems p ON p.id = t.problem JOIN runs u ON u.id = t.run"
      " WHERE t.problem = ? AND t.regime = ? AND t.params = ? AND u.emulated = 0"
      " AND t.status NOT IN ('started', 'compiled') ORDER BY u.started_at DESC, t.run DESC, t.id DESC");
  rows.bind(1, find_problem(db, wanted.problem)).bind(2, wanted.regime).bind(3, to_json(wanted.config));
  while (rows.step())
    if (on(gpu_from_json(rows.text(1)))) return store.trial(rows.integer(0));
  return std::nullopt;
}

namespace {

// The run that an entry of this store is of, and its problem; one without a winner is known by when it was saved.
std::optional<std::pair<std::int64_t, std::int64_t>> run_of(Connection& db, const Entry& entry) {
  auto row = db.prepare(entry.result.winner != 0
                            ? "SELECT run, problem FROM trials WHERE id = ?"
                            : "SELECT r.run, r.problem FROM results r JOIN runs u ON u.id = r.run JOIN gpus g ON g.id ="
                              " u.gpu WHERE r.problem = ? AND r.regime = ? AND g.key = ? AND r.saved_at = ?"
                              " ORDER BY r.run DESC");
  if (entry.result.winner != 0)
    row.bind(1, entry.result.winner);
  else
    row.bind(1, find_problem(db, entry.result.problem)).bind(2, entry.result.regime).bind(3, gpu_key(entry.gpu));
  if (entry.result.winner == 0) row.bind(4, entry.tuned_at);
  if (!row.step()) return std::nullopt;
  return std::pair(row.integer(0), row.integer(1));
}

}  // namespace

std::vector<Trial> all_trials(const Store& store, const Entry& entry) {
  Connection& db = StoreAccess::connection(store);
  const auto at = run_of(db, entry);
  if (!at) return {};
  const auto [run, problem] = *at;
  const std::string& regime = entry.result.regime;
  auto rows =
      db.prepare(std::string(select_trials) + "WHERE t.problem = ? AND t.regime = ? AND t.run = ? ORDER BY t.id");
  rows.bind(1, problem).bind(2, regime).bind(3, run);
  std::vector<Trial> trials;
  KnownSteps steps;
  while (rows.step()) trials.push_back(read_trial(rows, steps));
  add_trials_behind(db, run, problem, regime, trials);
  return trials;
}

namespace {

bool stands_before(const Entry& a, const Entry& b) {
  if (a.layer != b.layer) return layer_rank(a.layer) < layer_rank(b.layer);
  if (!same_model(a.gpu, b.gpu)) return gpu_key(a.gpu) < gpu_key(b.gpu);
  const ProblemResult& x = a.result;
  const ProblemResult& y = b.result;
  if (x.problem.kernel != y.problem.kernel) return x.problem.kernel < y.problem.kernel;
  if (x.problem.dims != y.problem.dims) return x.problem.dims < y.problem.dims;
  if (x.problem.facts != y.problem.facts) {
    const std::string of_a = facts_key(x.problem.facts);
    const std::string of_b = facts_key(y.problem.facts);
    if (of_a != of_b) return of_a < of_b;
  }
  return std::tie(x.regime, a.shared_gpu, b.tuned_at) < std::tie(y.regime, b.shared_gpu, a.tuned_at);
}

}  // namespace

// In place: entries are large, and there may be thousands.
void sort_entries(std::vector<Entry>& entries) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return stands_before(entries[a], entries[b]); });
  for (std::size_t start = 0; start < order.size(); ++start) {
    if (order[start] == start) continue;
    Entry first = std::move(entries[start]);
    std::size_t at = start;
    for (; order[at] != start; at = std::exchange(order[at], at)) entries[at] = std::move(entries[order[at]]);
    entries[at] = std::move(first);
    order[at] = at;
  }
}

}  // namespace tuner::store
