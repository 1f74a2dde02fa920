// The README's table of results, in Markdown, from the shipped results files.
#pragma once

#include <string>
#include <vector>

#include "store/lookup.h"

namespace tuner::readme {

// One row a problem with a measured winner, in the order of the files; "No results are shipped yet." where there is
// none.
std::string results_table(const std::vector<store::Entry>& entries);

// One row a kernel of a sweep file whose GPU has no measured row.
struct CompiledOnly {
  std::string gpu;  // "Tesla T4"
  std::string kernel;
  int shapes = 0;
};
std::string compiled_table(const std::vector<CompiledOnly>& rows);

}  // namespace tuner::readme
