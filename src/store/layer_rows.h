// What the layers hold: results, pins and forbids.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <vector>

#include "core/error.h"
#include "store/lookup.h"
#include "store/results_outline.h"

namespace tuner::store {

// Of an entry in outline, where the rest of it stands.
struct FileResult {
  const ResultsOutline* file = nullptr;
  std::size_t index = 0;
};

struct LayerRows {
  std::vector<Entry> entries;
  std::list<ResultsOutline> files;
  std::vector<FileResult> file_results;  // of the entries whose `unread` is -1, -2, ...
  std::vector<Pin> pins;
  std::vector<Forbid> forbids;
};

// Every *.json of a folder, by name, as rows of `layer`, results in outline. An absent folder has none; a file that
// cannot be read is left out with a warning.
void read_folder(const std::string& folder, const std::string& layer, LayerRows& into,
                 std::vector<std::string>& warnings);

// That results of this file are left out, and why.
std::string left_out(const std::string& file, const Error& problem);

}  // namespace tuner::store
