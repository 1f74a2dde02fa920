#include "tune/ceiling_plan.h"

#include <gtest/gtest.h>

#include "core/ceiling_probe.h"
#include "spec/resolve.h"

namespace tuner::tune {
namespace {

class CeilingPlan : public testing::Test {
 protected:
  CeilingPlan() {
    gpu_ = gpu_of_arch(90);
    gpu_.sm_count = 132;
    gpu_.l2_bytes = std::int64_t{60} << 20;
    gpu_.memory_bytes = std::int64_t{140} << 30;
  }
  const spec::PlannedProblem* find(const spec::SweepPlan& plan, std::string_view kernel) const {
    for (const spec::PlannedProblem& planned : plan.problems)
      if (planned.kernel->name == kernel) return &planned;
    return nullptr;
  }
  spec::Catalog probes_ = spec::Catalog::load({TUNER_SOURCE_DIR "/kernel_templates/probes"});
  GpuFacts gpu_;
};

TEST_F(CeilingPlan, HoldsEveryProbeOnAGpuThatHasAllUnits) {
  EXPECT_EQ(ceiling_plan(probes_, gpu_, false).problems.size(), ceiling_probes().size());
}

// Whatever the GPU: a plan of which one problem is empty would end as bad usage.
TEST_F(CeilingPlan, EveryProblemHasFewLegalConfigurationsOnEveryGpu) {
  struct Size {
    int sms;
    std::int64_t l2_mib, memory_gib;
  };
  for (const int arch : {75, 80, 86, 89, 90, 100, 120})
    for (const Size& size : {Size{14, 1, 4}, {40, 4, 16}, {58, 48, 12}, {108, 40, 80}, {148, 126, 180}}) {
      GpuFacts gpu = gpu_of_arch(arch);
      gpu.sm_count = size.sms;
      gpu.l2_bytes = size.l2_mib << 20;
      gpu.memory_bytes = size.memory_gib << 30;
      for (const spec::PlannedProblem& planned : ceiling_plan(probes_, gpu, false).problems) {
        int configs = 0;
        planned.kernel->space.for_each(spec::base_scope(*planned.kernel, planned.problem, gpu), planned.only,
                                       [&](const Config&) { return ++configs > 0; });
        EXPECT_GE(configs, 1) << planned.kernel->name << " " << shape_text(planned.problem.dims) << " sm_" << arch;
        EXPECT_LE(configs, 32) << planned.kernel->name;
      }
    }
}

TEST_F(CeilingPlan, WhatIsReadFromL2LiesInItAndWhatIsNotDoesNot) {
  const spec::SweepPlan plan = ceiling_plan(probes_, gpu_, false);
  EXPECT_LE(find(plan, "probe_l2")->problem.dims[0], gpu_.l2_bytes / 2);
  EXPECT_LE(find(plan, "probe_latency_l2")->problem.dims[0] * 128, gpu_.l2_bytes / 2);
  EXPECT_GE(find(plan, "probe_latency_memory")->problem.dims[0] * 128, 2 * gpu_.l2_bytes);
}

// A kernel that loads and stores as the compiler does by itself is not to be faster than its probe.
TEST_F(CeilingPlan, ACopyIsTriedWithPlainLoadsAndStores) {
  const spec::SweepPlan plan = ceiling_plan(probes_, gpu_, false);
  const spec::PlannedProblem& copy = *find(plan, "probe_copy");
  int plain = 0;
  copy.kernel->space.for_each(spec::base_scope(*copy.kernel, copy.problem, gpu_), copy.only, [&](const Config& config) {
    const Value *load = config.find("load_hint"), *store = config.find("store_hint");
    plain += load && store && *load == Value{Name{"plain"}} && *store == Value{Name{"plain"}};
    return true;
  });
  EXPECT_GE(plain, 1);
}

TEST_F(CeilingPlan, AnOlderGpuLacksWhatIsWrittenForANewer) {
  GpuFacts t4 = gpu_of_arch(75);
  t4.sm_count = 40;
  const spec::SweepPlan plan = ceiling_plan(probes_, t4, false);
  EXPECT_EQ(find(plan, "probe_wgmma_f16"), nullptr);
  EXPECT_NE(find(plan, "probe_mma_f16"), nullptr);
}

}  // namespace
}  // namespace tuner::tune
