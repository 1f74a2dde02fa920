// Any text as a manifest: refused with a UserError, or resolved for some of its configurations.
#include <string_view>

#include "fuzz/use_manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    tuner::use(tuner::spec::parse_kernel(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.yaml"));
  } catch (const tuner::UserError&) {
  }
  return 0;
}
