// What the layers hold: results, pins and forbids.
#pragma once

#include <string>
#include <vector>

#include "store/lookup.h"

namespace tuner::store {

struct LayerRows {
  std::vector<Entry> entries;
  std::vector<Pin> pins;
  std::vector<Forbid> forbids;
};

// Every *.json of a folder, by name, as rows of `layer`. An absent folder has none; a file that cannot be read is left
// out with a warning.
void read_folder(const std::string& folder, const std::string& layer, LayerRows& into,
                 std::vector<std::string>& warnings);

}  // namespace tuner::store
