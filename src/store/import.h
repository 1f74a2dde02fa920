// Other people's results into the user's database, as they were: times, drivers and statistics are kept, nothing that
// is there already is added again.
#pragma once

#include <string>
#include <vector>

#include "store/lookup.h"
#include "store/store.h"

namespace tuner::store {

struct Imported {
  int results = 0;  // added
  int known = 0;    // of those found, already there
  std::int64_t trials = 0;
  int pins = 0;
  int forbids = 0;
  int unfinished_runs = 0;         // of a database: left out, their sweep still runs
  std::vector<std::int64_t> runs;  // that were made for what was added
  bool nothing() const { return results == 0 && trials == 0 && pins == 0 && forbids == 0; }
};

// Each path: a results folder (its *.json), a file of results or of pins and forbids, or a tuner database. Every
// statistic of a file is recomputed and must agree. All of all paths is added or nothing. Returns what each path added,
// in their order. Throws UserError naming what is wrong.
std::vector<Imported> import_paths(Store& store, const std::vector<std::string>& paths);

// One row of a results file, whole. Whether it was not there.
bool import_row(Store& store, const Entry& entry);

}  // namespace tuner::store
