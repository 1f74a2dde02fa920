#include "spec/sweep_plan.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "expect_error.h"
#include "manifest_text.h"

namespace tuner::spec {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSweep = R"(tuner: 1
gpu: {name: NVIDIA H200, arch: sm_90}
kernels: [gemv_f16, {kernel: gemv_f32, shapes: [1024x1024], params: {variant: [naive, shared], block_size: 064}}]
shapes: [4096x4096, 4096x14336]
facts: {y: f32}
regime: plain
search: exhaustive
budget: {time: 10min}
)";

class Sweep : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("tuner_sweep_test." + std::to_string(::getpid()));
    fs::create_directories(folder_);
    std::ofstream(folder_ / "gemv.cu") << "";
    std::ofstream(folder_ / "gemv_f16.yaml") << kGemv << "dependent: {when: variant == vec, feeds: {x: y}}\n";
    std::ofstream(folder_ / "gemv_f32.yaml") << edited(kGemv, "gemv_f16", "gemv_f32");
    catalog_ = Catalog::load({folder_.string()});
  }
  void TearDown() override { fs::remove_all(folder_); }

  void fails(std::string_view from, std::string_view to, const std::string& what, const std::string& where,
             const std::string& hint) {
    const std::string text = edited(kSweep, from, to);
    expect_error([&] { (void)parse_sweep(text, "s.yaml", catalog_); }, what, where, hint);
  }

  fs::path folder_;
  Catalog catalog_;
};

TEST_F(Sweep, AnchorsComeFirstAndStandBehindTheirKernelsShapes) {
  const SweepPlan plan = parse_sweep(
      "tuner: 1\nkernels: [gemv_f16, {kernel: gemv_f32, anchors: 8x8}]\nanchors: [64x64, 32x64]\nshapes: [48x64]\n",
      "s.yaml", catalog_);
  ASSERT_EQ(plan.problems.size(), 5U);
  EXPECT_EQ(plan.problems[0].problem.dims, (std::vector<std::int64_t>{64, 64}));
  EXPECT_TRUE(plan.problems[1].anchors.empty());
  EXPECT_EQ(plan.problems[2].problem.dims, (std::vector<std::int64_t>{48, 64}));
  EXPECT_EQ(plan.problems[2].anchors, (std::vector<Problem>{plan.problems[0].problem, plan.problems[1].problem}));
  EXPECT_EQ(plan.problems[4].anchors, (std::vector<Problem>{plan.problems[3].problem}));
  fails("shapes: [4096x4096, ", "anchors: [4096x14336]\nshapes: [4096x4096, ", "'gemv_f16' at 4096x14336 stands twice",
        "s.yaml:5:21", "keep one");
  fails("shapes: [4096x4096, ", "anchors: []\nshapes: [4096x4096, ", "'anchors' is empty", "s.yaml:4:10", "");
}

TEST_F(Sweep, EverythingIsRead) {
  const SweepPlan plan = parse_sweep(kSweep, "s.yaml", catalog_);
  EXPECT_EQ(plan.path, "s.yaml");
  EXPECT_EQ(plan.text, kSweep);
  EXPECT_EQ(plan.gpu_name, "NVIDIA H200");
  EXPECT_EQ(plan.arch, 90);
  EXPECT_EQ(plan.regime, "plain");
  EXPECT_EQ(plan.search, "exhaustive");
  EXPECT_EQ(plan.time_budget_s, 600);
  ASSERT_EQ(plan.problems.size(), 3U);
  EXPECT_EQ(plan.problems[0].kernel->name, "gemv_f16");
  EXPECT_EQ(plan.problems[1].problem.dims, (std::vector<std::int64_t>{4096, 14336}));
  EXPECT_EQ(*plan.problems[1].problem.fact("y"), Value{Name{"f32"}});
  EXPECT_TRUE(plan.problems[1].only.empty());
  EXPECT_EQ(plan.problems[2].kernel->name, "gemv_f32");
  ASSERT_EQ(plan.problems[2].only.size(), 2U);
  EXPECT_EQ(plan.problems[2].only[0].second, (std::vector<Value>{Name{"naive"}, Name{"shared"}}));
  EXPECT_EQ(plan.problems[2].only[1].second, std::vector<Value>{std::int64_t{64}});
}

