#include "store/import_rows.h"

#include <algorithm>
#include <map>

#include "core/hash.h"
#include "store/process_mark.h"
#include "store/rows.h"
#include "store/time_text.h"
#include "store/write_rows.h"

namespace tuner::store {
namespace {

using Ids = std::map<std::int64_t, std::int64_t>;

std::int64_t mapped(const Ids& ids, std::int64_t id) {
  const auto at = ids.find(id);
  return at == ids.end() ? 0 : at->second;
}

std::vector<std::int64_t> mapped(const Ids& ids, const std::vector<std::int64_t>& list) {
  std::vector<std::int64_t> out;
  for (const std::int64_t id : list)
    if (const std::int64_t other = mapped(ids, id); other != 0) out.push_back(other);
  return out;
}

void map_ids(ProblemResult& result, const Ids& ids) {
  result.winner = mapped(ids, result.winner);
  result.default_trial = mapped(ids, result.default_trial);
  result.incumbent = mapped(ids, result.incumbent);
  result.traveller = mapped(ids, result.traveller);
  result.tied = mapped(ids, result.tied);
}

void copy_results(Connection& from, std::int64_t from_run, Connection& to, std::int64_t to_run, const Ids& ids) {
  auto rows = from.prepare("SELECT " + std::string(result_columns) +
                           ", r.shown, r.saved_at FROM results r JOIN problems p ON p.id = r.problem WHERE r.run = ?");
  rows.bind(1, from_run);
  while (rows.step()) {
    ProblemResult result = read_result(rows);
    map_ids(result, ids);
    write_result(to, to_run, result, mapped(ids, ids_from_json(rows.text(result_column_count))),
                 rows.text(result_column_count + 1));
  }
}

}  // namespace

std::string StoredRun::mark() const { return gpu_key(record.facts.gpu) + " " + record.started_at + " " + process; }

std::vector<StoredRun> stored_runs(Connection& db) {
  auto rows = db.prepare("SELECT " + std::string(run_columns) + ", u.process FROM runs u ORDER BY u.id");
  std::vector<StoredRun> runs;
  while (rows.step()) {
    StoredRun run;
    run.record = read_run(rows);
    run.id = run.record.id;
    run.process = rows.text(12);
    run.is_running = run.record.finished_at.empty() && is_running(run.process);
    runs.push_back(std::move(run));
  }
  return runs;
}

bool has_run(Connection& db, const StoredRun& run, std::int64_t trials) {
  auto row = db.prepare(
      "SELECT u.id FROM runs u JOIN gpus g ON g.id = u.gpu WHERE g.key = ? AND u.started_at = ? AND u.process = ?");
  row.bind(1, gpu_key(run.record.facts.gpu)).bind(2, run.record.started_at).bind(3, run.process);
  while (row.step())
    if (count_trials(db, row.integer(0)) == trials) return true;
  return false;
}

std::int64_t count_trials(Connection& db, std::int64_t run) {
  return db.scalar("SELECT count(*) FROM trials WHERE run = " + std::to_string(run));
}

int count_results(Connection& db, std::int64_t run) {
  return static_cast<int>(db.scalar("SELECT count(*) FROM results WHERE run = " + std::to_string(run)));
}

std::int64_t copy_trials(Connection& from, std::int64_t from_run, Connection& to, std::int64_t to_run) {
  // What is duplicated comes before its duplicates.
  auto rows = from.prepare(std::string(select_trials) + "WHERE t.run = ? ORDER BY t.duplicate_of IS NOT NULL, t.id");
  rows.bind(1, from_run);
  TrialWriter writer(to);
  Ids ids;
  while (rows.step()) {
    Trial trial = read_trial(rows);
    const std::int64_t old = trial.id;
    trial.id = 0;
    trial.duplicate_of = mapped(ids, trial.duplicate_of);
    ids[old] = writer.write(to_run, trial);
  }
  copy_results(from, from_run, to, to_run, ids);
  return static_cast<std::int64_t>(ids.size());
}

void copy_texts(Connection& from, Connection& to) {
  auto rows = from.prepare("SELECT hash, kind, name, body FROM texts WHERE kind <> 'log'");
  while (rows.step()) text_row(to, read_hash(rows, 0), rows.text(1), rows.text(2), rows.text(3));
}

bool has_result(Connection& db, const Entry& entry) {
  auto row = db.prepare(
      "SELECT t.params, t.samples FROM results r JOIN trials t ON t.id = r.winner JOIN runs u ON u.id = r.run"
      " JOIN gpus g ON g.id = u.gpu WHERE r.problem = ? AND r.regime = ? AND g.key = ? AND r.saved_at = ?");
  row.bind(1, find_problem(db, entry.result.problem)).bind(2, entry.result.regime).bind(3, gpu_key(entry.gpu));
  row.bind(4, entry.tuned_at);
  const auto winner = std::find_if(entry.trials.begin(), entry.trials.end(),
                                   [&entry](const Trial& trial) { return trial.id == entry.result.winner; });
  if (winner == entry.trials.end()) return false;
  while (row.step())
    if (row.text(0) == tuner::to_json(winner->config) && unpack_samples(row.text(1)) == winner->samples_us) return true;
  return false;
}

std::int64_t import_run(Connection& db, const std::vector<const Entry*>& entries) {
  StoredRun run;
  const Entry& first = *entries.front();
  RunFacts& facts = run.record.facts;
  facts.gpu = first.gpu;
  facts.device = first.emulated ? "host" : "cuda";
  facts.nvrtc = first.nvrtc;
  facts.tool_version = first.tool_version;
  facts.policy = first.policy;
  facts.command = "tuner import";
  facts.emulated = first.emulated;
  facts.shared_gpu = first.shared_gpu;
  std::string all;
  for (const Entry* entry : entries) {
    const std::string& when = entry->tuned_at;
    if (run.record.started_at.empty() || when < run.record.started_at) run.record.started_at = when;
    run.record.finished_at = std::max(run.record.finished_at, when);
    all += entry->result.problem.kernel + " " + shape_text(entry->result.problem.dims) + " " + when + "\n";
  }
  run.record.outcome = "done";
  run.process = "import " + content_hash(all);
  return write_run(db, run.record, run.process);
}

std::int64_t import_entry(Connection& db, std::int64_t run, const Entry& entry) {
  TrialWriter writer(db);
  Ids ids;
  for (const bool duplicates : {false, true}) {
    for (Trial trial : entry.trials) {
      if ((trial.duplicate_of != 0) != duplicates) continue;
      const std::int64_t old = trial.id;
      trial.id = 0;
      trial.duplicate_of = mapped(ids, trial.duplicate_of);
      ids[old] = writer.write(run, trial);
    }
  }
  ProblemResult result = entry.result;
  map_ids(result, ids);
  std::vector<std::int64_t> shown;
  for (const Trial& trial : entry.trials) shown.push_back(mapped(ids, trial.id));
  write_result(db, run, result, shown, entry.tuned_at);
  return static_cast<std::int64_t>(ids.size());
}

void note_import(Connection& db, const std::string& kind, const std::string& source, const std::string& hash,
                 std::int64_t run) {
  auto insert = db.prepare("INSERT INTO imports (layer, source, hash, run, imported_at) VALUES (?, ?, ?, ?, ?)");
  insert.bind(1, kind).bind(2, source);
  bind_hash(insert, 3, hash);
  insert.bind_id(4, run).bind(5, now_text()).run();
}

}  // namespace tuner::store
