#include "store/stored_entries.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "store/access.h"
#include "store/ladder.h"
#include "store/results_file.h"
#include "store/rows.h"

namespace tuner::store {
namespace {

std::vector<Trial> trials_by_id(Statement& rows, const std::string& ids) {
  rows.reset();
  rows.bind(1, ids);
  std::map<std::int64_t, Trial> found;
  while (rows.step()) {
    Trial trial = read_trial(rows);
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

}  // namespace

std::vector<Entry> export_results(const Store& store) {
  Connection& db = StoreAccess::connection(store);
  auto rows =
      db.prepare("SELECT " + entry_columns() + " ORDER BY max(r.saved_at, coalesce(s.checked_at, '')), r.run, r.id");
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::string, bool, bool>;
  std::map<Key, std::pair<Entry, std::string>> newest;
  while (rows.step()) {
    std::string shown;
    Entry entry = read_entry(rows, store.path(), shown);
    const Problem& problem = entry.result.problem;
    Key key{gpu_key(entry.gpu),  problem.kernel, shape_text(problem.dims), facts_key(problem.facts),
            entry.result.regime, entry.emulated, entry.shared_gpu};
    newest.insert_or_assign(std::move(key), std::pair(std::move(entry), std::move(shown)));
  }
  auto trials = db.prepare(std::string(select_trials) + "WHERE t.id IN (SELECT value FROM json_each(?))");
  std::vector<Entry> entries;
  for (auto& [key, row] : newest) {
    row.first.trials = trials_by_id(trials, row.second);
    entries.push_back(std::move(row.first));
  }
  sort_entries(entries);
  return entries;
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
  entry.trials = trials_by_id(trials, ids_to_json(ids));
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

std::vector<Trial> all_trials(const Store& store, const Entry& entry) {
  Connection& db = StoreAccess::connection(store);
  auto rows = db.prepare(std::string(select_trials) +
                         "WHERE (t.problem, t.regime, t.run) = (SELECT problem, regime, run FROM trials WHERE id = ?)"
                         " ORDER BY t.id");
  rows.bind(1, entry.result.winner);
  std::vector<Trial> trials;
  while (rows.step()) trials.push_back(read_trial(rows));
  return trials;
}

void sort_entries(std::vector<Entry>& entries) {
  const auto key = [](const Entry& entry) {
    const Problem& problem = entry.result.problem;
    return std::tuple(layer_rank(entry.layer), gpu_key(entry.gpu), problem.kernel, problem.dims,
                      facts_key(problem.facts), entry.result.regime, entry.shared_gpu);
  };
  std::stable_sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) { return key(a) < key(b); });
}

}  // namespace tuner::store