TEST_F(Sweep, LittleIsEnough) {
  const SweepPlan plan = parse_sweep("tuner: 1\nkernels: gemv_f16\nshapes: 4x5\n", "s.yaml", catalog_);
  ASSERT_EQ(plan.problems.size(), 1U);
  EXPECT_EQ(plan.regime, "plain");
  EXPECT_EQ(plan.search, "");
  EXPECT_EQ(plan.trials_budget, 0);
  EXPECT_EQ(plan.time_budget_s, 0);
  EXPECT_EQ(plan.arch, 0);
}

TEST_F(Sweep, ASearchHasAStrategyAndABudget) {
  const SweepPlan plan = parse_sweep(
      "tuner: 1\nkernels: gemv_f16\nshapes: 4x5\nsearch: 'exec:python3 mine.py'\nbudget: {trials: 40, time: 30s}\n",
      "s.yaml", catalog_);
  EXPECT_EQ(plan.search, "exec:python3 mine.py");
  EXPECT_EQ(plan.search_where, "s.yaml:4:10");
  EXPECT_EQ(plan.trials_budget, 40);
  EXPECT_EQ(plan.time_budget_s, 30);
}

TEST_F(Sweep, OwnFactsReplaceTheCommonOnes) {
  const std::string text = edited(kSweep, "shapes: [1024x1024],", "facts: {batch: 4},");
  const SweepPlan plan = parse_sweep(text, "s.yaml", catalog_);
  EXPECT_EQ(facts_key(plan.problems[2].problem.facts), "batch=4 row_stride=4096 y=f16");
}

TEST_F(Sweep, Words) {
  fails("regime: plain", "regime: plainn", "unknown regime 'plainn'", "s.yaml:6:9", "did you mean 'plain'?");
  fails("regime: plain", "regime: dependent", "'gemv_f32' has no regime 'dependent'", "s.yaml:6:9",
        "its manifest has no key `dependent: {when: ..., feeds: {x: y}}`; leave --regime out for 'plain'");
  fails("{time: 10min}", "{trials: 0}", "a search tries at least 1 configuration", "s.yaml:8:18", "");
  fails("regime", "regimes", "unknown key 'regimes'", "s.yaml:6:1", "did you mean 'regime'?");
  fails("10min", "10m", "'10m' is not a duration", "s.yaml:8:16", "e.g. 30s, 10min, 1h");
  fails("sm_90", "90x", "'90x' is not an architecture", "s.yaml:2:32", "e.g. sm_90");
  fails("tuner: 1", "tuner: 3", "version 3 of this file format is not known", "s.yaml:1:8",
        "this tuner reads 'tuner: 1'");
}

TEST_F(Sweep, InTheDependentRegimeKernelsAreAsThatLaunchesThem) {
  SweepPlan plan = parse_sweep("tuner: 1\nkernels: gemv_f16\nshapes: 4x5\nregime: dependent\n", "s.yaml", catalog_);
  EXPECT_EQ(plan.regime, "dependent");
  EXPECT_EQ(plan.problems.at(0).kernel, catalog_.find("gemv_f16")->in_dependent.get());
  plan = plan_of(catalog_, {"gemv_f16"}, {"4x5"}, {});
  EXPECT_EQ(plan.problems.at(0).kernel, catalog_.find("gemv_f16"));
  set_regime(plan, "dependent", "--regime");
  EXPECT_EQ(plan.regime, "dependent");
  EXPECT_EQ(plan.problems.at(0).kernel, catalog_.find("gemv_f16")->in_dependent.get());
}

