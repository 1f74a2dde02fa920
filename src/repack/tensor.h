// A tensor as it lies in a file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::repack {

struct Tensor {
  std::string name;
  std::string type;                 // the file's word for it: "I32", "F16", "U8"; of GGUF "Q4_K", "MXFP4"
  std::vector<std::int64_t> shape;  // outermost first; of GGUF's block types in weights
  std::string_view bytes;           // of the file; empty where the type is not known
};

}  // namespace tuner::repack
