// A baseline that doubles its input on the host: for tests of how one is called.
#include "core/baseline_abi.h"

#include <cstddef>

namespace {

const char* call(void* const* arguments) {
  const float* const x = *static_cast<const float* const*>(arguments[0]);
  float* const y = *static_cast<float* const*>(arguments[1]);
  const int n = *static_cast<const int*>(arguments[2]);
  void* const workspace = *static_cast<void* const*>(arguments[3]);
  std::size_t* const bytes = *static_cast<std::size_t* const*>(arguments[4]);
  if (workspace == nullptr) {
    *bytes = 4096;
    return nullptr;
  }
  if (*static_cast<void* const*>(arguments[5]) == nullptr) return "no stream";
  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];
  return nullptr;
}

constexpr int parameter_bytes[] = {8, 8, 4, 8, 8, 8};
constexpr tuner_baseline::Function function = {call, 6, parameter_bytes};

}  // namespace

extern "C" const tuner_baseline::Function* tuner_baseline_function() { return &function; }
