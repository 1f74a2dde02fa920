// Any bytes as a model's file: refused with a UserError, or its weights are repacked in every format.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/error.h"
#include "repack/output.h"
#include "repack/repack.h"

namespace {

using namespace tuner::repack;

void use(const TensorFile& file) {
  std::optional<std::int64_t> matrix;
  for (const Weight& weight : weights_in(file)) {
    matrix = static_cast<std::int64_t>(weight.name.size()) % 4 - 1;
    if (*matrix < 0) matrix.reset();
    for (const Format format : {Format::gptq, Format::gptq_v2, Format::awq, Format::mxfp4, Format::gguf}) {
      try {
        const Packed packed = repack(file, weight.name, {format, matrix});
        (void)description_json(packed, files_of(packed), {file.path(), weight.name, weight.format});
      } catch (const tuner::UserError&) {
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);  // on the heap: a read past it is seen
  try {
    use(TensorFile(bytes, "fuzz"));
  } catch (const tuner::UserError&) {
  }
  return 0;
}
