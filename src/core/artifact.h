// What compiling one configuration gives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/trial.h"

namespace tuner {

// Of one __global__, read from the binary.
struct KernelAttributes {
  std::string entry;                     // as launches name it: a name expression, `reduce<256, float>`
  std::string symbol;                    // in the cubin; empty on the host device
  int registers = 0;                     // a thread
  std::int64_t static_shared_bytes = 0;  // without what the system reserves
  std::int64_t local_bytes = 0;          // a thread: stack and spills
  int max_threads = 0;                   // from launch bounds; 0: none
  std::vector<int> parameter_bytes;      // in order
};

struct Artifact {
  std::string image;    // a cubin; for the host device the path of a shared object
  int host_index = -1;  // host device: which configuration of the shared object
  std::vector<KernelAttributes> kernels;
  int spill_bytes = 0;
  std::string log;
  std::string cubin_hash;  // of code and launch facts only: equal means the same kernel
  std::string source_hash;
  Reason reason = Reason::none;  // compile_error, compile_timeout, compile_crash
  bool from_cache = false;
  double compile_ms = 0;

  bool ok() const { return reason == Reason::none; }
  const KernelAttributes* find(const std::string& entry) const {
    for (const auto& k : kernels)
      if (k.entry == entry) return &k;
    return nullptr;
  }
};

}  // namespace tuner
