// The table of a safetensors file: https://huggingface.co/docs/safetensors
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repack/tensor.h"

namespace tuner::repack {

// Whether it begins as one: a length and an object.
bool is_safetensors(std::string_view file);

// The tensors of `file`, in the order of their names; their bytes are parts of it. Throws UserError, with `path`, where
// it is cut short, a length is impossible or a tensor lies outside.
std::vector<Tensor> read_safetensors(std::string_view file, const std::string& path);

}  // namespace tuner::repack