TEST_F(Sweep, Kernels) {
  fails("[gemv_f16,", "[gemv_f61,", "unknown kernel 'gemv_f61'", "s.yaml:3:11", "did you mean 'gemv_f16'?");
  fails("{variant: [naive", "{varian: [naive", "'gemv_f32' has no parameter 'varian'", "s.yaml:3:70",
        "did you mean 'variant'?");
  fails("[naive, shared]", "[naiv, shared]", "'naiv' is not a value of 'variant'", "s.yaml:3:80",
        "did you mean 'naive'?");
  fails("[gemv_f16, ", "[gemv_f16, gemv_f16, ", "'gemv_f16' at 4096x4096 stands twice", "s.yaml:4:10", "keep one");
  fails("shapes: [4096x4096, 4096x14336]\n", "", "'gemv_f16' has no shapes", "s.yaml:3:11",
        "add shapes: [4096x4096] here or at the top");
  fails("{y: f32}", "{yy: f32}", "'gemv_f16' has no fact 'yy'", "s.yaml:5:8", "did you mean 'y'?");
}

TEST_F(Sweep, Shapes) {
  const std::string hint = "write rows x columns as whole numbers, e.g. 4096x14336";
  fails("4096x4096", "0x5", "'0x5' is not a shape: '0' is less than 1", "s.yaml:4:10", hint);
  fails("4096x4096", "-1x4", "'-1x4' is not a shape: '-1' is less than 1", "s.yaml:4:10", hint);
  fails("4096x4096", "4096x", "'4096x' is not a shape: a number is missing after 'x'", "s.yaml:4:10", hint);
  fails("4096x4096", "999999999999x9", "the argument 'M' is 999999999999, which does not fit its type i32",
        "s.yaml:4:10", "");
  fails("4096x4096", "64", "'gemv_f16' has 2 dimensions (MxN), the shape 64 has 1", "s.yaml:4:10", "");
}

TEST_F(Sweep, Files) {
  const std::string path = (folder_ / "plan.txt").string();
  std::ofstream(path) << kSweep;
  EXPECT_EQ(read_sweep(path, catalog_).problems.size(), 3U);
  std::ofstream(path) << std::string(2 << 20, '#');
  expect_error([&] { (void)read_sweep(path, catalog_); }, "the file is too big: 2097152 bytes, at most 1048576", path,
               "");
}

TEST_F(Sweep, FromFlags) {
  const SweepPlan plan = plan_of(catalog_, {"gemv_f16", "gemv_f32"}, {"4x5", "4x5", "6x7"}, {{"y", Name{"f32"}}});
  ASSERT_EQ(plan.problems.size(), 4U);
  EXPECT_EQ(plan.problems[1].problem.dims, (std::vector<std::int64_t>{6, 7}));
  EXPECT_EQ(*plan.problems[3].problem.fact("y"), Value{Name{"f32"}});
  expect_error([&] { (void)plan_of(catalog_, {}, {"4x5"}, {}); }, "no kernel is named", "--kernel",
               "known: gemv_f16, gemv_f32");
  expect_error([&] { (void)plan_of(catalog_, {"gemv_f16"}, {}, {}); }, "no shape is named", "--shape",
               "e.g. --shape 4096x14336");
  expect_error(
      [&] {
        (void)plan_of(catalog_, {"gemv_f16"}, {"4x5"}, {{"z", true}});
      },
      "'gemv_f16' has no fact 'z'", "--set", "did you mean 'y'?");
}

TEST(Duration, Units) {
  EXPECT_EQ(parse_duration("30s", ""), 30);
  EXPECT_EQ(parse_duration("10min", ""), 600);
  EXPECT_EQ(parse_duration("1.5h", ""), 5400);
  for (const char* text : {"", "10", "min", "-3s", "1e9h", "10 min", "nans", "infh", "99999999999h", "1d"})
    EXPECT_THROW((void)parse_duration(text, "--budget"), UserError) << text;
}

}  // namespace
}  // namespace tuner::spec
