// What a profiler's library asks of a program that names ranges (NVTX 3): declarations of our own, compared with the
// toolkit's headers in nvtx_check.cpp where those are present.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tuner::device::nvtx {

inline constexpr std::uint32_t kVersion = 3;
inline constexpr const char* kPathVariable = "NVTX_INJECTION64_PATH";
inline constexpr const char* kEntry = "InitializeInjectionNvtx2";

inline constexpr std::uint32_t kCallbacks = 1, kVersionInfo = 3;  // tables that the library may ask for
inline constexpr int kCore = 1;                                   // the module of the functions that are called here
inline constexpr std::size_t kRangePushA = 9, kRangePop = 11;     // of that module
// Functions of each module by its number, the unused 0 among them.
inline constexpr std::array<unsigned, 7> kModuleSizes{0, 16, 9, 15, 7, 16, 7};

using Function = void (*)();
using RangePushA = int (*)(const char* name);
using RangePop = int (*)();

// `table`: for each function of the module where the library puts its own.
struct Callbacks {
  std::size_t size;
  int (*module_functions)(int module, Function*** table, unsigned* count);
};
struct VersionInfo {
  std::size_t size;
  std::uint32_t version, reserved;
  void (*set_injection_version)(std::uint32_t version);
};
using GetExportTable = const void* (*)(std::uint32_t id);
using Initialize = int (*)(GetExportTable tables);

}  // namespace tuner::device::nvtx
