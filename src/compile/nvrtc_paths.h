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

// The folders of the toolkit's headers (cuda_fp16.h; <cuda/std/...> and CUB in `cccl` since CUDA 13) that belong to
// this library: of the toolkit it lies in, or of the wheel beside its own. Empty: there are none.
std::vector<std::string> toolkit_headers(const std::string& library);

}  // namespace tuner::compile
