// Somebody else's code that launches its own kernels on our stream: CUB, cuBLAS, last year's library, behind one
// function that a manifest names.
#pragma once

#include <string>

#include "core/baseline_abi.h"
#include "device/arguments.h"
#include "device/device.h"
#include "device/shared_library.h"

namespace tuner::device {

class Foreign {
 public:
  // Empty: it is open. Else why not.
  std::string open(const std::string& path);
  // As the function takes them: the arguments without scratch, then void* workspace, size_t* its bytes and the stream.
  // A first call with workspace null asks for the bytes. Empty: done; else the function's own words.
  std::string call(const Timed& timed, void* workspace, std::size_t& bytes, void* stream) const;

 private:
  SharedLibrary library_;
  const tuner_baseline::Function* function_ = nullptr;
};

}  // namespace tuner::device
