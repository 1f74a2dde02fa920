// The trials that still stand where a refresh tried a few again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/trial.h"
#include "store/sqlite.h"

namespace tuner::store {

// The runs before `run` on its GPU model that tried this problem, the newest first, back to the last result that is not
// of a refresh. None where the run's own result is that.
std::vector<std::int64_t> runs_behind(Connection& db, std::int64_t run, std::int64_t problem,
                                      const std::string& regime);

// Adds to the trials of `run` those of the runs behind it, of configurations that no newer one has.
void add_trials_behind(Connection& db, std::int64_t run, std::int64_t problem, const std::string& regime,
                       std::vector<Trial>& trials);

}  // namespace tuner::store
