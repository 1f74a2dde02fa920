// Where a libnvrtc may lie.
#pragma once

#include <string>
#include <vector>

namespace tuner::compile {

// Folders in the order in which they are looked through: $CUDA_HOME, the usual ones, the loader's, Python's. They need
// not exist.
std::vector<std::string> nvrtc_folders();

// Resolved paths of the libraries in `folders`, each file once, in that order; `*.alt.*` and builtins are not among
// them.
std::vector<std::string> nvrtc_files(const std::vector<std::string>& folders);

}  // namespace tuner::compile
