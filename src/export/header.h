// Tuned answers as one C++17 header with no dependency: constexpr tables, the ladder of store/lookup.h, the manifest's
// constraints and launch geometry as C++.
#pragma once

#include <string>
#include <vector>

#include "spec/catalog.h"
#include "store/lookup.h"

namespace tuner::exporting {

// Usable from host C++17, nvcc and NVRTC. `find` in it answers as Layers::best does over the same entries, pins and
// forbids for kernels that have a row or a pin; the order of `entries` (store::sort_entries) breaks ties there too.
// Emulated rows and rows of kernels that the catalog lacks are left out. Throws UserError when nothing is left.
std::string header(const std::vector<store::Entry>& entries, const std::vector<store::Pin>& pins,
                   const std::vector<store::Forbid>& forbids, const spec::Catalog& catalog);

}  // namespace tuner::exporting
