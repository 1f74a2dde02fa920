#include "core/ceiling_probe.h"

#include <gtest/gtest.h>

#include <set>

namespace tuner {
namespace {

GpuFacts h200() {
  GpuFacts gpu = gpu_of_arch(90);
  gpu.sm_count = 132;
  gpu.sm_clock_khz = 1980000;
  gpu.memory_clock_khz = 3201000;
  gpu.memory_bus_bits = 6144;
  return gpu;
}

double rated(const char* kernel, const GpuFacts& gpu) { return rated_value(*ceiling_probe(kernel), gpu).value_or(0); }

TEST(CeilingProbe, KernelsAreNamedOnceAndFound) {
  std::set<std::string_view> names;
  for (const CeilingProbe& probe : ceiling_probes()) {
    EXPECT_TRUE(names.insert(probe.kernel).second) << probe.kernel;
    EXPECT_EQ(ceiling_probe(probe.kernel), &probe);
    EXPECT_EQ(probe.unit == CeilingUnit::tflop_per_s, !probe.arithmetic.empty()) << probe.kernel;
  }
  EXPECT_EQ(ceiling_probe("gemv_f16"), nullptr);
}

TEST(CeilingProbe, ValuesAreInTheirUnits) {
  EXPECT_DOUBLE_EQ(ceiling_value(*ceiling_probe("probe_l2"), {5e6, 0, 0, 1}), 5000);
  EXPECT_DOUBLE_EQ(ceiling_value(*ceiling_probe("probe_fma_f32"), {0, 60e6, 0, 1}), 60);
  EXPECT_DOUBLE_EQ(ceiling_value(*ceiling_probe("probe_latency_l2"), {0, 0, 1000, 150}), 150);
  EXPECT_EQ(ceiling_value(*ceiling_probe("probe_l2"), {5e6, 0, 0, 0}), 0);
}

// The data sheet of an H200 (SXM): 67 TFLOP/s of fp32, 34 of fp64, 4.8 TB/s; tensor cores 989 at 1.83 GHz.
TEST(CeilingProbe, RatedValuesAreThoseOfTheDataSheet) {
  EXPECT_NEAR(rated("probe_fma_f32", h200()), 67, 0.5);
  EXPECT_NEAR(rated("probe_fma_f64", h200()), 33.5, 0.5);
  EXPECT_NEAR(rated("probe_wgmma_f16", h200()), 989 * 1.98 / 1.83, 5);
  EXPECT_NEAR(rated("probe_read", h200()), 4917, 1);
  EXPECT_NEAR(rated("probe_shared", h200()), 33450, 10);
}

TEST(CeilingProbe, NothingIsRatedOfWhatIsUnknown) {
  EXPECT_FALSE(rated_value(*ceiling_probe("probe_latency_l2"), h200()));
  EXPECT_FALSE(rated_value(*ceiling_probe("probe_fma_f32"), gpu_of_arch(90)));  // no clock
  GpuFacts other = h200();
  other.arch = 999;
  EXPECT_FALSE(rated_value(*ceiling_probe("probe_fma_f32"), other));
}

TEST(CeilingProbe, MoreThanTheWidthsAllowIsImpossible) {
  const CeilingProbe& fma = *ceiling_probe("probe_fma_f32");
  EXPECT_FALSE(is_impossible(fma, 67, h200()));
  EXPECT_TRUE(is_impossible(fma, 69, h200()));
  EXPECT_FALSE(is_impossible(*ceiling_probe("probe_latency_l1"), 1e9, h200()));
}

}  // namespace
}  // namespace tuner
