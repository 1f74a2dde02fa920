// What an import reads from another database and writes into this one, inside the caller's transaction.
#pragma once

#include <string>
#include <vector>

#include "store/lookup.h"
#include "store/sqlite.h"

namespace tuner::store {

// A run as it stands in the table.
struct StoredRun {
  std::int64_t id = 0;
  RunRecord record;
  std::string process;
  bool is_running = false;
  // The same of one run in every database that holds it.
  std::string mark() const;
};

std::vector<StoredRun> stored_runs(Connection& db);
// With as many trials: one process may have swept into two databases in one second.
bool has_run(Connection& db, const StoredRun& run, std::int64_t trials);
std::int64_t count_trials(Connection& db, std::int64_t run);
int count_results(Connection& db, std::int64_t run);
// Trials and results of a run; how many trials.
std::int64_t copy_trials(Connection& from, std::int64_t from_run, Connection& to, std::int64_t to_run);
// Templates, headers, manifests and sweep files.
void copy_texts(Connection& from, Connection& to);

// Whether the result of this entry is there: same GPU model, problem and regime, time, and winner.
bool has_result(Connection& db, const Entry& entry);
// A run that stands for the sweep these entries came from.
std::int64_t import_run(Connection& db, const std::vector<const Entry*>& entries);
// How many trials.
std::int64_t import_entry(Connection& db, std::int64_t run, const Entry& entry);

// `run`: 0 where only pins or forbids came.
void note_import(Connection& db, const std::string& kind, const std::string& source, const std::string& hash,
                 std::int64_t run);

}  // namespace tuner::store
