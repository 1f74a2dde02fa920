// Any text as a sweep file: refused with a UserError or read.
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "../unit/spec/manifest_text.h"
#include "core/error.h"
#include "spec/sweep_plan.h"

namespace {

tuner::spec::Catalog catalog() {
  const auto folder = std::filesystem::temp_directory_path() / ("tuner_sweep_fuzz." + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "gemv.cu") << "";
  std::ofstream(folder / "gemv_f16.yaml") << tuner::spec::kGemv;
  auto loaded = tuner::spec::Catalog::load({folder.string()});
  std::filesystem::remove_all(folder);
  return loaded;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tuner::spec::Catalog kernels = catalog();
  try {
    (void)tuner::spec::parse_sweep(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.yaml", kernels);
  } catch (const tuner::UserError&) {
  }
  return 0;
}
