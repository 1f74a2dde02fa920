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

}  // namespace

std::vector<Entry> export_results(const Store& store) {
  Connection& db = StoreAccess::connection(store);
  auto rows = db.prepare(
      "SELECT " + std::string(result_columns) + ", r.saved_at, r.shown, " + std::string(run_columns) +
      " FROM results r JOIN problems p ON p.id = r.problem JOIN runs u ON u.id = r.run ORDER BY r.run, r.id");
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::string, bool, bool>;
  std::map<Key, std::pair<Entry, std::string>> newest;
  while (rows.step()) {
    Entry entry;
    entry.result = read_result(rows);
    const std::string shown = rows.text(result_column_count + 1);
    const RunRecord run = read_run(rows, result_column_count + 2);
    entry.gpu = run.facts.gpu;
    entry.layer = "user";
    entry.source = store.path();
    entry.tuned_at = rows.text(result_column_count);
    entry.driver = run.facts.gpu.driver;
    entry.nvrtc = run.facts.nvrtc;
    entry.tool_version = run.facts.tool_version;
    entry.policy = run.facts.policy;
    entry.emulated = run.facts.emulated;
    entry.shared_gpu = run.facts.shared_gpu;
    const Problem& problem = entry.result.problem;
    Key key{gpu_key(entry.gpu),  problem.kernel, shape_text(problem.dims), facts_key(problem.facts),
            entry.result.regime, entry.emulated, entry.shared_gpu};
    newest.insert_or_assign(std::move(key), std::pair(std::move(entry), shown));
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
