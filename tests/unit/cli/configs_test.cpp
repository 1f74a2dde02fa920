// The shipped sweep files ask for as much as they promise, whatever becomes of the manifests.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "spec/resolve.h"
#include "spec/sweep_plan.h"

namespace tuner::cli {
namespace {

struct Asked {
  std::int64_t configurations = 0;
  std::set<std::string> variants;
};

class Configs : public testing::Test {
 protected:
  std::map<std::string, Asked> asked(const std::string& file, int arch) {
    const spec::SweepPlan plan = spec::read_sweep(TUNER_SOURCE_DIR "/configs/" + file, catalog_);
    std::map<std::string, Asked> all;
    GpuFacts gpu = gpu_of_arch(arch);
    gpu.sm_count = 132;
    for (const spec::PlannedProblem& planned : plan.problems) {
      Asked& one = all[planned.kernel->name + " " + shape_text(planned.problem.dims)];
      planned.kernel->space.for_each(spec::base_scope(*planned.kernel, planned.problem, gpu), planned.only,
                                     [&one](const Config& config) {
                                       ++one.configurations;
                                       one.variants.insert(to_text(*config.find("variant")));
                                       return true;
                                     });
    }
    return all;
  }

  spec::Catalog catalog_ = spec::Catalog::load({TUNER_SOURCE_DIR "/kernel_templates"});
};

TEST_F(Configs, H200AsksForHalfAThousandAtEveryHalfPrecisionShape) {
  const auto all = asked("h200.yaml", 90);
  const std::set<std::string> with_slow{"4096x4096", "14336x4096", "4096x14336", "8192x8192"};
  for (const char* shape :
       {"1024x4096", "4096x4096", "14336x4096", "4096x14336", "8192x8192", "3584x18944", "28672x8192", "128256x4096"}) {
    ASSERT_TRUE(all.count(std::string("gemv_f16 ") + shape)) << shape;
    const Asked& one = all.at(std::string("gemv_f16 ") + shape);
    EXPECT_GE(one.configurations, 500) << shape;
    EXPECT_LE(one.configurations, 1000) << shape;
    EXPECT_EQ(one.variants.count("naive"), with_slow.count(shape)) << shape;
    EXPECT_EQ(one.variants.count("coalesced"), with_slow.count(shape)) << shape;
  }
}

TEST_F(Configs, H200AsksForTheFiveStagesAtTheSquareSizes) {
  const auto all = asked("h200.yaml", 90);
  for (const char* kernel : {"gemv_f32 ", "gemv_bf16 "})
    for (const char* shape : {"1024x1024", "2048x2048", "4096x4096", "8192x8192"}) {
      ASSERT_TRUE(all.count(std::string(kernel) + shape)) << kernel << shape;
      const Asked& one = all.at(std::string(kernel) + shape);
      EXPECT_GE(one.configurations, 100) << kernel << shape;
      EXPECT_LE(one.configurations, 200) << kernel << shape;
      EXPECT_EQ(one.variants.size(), 5U) << kernel << shape;
    }
}

TEST_F(Configs, T4AsksForTheFiveStagesAtTheSeedsSizes) {
  const auto all = asked("t4.yaml", 75);
  for (const char* shape : {"1024x1024", "2048x2048", "4096x4096", "8192x8192"})
    EXPECT_EQ(all.at(std::string("gemv_f32 ") + shape).variants.size(), 5U) << shape;
  EXPECT_GE(all.at("gemv_f16 4096x14336").configurations, 100);
}

TEST_F(Configs, QuickstartIsSmall) {
  std::int64_t total = 0;
  for (const auto& [problem, one] : asked("quickstart.yaml", 90)) {
    total += one.configurations;
    EXPECT_EQ(one.variants.size(), 5U) << problem;
  }
  EXPECT_GE(total, 20);
  EXPECT_LE(total, 60);
}

}  // namespace
}  // namespace tuner::cli
