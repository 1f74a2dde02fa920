#include "report/hierarchy.h"

#include <gtest/gtest.h>

#include "report/roofline.h"

namespace tuner::report {
namespace {

GpuFacts example_gpu() {
  GpuFacts gpu = gpu_of_arch(90);
  gpu.name = "Example GPU";
  gpu.sm_count = 100;
  return gpu;
}

// One timed trial for each time; the first is the winner, tied with the rest.
store::Entry entry_of(const char* kernel, const std::vector<double>& times_us, double bytes, double flops) {
  store::Entry entry;
  entry.gpu = example_gpu();
  entry.result.problem = {kernel, {1000, 1000}, {}};
  entry.result.bytes_read = bytes;
  entry.result.flops = flops;
  for (const double us : times_us) {
    Trial trial;
    trial.id = static_cast<std::int64_t>(entry.trials.size()) + 1;
    trial.config.params = {{"n", trial.id}};
    trial.status = Status::measured;
    trial.time_us = us;
    entry.trials.push_back(trial);
    entry.result.tied.push_back(trial.id);
  }
  entry.result.winner = times_us.empty() ? 0 : 1;
  return entry;
}

std::vector<Roofline> rooflines(const std::vector<store::Entry>& entries, const char* arithmetic) {
  return rooflines_of(
      entries, [](const store::Entry&) { return true; },
      [arithmetic](const std::string&) { return std::string(arithmetic); });
}

TEST(Hierarchy, TheFastestOfTheTiedIsTheCeiling) {
  const std::vector<store::Entry> entries{entry_of("probe_l2", {10, 9.98}, 50e6, 0)};
  const auto all = hierarchies_of(entries);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_NEAR(all[0].find("probe_l2")->value, 50e6 / 9.98 / 1e3, 1e-6);
  EXPECT_EQ(all[0].find("probe_l2")->config, "n=2");
}

TEST(Hierarchy, TheFirstLayerThatHasATimeSpeaks) {
  std::vector<store::Entry> entries{entry_of("probe_l2", {}, 50e6, 0), entry_of("probe_l2", {10}, 50e6, 0),
                                    entry_of("probe_l2", {5}, 50e6, 0)};
  EXPECT_EQ(hierarchies_of(entries).front().find("probe_l2")->entry, &entries[1]);
  entries.resize(1);
  EXPECT_EQ(hierarchies_of(entries).front().find("probe_l2")->value, 0);  // tried, and nothing was valid
}

TEST(Hierarchy, OfMemoryTheBestThatAnySweepSawCounts) {
  std::vector<store::Entry> entries{entry_of("gemv_f32", {10}, 16e6, 0), entry_of("scale", {10}, 16e6, 0),
                                    entry_of("probe_read", {1000}, 2e9, 0)};
  entries[0].result.ceiling.sustained_gb_per_s = 1900;
  entries[1].result.ceiling.sustained_gb_per_s = 1800;
  entries[1].result.bytes_written = 16e6;
  const auto read = [&] { return hierarchies_of(entries).front().find("probe_read")->value; };
  EXPECT_EQ(read(), 2000);
  EXPECT_EQ(hierarchies_of(entries).front().find("probe_copy")->value, 1800);
  entries[0].result.ceiling.sustained_gb_per_s = 2050;
  EXPECT_EQ(read(), 2050);
  entries.pop_back();
  EXPECT_EQ(read(), 2050);
}

TEST(Hierarchy, TheHostDeviceHasNoCeilings) {
  std::vector<store::Entry> entries{entry_of("probe_l2", {10}, 50e6, 0)};
  entries[0].emulated = true;
  EXPECT_TRUE(hierarchies_of(entries).empty());
}

TEST(Hierarchy, TensorCoresReachWhatTheBetterOfTheirProbesDoes) {
  const std::vector<store::Entry> entries{entry_of("probe_mma_f16", {10}, 0, 6e9),
                                          entry_of("probe_wgmma_f16", {10}, 0, 8e9)};
  const auto all = hierarchies_of(entries);
  EXPECT_EQ(all[0].arithmetic("tensor_f16")->probe->kernel, "probe_wgmma_f16");
  EXPECT_EQ(all[0].arithmetic("fma_f32"), nullptr);
}

// 2000 GB/s and 40 TFLOP/s meet at 20 FLOP/B.
TEST(Roofline, EachResultIsOnItsSideOfTheRidge) {
  const std::vector<store::Entry> entries{
      entry_of("probe_read", {1000}, 2e9, 0), entry_of("probe_fma_f32", {1000}, 0, 40e9),
      entry_of("gemv_f32", {10}, 16e6, 8e6), entry_of("matmul_f32", {100}, 1e6, 3e9)};
  const auto all = rooflines(entries, "fma_f32");
  ASSERT_EQ(all.size(), 1U);
  ASSERT_EQ(all[0].points.size(), 2U);
  EXPECT_DOUBLE_EQ(*all[0].roofs[0].ridge(), 20);
  const RooflinePoint& gemv = all[0].points[0];
  EXPECT_EQ(gemv.side(), "memory");
  EXPECT_DOUBLE_EQ(*gemv.share(), 0.8);  // of 2000 GB/s
  const RooflinePoint& matmul = all[0].points[1];
  EXPECT_EQ(matmul.side(), "compute");
  EXPECT_DOUBLE_EQ(*matmul.share(), 0.75);  // of 40 TFLOP/s
}

TEST(Roofline, ACopyIsHeldAgainstACopy) {
  std::vector<store::Entry> entries{entry_of("probe_read", {1000}, 2e9, 0), entry_of("probe_copy", {1000}, 1.5e9, 0),
                                    entry_of("probe_fma_f32", {1000}, 0, 40e9), entry_of("scale", {10}, 6e6, 1e6)};
  entries[3].result.bytes_written = 6e6;
  EXPECT_DOUBLE_EQ(*rooflines(entries, "fma_f32")[0].points[0].share(), 0.8);
}

TEST(Roofline, WithoutAPeakNothingIsSaidOfTheSide) {
  std::vector<store::Entry> entries{entry_of("gemv_f32", {10}, 16e6, 8e6)};
  entries[0].result.ceiling.sustained_gb_per_s = 2000;
  const auto all = rooflines(entries, "fma_f32");
  EXPECT_EQ(all[0].roofs[0].gb_per_s, 2000);  // of the result's own run
  EXPECT_FALSE(all[0].roofs[0].ridge());
  EXPECT_EQ(all[0].points[0].side(), "");
  EXPECT_FALSE(all[0].points[0].share());
}

TEST(Roofline, APictureEscapesWhatNamesHold) {
  std::vector<store::Entry> entries{entry_of("a<b&\"c", {10}, 16e6, 8e6)};
  entries[0].gpu.name = "GPU <1>";
  const std::string svg = roofline_svg(rooflines(entries, "fma_f32").front());
  EXPECT_NE(svg.find("GPU &lt;1&gt;"), std::string::npos);
  EXPECT_NE(svg.find("a&lt;b&amp;&quot;c"), std::string::npos);
}

}  // namespace
}  // namespace tuner::report
