// The text form of results: one JSON file a GPU model, rows and keys in a fixed order, no host names or UUIDs. A
// result's trials are numbered from 1 in the file; `winner`, `default`, `incumbent`, `tied` and `duplicate_of` are such
// numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/lookup.h"
#include "store/overrules_file.h"

namespace tuner::store {

// What a results file holds of a database: the newest result of each GPU model, problem and regime with winner, ties,
// default, finalists, best of each variant and baselines.
std::vector<Entry> export_results(const Store& store);

// All of one GPU model; results without a winner are left out. Throws UserError for none and for several models.
std::string write_results(const std::vector<Entry>& entries, const Overrules& overrules = {});

// What a file of a results folder may hold.
struct FolderFile {
  std::vector<Entry> entries;
  Overrules overrules;
};
// Throws UserError with file and position; every statistic is recomputed and must agree.
FolderFile read_folder_file(const std::string& path);
// The results alone.
std::vector<Entry> read_results(const std::string& path);
std::vector<Entry> parse_results(std::string_view text, const std::string& path);

// What the samples of a result say against what it claims: a time or spread that is not that of its samples, a tie set
// that is not what the paired rounds give, a winner that the rule of preference does not choose. Empty: all agrees.
std::optional<std::string> disagreement(const Entry& entry);

// The finalists within the margin of the fastest, in order of preference, from samples alone.
std::vector<std::int64_t> tied_by_rule(const Entry& entry);

// By layer, GPU, kernel, shape, facts, regime; of several for one of these those on a GPU alone first, then the later.
void sort_entries(std::vector<Entry>& entries);

}  // namespace tuner::store
