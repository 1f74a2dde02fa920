#include "store/expected_loss.h"

#include <algorithm>
#include <optional>

#include "store/access.h"
#include "store/lookup.h"
#include "store/rows.h"
#include "store/runs_behind.h"
#include "store/selection.h"

namespace tuner::store {
namespace {

constexpr double most_behind_default = 0.02;
constexpr double most_behind_winner = 0.02;
constexpr double little_to_win = 0.05;
constexpr int enough_neighbours = 3;
constexpr std::size_t most_neighbours = 7;

// Equal, or both the same dimension of their problems: a row stride that is N stays N.
bool same_fact(const Problem& a, const Value& left, const Problem& b, const Value& right) {
  if (left == right) return true;
  for (std::size_t i = 0; i < a.dims.size() && i < b.dims.size(); ++i)
    if (left == Value(a.dims[i]) && right == Value(b.dims[i])) return true;
  return false;
}

bool comparable(const Problem& a, const Problem& b) {
  if (!shape_distance(a.dims, b.dims) || a.facts.size() != b.facts.size()) return false;
  return std::all_of(a.facts.begin(), a.facts.end(), [&](const auto& fact) {
    const Value* other = b.fact(fact.first);
    return other != nullptr && same_fact(a, fact.second, b, *other);
  });
}

double best_of(const TimedProblem& problem) {
  const auto winner = problem.times.find(problem.winner);
  return winner == problem.times.end() ? 0 : winner->second;
}

// Nearest first, equally near ones in their order.
std::vector<const TimedProblem*> neighbours_of(const TimedProblem& asked, const std::vector<TimedProblem>& problems) {
  std::vector<std::pair<std::int64_t, const TimedProblem*>> found;
  for (const TimedProblem& near : problems) {
    if (&near == &asked || best_of(near) <= 0 || near.default_us <= 0) continue;
    if (asked.objective == near.objective && comparable(asked.problem, near.problem))
      found.emplace_back(*shape_distance(asked.problem.dims, near.problem.dims), &near);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const TimedProblem*> neighbours;
  for (const auto& [distance, near] : found) neighbours.push_back(near);
  return neighbours;
}

Losses losses_with(const std::string& config, const std::vector<const TimedProblem*>& neighbours) {
  Losses losses;
  losses.traveller = config;
  double own = 0, by_default = 0, worst = 0;
  for (const TimedProblem* near : neighbours) {
    const auto here = near->times.find(config);
    if (here == near->times.end()) continue;
    own += here->second / best_of(*near) - 1;
    by_default += near->default_us / best_of(*near) - 1;
    worst = std::max(worst, here->second / near->default_us - 1);
    if (++losses.neighbours == most_neighbours) break;
  }
  if (losses.neighbours == 0) return {};
  losses.expected = std::max(0.0, own / losses.neighbours);
  losses.by_default = std::max(0.0, by_default / losses.neighbours);
  losses.worst = worst;
  return losses;
}

// The winner, unless another that is about as fast at home travels better and is known as well.
Losses losses_of(const TimedProblem& asked, const std::vector<TimedProblem>& problems) {
  const auto neighbours = neighbours_of(asked, problems);
  Losses best = losses_with(asked.winner, neighbours);
  const int known = best.neighbours;
  if (known == 0) return best;
  const auto risk = [](const Losses& losses) { return losses.expected + losses.worst; };
  for (const std::string& config : asked.answers) {
    const auto home = asked.times.find(config);
    if (home == asked.times.end() || home->second > best_of(asked) * (1 + most_behind_winner)) continue;
    Losses other = losses_with(config, neighbours);
    if (other.neighbours >= known && risk(other) < risk(best)) best = std::move(other);
  }
  return best;
}

struct Row {
  std::int64_t id = 0;
  std::int64_t problem = 0;
  std::int64_t run = 0;
  std::int64_t default_trial = 0;
  std::string shown;
  std::map<std::string, std::int64_t> ids;  // of configurations that may answer elsewhere
  TimedProblem timed;
};

// The newest result of each problem.
std::vector<Row> rows_of(Connection& db, const GpuFacts& gpu, const std::string& kernel, const std::string& regime) {
  auto found = db.prepare(
      "SELECT r.id, r.problem, r.run, r.default_trial, t.params, p.kernel, p.shape, p.facts, r.shown, r.objective"
      " FROM results r"
      " JOIN problems p ON p.id = r.problem JOIN runs u ON u.id = r.run JOIN gpus g ON g.id = u.gpu"
      " JOIN trials t ON t.id = r.winner"
      " WHERE g.key = ? AND p.kernel = ? AND r.regime = ? AND u.emulated = 0 ORDER BY r.saved_at, r.run, r.id");
  found.bind(1, gpu_key(gpu)).bind(2, kernel).bind(3, regime);
  std::map<std::int64_t, Row> newest;
  while (found.step()) {
    Row row;
    row.id = found.integer(0);
    row.problem = found.integer(1);
    row.run = found.integer(2);
    row.default_trial = found.integer(3);
    row.timed.winner = found.text(4);
    row.timed.problem = {found.text(5), parse_shape(found.text(6), "database"), facts_from_json(found.text(7))};
    row.shown = found.text(8);
    row.timed.objective = found.text(9);
    newest[row.problem] = std::move(row);
  }
  std::vector<Row> rows;
  for (auto& [problem, row] : newest) rows.push_back(std::move(row));
  return rows;
}

// A duplicate's time is that of what it duplicates; one that left early has its sample.
void read_times(Statement& trials, const std::string& regime, Row& row) {
  trials.reset();
  trials.bind(1, row.problem).bind(2, regime).bind(3, row.run);
  std::map<std::int64_t, double> by_id;
  std::vector<std::pair<std::string, std::int64_t>> twins;
  while (trials.step()) {
    const double us = trials.real(2);
    if (trials.integer(3) != 0) twins.emplace_back(trials.text(1), trials.integer(3));
    if (us <= 0) continue;
    by_id[trials.integer(0)] = us;
    row.timed.times[trials.text(1)] = us;
    if (trials.integer(4) == 0) continue;
    row.timed.answers.push_back(trials.text(1));
    row.ids[trials.text(1)] = trials.integer(0);
  }
  for (const auto& [params, original] : twins)
    if (const auto at = by_id.find(original); at != by_id.end()) row.timed.times[params] = at->second;
  auto standard = by_id.find(row.default_trial);
  if (standard != by_id.end()) row.timed.default_us = standard->second;
}

// Of configurations that a refresh did not run, the times that stand behind it: they are tried, and answer nothing.
void read_times_behind(Connection& db, Statement& trials, const std::string& regime, Row& row) {
  for (const std::int64_t run : runs_behind(db, row.run, row.problem, regime)) {
    Row older;
    older.run = run;
    older.problem = row.problem;
    read_times(trials, regime, older);
    row.timed.times.merge(older.timed.times);
  }
}

}  // namespace

std::vector<Losses> leave_one_out(const std::vector<TimedProblem>& problems) {
  std::vector<Losses> losses;
  losses.reserve(problems.size());
  for (const TimedProblem& problem : problems) losses.push_back(losses_of(problem, problems));
  return losses;
}

double told_loss(const ProblemResult& row, double loss) { return row.loss_neighbours >= enough_neighbours ? loss : -1; }

bool gives_way(const Entry& neighbour) {
  const ProblemResult& row = neighbour.result;
  if (row.loss_neighbours >= enough_neighbours)
    return row.default_loss < row.expected_loss || row.worst_loss > most_behind_default;
  double winner_us = 0, default_us = 0;
  for (const Trial& trial : neighbour.trials) {
    if (trial.id == row.winner) winner_us = cost_of(trial, neighbour.trials);
    if (trial.id == row.default_trial) default_us = cost_of(trial, neighbour.trials);
  }
  return winner_us > 0 && default_us > 0 && default_us < winner_us * (1 + little_to_win);
}

// A results file holds the trial that answers neighbours.
std::string with_shown(const std::string& shown, std::int64_t id) {
  std::vector<std::int64_t> ids = ids_from_json(shown);
  if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  return ids_to_json(ids);
}

void update_expected_losses(Store& store, const GpuFacts& gpu, const std::string& kernel, const std::string& regime) {
  Connection& db = StoreAccess::connection(store);
  std::vector<Row> rows = rows_of(db, gpu, kernel, regime);
  {
    auto trials = db.prepare(
        "SELECT id, params, coalesce(cost, time_us), duplicate_of, status = 'measured' AND exact_only = 0 AND "
        "deterministic <> 0"
        " FROM trials WHERE problem = ? AND regime = ? AND run = ?"
        " AND status IN ('measured', 'eliminated', 'duplicate')");
    for (Row& row : rows) {
      read_times(trials, regime, row);
      read_times_behind(db, trials, regime, row);
    }
  }
  std::vector<TimedProblem> problems;
  problems.reserve(rows.size());
  for (Row& row : rows) problems.push_back(row.timed);
  const std::vector<Losses> losses = leave_one_out(problems);
  StoreAccess::database(store).write(true, [&] {
    auto update = db.prepare(
        "UPDATE results SET expected_loss = ?, default_loss = ?, worst_loss = ?, loss_neighbours = ?, traveller = ?,"
        " shown = ? WHERE id = ?"
        // A file shows only some of the trials that its losses are from, and a refresh has those of the sweep before.
        " AND (expected_loss IS NULL OR (run NOT IN (SELECT run FROM imports WHERE layer = 'file' AND run IS NOT NULL)"
        " AND search IS NOT ?8))");
    update.bind(8, refresh_search);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto traveller = rows[i].ids.find(losses[i].traveller);
      if (traveller == rows[i].ids.end()) continue;
      update.bind(1, losses[i].expected).bind(2, losses[i].by_default).bind(3, losses[i].worst);
      update.bind(4, std::int64_t{losses[i].neighbours}).bind(5, traveller->second);
      update.bind(6, with_shown(rows[i].shown, traveller->second)).bind(7, rows[i].id);
      update.run();
    }
  });
}

}  // namespace tuner::store
