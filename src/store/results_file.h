// The text form of results: one JSON file a GPU model, rows and keys in a fixed order, no host names or UUIDs.
#pragma once

#include <string>
#include <vector>

#include "store/lookup.h"

namespace tuner::store {

std::string write_results(const std::vector<Entry>& entries);  // all of one GPU model
// Throws UserError with file and position; every statistic is recomputed and must agree.
std::vector<Entry> read_results(const std::string& path);
std::vector<Entry> parse_results(std::string_view text, const std::string& path);

}  // namespace tuner::store
