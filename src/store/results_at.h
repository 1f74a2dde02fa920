// Results that a path names: a folder, a file, a database.
#pragma once

#include <string>
#include <vector>

#include "store/lookup.h"

namespace tuner::store {

// Whether it begins as SQLite's files do.
bool is_database(const std::string& path);

// The *.json of a folder, by name. Throws UserError where there are none.
std::vector<std::string> json_files(const std::string& folder);

// All of it, whole: every results file of a folder, a file of results, or the newest results of a database. Throws
// UserError naming what is wrong.
std::vector<Entry> results_at(const std::string& path);

}  // namespace tuner::store
