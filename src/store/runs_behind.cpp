#include "store/runs_behind.h"

#include <set>

#include "store/rows.h"

namespace tuner::store {
namespace {

bool is_of_a_sweep(const Statement& row, int search) { return row.text(search) != refresh_search; }

}  // namespace

std::vector<std::int64_t> runs_behind(Connection& db, std::int64_t run, std::int64_t problem,
                                      const std::string& regime) {
  auto own = db.prepare("SELECT search FROM results WHERE run = ? AND problem = ? AND regime = ?");
  own.bind(1, run).bind(2, problem).bind(3, regime);
  std::vector<std::int64_t> runs;
  if (own.step() && is_of_a_sweep(own, 0)) return runs;
  auto before = db.prepare(
      "SELECT r.run, r.search FROM results r JOIN runs u ON u.id = r.run JOIN runs v ON v.id = ?1"
      " WHERE r.problem = ?2 AND r.regime = ?3 AND r.run <> ?1 AND u.gpu = v.gpu AND u.emulated = v.emulated"
      " AND u.started_at <= v.started_at ORDER BY r.saved_at DESC, r.run DESC");
  before.bind(1, run).bind(2, problem).bind(3, regime);
  while (before.step()) {
    runs.push_back(before.integer(0));
    if (is_of_a_sweep(before, 1)) break;
  }
  return runs;
}

void add_trials_behind(Connection& db, std::int64_t run, std::int64_t problem, const std::string& regime,
                       std::vector<Trial>& trials) {
  const std::vector<std::int64_t> runs = runs_behind(db, run, problem, regime);
  if (runs.empty()) return;
  std::set<std::string> seen;
  for (const Trial& trial : trials) seen.insert(to_json(trial.config));
  auto rows =
      db.prepare(std::string(select_trials) + "WHERE t.problem = ? AND t.regime = ? AND t.run = ? ORDER BY t.id");
  KnownSteps steps;
  for (const std::int64_t behind : runs) {
    rows.reset();
    rows.bind(1, problem).bind(2, regime).bind(3, behind);
    while (rows.step()) {
      Trial trial = read_trial(rows, steps);
      if (seen.insert(to_json(trial.config)).second) trials.push_back(std::move(trial));
    }
  }
}

}  // namespace tuner::store
