// The table of a GGUF file: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repack/tensor.h"

namespace tuner::repack {

bool is_gguf(std::string_view file);

// The tensors of `file` (versions 2 and 3, little-endian), in its order; their bytes are parts of it. Of types that are
// not known here bytes are empty. Throws UserError, with `path`, where it is cut short, a length is impossible or a
// tensor lies outside.
std::vector<Tensor> read_gguf(std::string_view file, const std::string& path);

}  // namespace tuner::repack
