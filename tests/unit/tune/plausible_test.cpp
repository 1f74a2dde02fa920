#include "tune/plausible.h"

#include <gtest/gtest.h>

namespace tuner::tune {
namespace {

class Plausible : public testing::Test {
 protected:
  Plausible() {
    gpu_ = gpu_of_arch(90);
    gpu_.sm_count = 100;
    gpu_.sm_clock_khz = 1000000;
    workload_.flops = 25.6e6;  // of fp32 one microsecond's
    trial_.problem.kernel = "probe_fma_f32";
  }
  std::optional<std::string> why(double us, double probe_us = 0) {
    trial_.time_us = us;
    return implausible(trial_, workload_, probe_us, gpu_);
  }
  GpuFacts gpu_;
  Workload workload_;
  Trial trial_;
};

TEST_F(Plausible, AProbeIsNoFasterThanTheWidthsOfItsGpu) {
  EXPECT_FALSE(why(1));
  EXPECT_FALSE(why(0.99));
  const auto reason = why(0.5);
  ASSERT_TRUE(reason);
  EXPECT_EQ(*reason, "51.2 TFLOP/s in 0.50 us, and this GPU has 25.6 at its highest clock");
}

TEST_F(Plausible, OtherKernelsMayCountOperationsThatTheyDoNotMake) {
  trial_.problem.kernel = "matmul_f32";
  EXPECT_FALSE(why(0.5));
}

TEST_F(Plausible, NobodyBeatsTheProbeOfTheSameBytes) {
  trial_.problem.kernel = "gemv_f16";
  EXPECT_FALSE(why(10, 10.1));
  EXPECT_TRUE(why(10, 10.5));
}

}  // namespace
}  // namespace tuner::tune
