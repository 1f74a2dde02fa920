// Runs, trials, results, pins and forbids into the database, inside the caller's transaction.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/trial.h"
#include "store/sqlite.h"
#include "store/store.h"

namespace tuner::store {

// `record.id` is not looked at; `process` is a mark (store/process_mark.h). Returns the id.
std::int64_t write_run(Connection& db, const RunRecord& record, const std::string& process);

// Prepared once for many trials.
class TrialWriter {
 public:
  explicit TrialWriter(Connection& db);
  // Inserts (id 0) or updates. Returns the id.
  std::int64_t write(std::int64_t run, const Trial& trial);

 private:
  Connection& db_;
  Statement insert_;
  Statement update_;
  // What the trials of one transaction share, each looked up once.
  Problem problem_;
  std::int64_t problem_row_ = 0;
  std::map<std::string, std::int64_t> execution_rows_;
};

// `result.incumbent` is stored as it is; `shown` are the trials that a results file holds.
void write_result(Connection& db, std::int64_t run, const ProblemResult& result, const std::vector<std::int64_t>& shown,
                  const std::string& saved_at);

// Replaces what has the same place (store/overrules_file.h). Returns the id.
std::int64_t write_pin(Connection& db, const Pin& pin);
std::int64_t write_forbid(Connection& db, const Forbid& forbid);

}  // namespace tuner::store
