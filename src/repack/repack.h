// From the files that quantised models come in to what our kernels read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repack/packed.h"
#include "repack/tensor_file.h"

namespace tuner::repack {

// gguf: as the tensor's own type says. Version 1 of GPTQ stores zero points less one, version 2 does not; only the
// checkpoint's config ("checkpoint_format") tells them apart.
enum class Format { gptq, gptq_v2, awq, mxfp4, gguf };
std::string_view to_text(Format format);
std::optional<Format> format_from_text(std::string_view text);

// Something that can be repacked.
struct Weight {
  std::string name;                 // of the layer; of GGUF the tensor's
  std::string format;               // "gptq or gptq_v2", "awq", "mxfp4", "Q4_K"
  std::vector<std::int64_t> shape;  // [M, K], or stacked [E, M, K]; empty where its tensors do not fit each other
};
// In the file's order. Looks at names, types and shapes only.
std::vector<Weight> weights_in(const TensorFile& file);

struct Choice {
  std::optional<Format> format;        // may be left out where the file tells it
  std::optional<std::int64_t> matrix;  // one of stacked ones, from 0; else all of them
};
// `name` as weights_in has it. Throws UserError: no such name or matrix, a format that is not that of the file, or what
// cannot be kept; the headers of the formats say what that is.
Packed repack(const TensorFile& file, const std::string& name, const Choice& choice = {});

}  // namespace tuner::repack
