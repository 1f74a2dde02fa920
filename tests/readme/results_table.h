// Tables of results in Markdown, from the shipped results files: all of them, and some for the README.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "store/lookup.h"

namespace tuner::readme {

// A shape, and the facts that are not the manifest's default: "8192x8192 batch=4".
using NameOf = std::function<std::string(const Problem&)>;

// One row a problem with a measured winner, in the order of the files; "No results are shipped yet." where there is
// none. Probes of ceilings are left out.
std::string results_table(const std::vector<store::Entry>& entries, const NameOf& name_of);

// Of each kernel and regime of a GPU the one at 8192x8192, of one column, else the one that moves most bytes.
std::vector<store::Entry> one_of_each(const std::vector<store::Entry>& entries);

// One row a kernel of a sweep file whose GPU has no measured row.
struct CompiledOnly {
  std::string gpu;  // "Tesla T4"
  std::string kernel;
  int shapes = 0;
};
std::string compiled_table(const std::vector<CompiledOnly>& rows);

}  // namespace tuner::readme
