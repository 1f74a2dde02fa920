// A test on the fake driver.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "device/device.h"
#include "helpers/fake_cuda.h"

namespace tuner::device {

class CudaTest : public ::testing::Test {
 protected:
  CudaTest() {
    for (const char* variable : {"TUNER_LIBCUDA", "TUNER_LIBNVML", "TUNER_CUBLAS"})
      setenv(variable, TUNER_FAKE_CUDA, 1);
    void* library = dlopen(TUNER_FAKE_CUDA, RTLD_NOW);
    reinterpret_cast<FakeCudaReset>(dlsym(library, kFakeCudaReset))();
    fake_ = reinterpret_cast<FakeCudaEntry>(dlsym(library, kFakeCudaEntry))();
  }

  // An image of these kernels, each taking parameters of these sizes.
  static Artifact image(const std::string& names, const std::vector<int>& parameter_bytes) {
    Artifact artifact;
    artifact.image = names;
    for (std::size_t at = 0; at < names.size();) {
      const std::size_t end = std::min(names.find(' ', at), names.size());
      KernelAttributes kernel;
      kernel.entry = names.substr(at, end - at);
      kernel.symbol = kernel.entry;
      kernel.parameter_bytes = parameter_bytes;
      artifact.kernels.push_back(kernel);
      at = end + 1;
    }
    return artifact;
  }
  static std::unique_ptr<Device> open() {
    return open_cuda(
        0, image("tuner_fill tuner_checksum tuner_first_not tuner_compare tuner_widen tuner_leave tuner_feed", {}));
  }

  // Calls since the device was opened, joined by commas.
  std::string calls() const {
    std::string text;
    for (const auto& call : fake_->calls) text += (text.empty() ? "" : ", ") + call;
    return text;
  }

  FakeCuda& fake() { return *fake_; }

 private:
  FakeCuda* fake_ = nullptr;
};

}  // namespace tuner::device
