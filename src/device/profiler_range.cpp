#include "device/profiler_range.h"

#include <cstdlib>

#include "device/nvtx_api.h"
#include "device/shared_library.h"

namespace tuner::device {
namespace {

constexpr std::size_t kMostFunctions = 16;

// Where the library puts its functions. One of what is never called here has a place as well.
struct Tables {
  nvtx::Function functions[nvtx::kModuleSizes.size()][kMostFunctions] = {};
  nvtx::Function* places[nvtx::kModuleSizes.size()][kMostFunctions + 1] = {};  // the last one stays null
};

Tables& tables() {
  static Tables all;
  return all;
}

int module_functions(int module, nvtx::Function*** table, unsigned* count) {
  if (module < 1 || module >= static_cast<int>(nvtx::kModuleSizes.size())) return 0;
  const unsigned size = nvtx::kModuleSizes[static_cast<std::size_t>(module)];
  for (unsigned i = 1; i < size; ++i) tables().places[module][i] = &tables().functions[module][i];
  if (count != nullptr) *count = size;
  if (table != nullptr) *table = tables().places[module];
  return 1;
}

const void* export_table(std::uint32_t id) {
  static const nvtx::Callbacks callbacks{sizeof(nvtx::Callbacks), module_functions};
  static const nvtx::VersionInfo version{sizeof(nvtx::VersionInfo), nvtx::kVersion, 0, [](std::uint32_t) {}};
  if (id == nvtx::kCallbacks) return &callbacks;
  return id == nvtx::kVersionInfo ? &version : nullptr;
}

struct Ranges {
  nvtx::RangePushA push = nullptr;
  nvtx::RangePop pop = nullptr;
};

Ranges find_ranges() {
  const char* path = std::getenv(nvtx::kPathVariable);
  SharedLibrary library;
  nvtx::Initialize initialize = nullptr;
  if (path == nullptr || *path == '\0' || !library.open(path)) return {};
  if (!library.find(initialize, nvtx::kEntry) || initialize(export_table) == 0) return {};
  library.leak();
  const auto& core = tables().functions[nvtx::kCore];
  const Ranges found{reinterpret_cast<nvtx::RangePushA>(core[nvtx::kRangePushA]),
                     reinterpret_cast<nvtx::RangePop>(core[nvtx::kRangePop])};
  return found.push != nullptr && found.pop != nullptr ? found : Ranges{};
}

const Ranges& ranges() {
  static const Ranges found = find_ranges();
  return found;
}

}  // namespace

ProfilerRange::ProfilerRange(const char* name) {
  if (ranges().push != nullptr) ranges().push(name);
}

ProfilerRange::~ProfilerRange() {
  if (ranges().pop != nullptr) ranges().pop();
}

}  // namespace tuner::device
