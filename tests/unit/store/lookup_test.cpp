#include "store/lookup.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "store/distance.h"
#include "unit/store/lookup_fixture.h"

namespace tuner::store::test {
namespace {

TEST(Distance, IsTheFloorOfLog2In256Steps) {
  for (std::int64_t n = 1; n < 300000; n += n / 50 + 1) {
    const double exact = std::log2(static_cast<double>(n)) * 256;
    EXPECT_NEAR(static_cast<double>(log2_steps(n)), std::floor(exact), 1) << n;
    EXPECT_LE(static_cast<double>(log2_steps(n)), exact + 1e-6) << n;
  }
  EXPECT_EQ(log2_steps(1), 0);
  EXPECT_EQ(log2_steps(INT64_MAX), 63 * 256 - 1);
  static_assert(log2_steps(8) == 768);
}

TEST(Distance, EndsAtAFactorOfEight) {
  EXPECT_TRUE(shape_distance({8, 1}, {1, 8}));
  EXPECT_FALSE(shape_distance({9, 1}, {1, 1}));
  EXPECT_FALSE(shape_distance({65, 1}, {8, 1}));
  EXPECT_TRUE(shape_distance({64, 1}, {8, 1}));
  EXPECT_FALSE(shape_distance({4, 4}, {4}));
  EXPECT_EQ(shape_distance({4096, 4096}, {4096, 8192}), 256 * 256);
  EXPECT_FALSE(shape_distance({INT64_MAX, 1}, {1, 1}));
}

TEST_F(Lookup, ExactThenNearThenDefault) {
  put({});
  const Answer exact = best(query(4096, 4096));
  EXPECT_EQ(exact.match, Match::exact);
  EXPECT_EQ(exact.layer, "user");
  EXPECT_EQ(exact.expected_loss, 0);
  ASSERT_NE(exact.trial, nullptr);
  EXPECT_EQ(exact.trial->time_us, 10);
  EXPECT_EQ(exact.steps.at(0).grid.x, 4096);

  const Answer near = best(query(8192, 4096));
  EXPECT_EQ(near.match, Match::near_shape);
  EXPECT_EQ(near.distance, (std::vector<std::int64_t>{65536, 0}));
  EXPECT_EQ(near.tuned_dims, (std::vector<std::int64_t>{4096, 4096}));
  EXPECT_EQ(near.expected_loss, -1);
  EXPECT_EQ(near.steps.at(0).grid.x, 8192);
  EXPECT_EQ(variant(near), "vec");

  const Answer far = best(query(4096 * 9, 4096));
  EXPECT_EQ(far.match, Match::by_default);
  EXPECT_EQ(variant(far), "naive");
  EXPECT_EQ(far.entry, nullptr);
}

TEST_F(Lookup, TheNearestNeighbourAnswers) {
  put({.rows = 1024, .winner = config_of("shared", 128)});
  put({.rows = 4096});
  put({.rows = 16384, .winner = config_of("warp", 128)});
  EXPECT_EQ(variant(best(query(5000, 4096))), "vec");
  EXPECT_EQ(variant(best(query(1300, 4096))), "shared");
  EXPECT_EQ(variant(best(query(30000, 4096))), "warp");
  EXPECT_EQ(variant(best(query(4096, 14336))), "vec");
}

TEST_F(Lookup, TransposedShapesAreDifferent) {
  put({.rows = 4096, .columns = 14336});
  put({.rows = 14336, .columns = 4096, .winner = config_of("warp", 256)});
  EXPECT_EQ(variant(best(query(4096, 14336))), "vec");
  EXPECT_EQ(variant(best(query(14336, 4096))), "warp");
}

TEST_F(Lookup, AConfigurationIllegalThereIsPassedOver) {
  put({.rows = 1024, .winner = config_of("vec", 512), .tied = "warp"});
  EXPECT_EQ(variant(best(query(2000, 4096))), "vec");
  const Answer small = best(query(1000, 4096));  // blocks of 512 are illegal there: the tied one answers
  EXPECT_EQ(small.match, Match::near_shape);
  EXPECT_EQ(variant(small), "warp");
}

TEST_F(Lookup, ExactOnlyDoesNotTravel) {
  put({.exact_only = true});
  EXPECT_EQ(best(query(4096, 4096)).match, Match::exact);
  EXPECT_EQ(best(query(4096, 4097)).match, Match::by_default);
}

TEST_F(Lookup, FactsThatWereNotTunedAreNeverExact) {
  put({});
  put({.winner = config_of("warp", 128), .facts = {{"y", Name{"f32"}}}});
  Query asked = query(4096, 4096);
  EXPECT_EQ(variant(best(asked)), "vec");
  asked.facts = {{"y", Name{"f32"}}};
  EXPECT_EQ(variant(best(asked)), "warp");
  asked.facts = {{"batch", std::int64_t{4}}};
  const Answer batch = best(asked);
  EXPECT_EQ(batch.match, Match::near_shape);
  EXPECT_EQ(batch.distance.at(0), 0);
  EXPECT_EQ(variant(batch), "vec");  // one fact differs, not two
  asked.facts = {{"y", Name{"f32"}}};
  asked.dims = {4096, 5000};  // the default of row_stride follows the shape and is no difference
  EXPECT_EQ(variant(best(asked)), "warp");
}

TEST_F(Lookup, NearGpuIsOfTheSameArchitecture) {
  put({.gpu = "NVIDIA H200", .winner = config_of("warp", 256)});
  put({.gpu = "NVIDIA H20", .winner = config_of("shared", 256), .sm_count = 78});
  put({.gpu = "NVIDIA A100", .arch = 80, .sm_count = 108});
  Query asked = query(4096, 4096, "");
  asked.here = gpu_named("NVIDIA H100 NVL", 90, 124);
  const Answer answer = best(asked);
  EXPECT_EQ(answer.match, Match::near_gpu);
  EXPECT_EQ(answer.tuned_gpu, "NVIDIA H200");
  EXPECT_GT(answer.distance.at(1), 0);
  asked.here = gpu_named("NVIDIA H20-3e", 90, 70);
  EXPECT_EQ(best(asked).tuned_gpu, "NVIDIA H20");
  asked.here = gpu_named("NVIDIA L4", 89, 58);
  EXPECT_EQ(best(asked).match, Match::by_default);
  asked.here.reset();
  asked.gpu = "sm_80";
  EXPECT_EQ(best(asked).tuned_gpu, "NVIDIA A100");
}

TEST_F(Lookup, TheFirstLayerThatHasARowAnswers) {
  put_in("shipped", {.winner = config_of("warp", 64)});
  put_in("site", {.rows = 8192, .winner = config_of("shared", 64)});
  EXPECT_EQ(best(query(4096, 4096)).layer, "shipped");
  EXPECT_EQ(best(query(4097, 4096)).layer, "site");  // farther, but of an earlier layer
  put_in("project", {.winner = config_of("vec", 64)});
  EXPECT_EQ(best(query(4096, 4096)).layer, "project");
  put({.winner = config_of("vec", 128)});
  EXPECT_EQ(best(query(4096, 4096)).layer, "user");
}

TEST_F(Lookup, SharedRowsAnswerOnlyWithoutBetter) {
  put({.winner = config_of("warp", 64), .shared_gpu = true});
  EXPECT_EQ(variant(best(query(4096, 4096))), "warp");
  put_in("shipped", {.winner = config_of("vec", 64)});
  EXPECT_EQ(variant(best(query(4096, 4096))), "vec");
}

TEST_F(Lookup, EmulatedRowsNeverAnswerForAGpu) {
  put({.gpu = "host", .winner = config_of("warp", 64), .emulated = true});
  Query asked = query(4096, 4096, "");
  asked.here = gpu_named("NVIDIA H100");
  EXPECT_EQ(best(asked).match, Match::by_default);
  asked.here.reset();
  EXPECT_EQ(best(asked).gpu.name, "");
  asked.gpu = "host";
  EXPECT_EQ(best(asked).match, Match::exact);
}

TEST_F(Lookup, ByVariantAndTop) {
  put({.tied = "warp"});
  Query asked = query(4096, 4096);
  asked.by = "variant";
  const Layers all = layers();
  auto answers = all.best(asked, gemv_knowledge());
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(variant(answers[2]), "naive");
  asked.by = "varient";
  EXPECT_THROW(all.best(asked, gemv_knowledge()), UserError);
  asked.by.clear();
  asked.top = 2;
  answers = all.best(asked, gemv_knowledge());
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(variant(answers[0]), "vec");
}

TEST_F(Lookup, WithoutAKernelThoseTunedThere) {
  put({});
  Query asked = query(4096, 4096);
  asked.kernel.clear();
  const Layers all = layers();
  auto answers = all.best(asked, gemv_knowledge());
  ASSERT_EQ(answers.size(), 1U);
  asked.dims = {77, 77};
  EXPECT_EQ(all.best(asked, gemv_knowledge()).size(), 2U);
  asked.dims = {77};
  answers = all.best(asked, gemv_knowledge());
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].problem.kernel, "softmax");
  asked.regime = "dependent";
  asked.dims = {4096, 4096};
  EXPECT_EQ(all.best(asked, gemv_knowledge()).size(), 2U);
}

TEST_F(Lookup, WithoutAGpuEveryOneKnown) {
  put({});
  put({.gpu = "NVIDIA A100", .arch = 80});
  Query asked = query(4096, 4096, "");
  const Layers all = layers();
  EXPECT_EQ(all.best(asked, gemv_knowledge()).size(), 2U);
  asked.here = gpu_named("NVIDIA A100", 80);
  const auto answers = all.best(asked, gemv_knowledge());
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].gpu.name, "NVIDIA A100");
}

template <class F>
void expect_usage(F&& ask, const std::string& what, const std::string& hint) {
  try {
    ask();
    FAIL() << "answered";
  } catch (const UserError& error) {
    EXPECT_EQ(error.what(), what);
    EXPECT_EQ(error.hint(), hint);
  }
}

TEST_F(Lookup, BadUsageIsNamed) {
  put({});
  put({.gpu = "NVIDIA H100", .sm_count = 114});
  const Layers all = layers();
  const auto knowledge = gemv_knowledge();
  Query asked = query(4096, 4096, "nvidia h");
  const auto ask = [&] { all.best(asked, knowledge); };
  expect_usage(ask, "'nvidia h' is more than one GPU",
               "one of: 'NVIDIA H100 (sm_90, 114 SMs, 141 GiB)', 'NVIDIA H200 (sm_90, 132 SMs, 141 GiB)'");
  asked.gpu = "T4";
  expect_usage(ask, "no GPU known here is called 'T4'",
               "known: NVIDIA H100 (sm_90, 114 SMs, 141 GiB), NVIDIA H200 (sm_90, 132 SMs, 141 GiB)");
  asked.gpu = "h200";
  asked.kernel = "gemv_f61";
  expect_usage(ask, "unknown kernel 'gemv_f61'", "did you mean 'gemv_f16'?");
  asked.kernel = "softmax";
  expect_usage(ask, "kernel 'softmax' does not have 2 dimensions, as 4096x4096 has",
               "kernels with 2: gemv_f16, gemv_f32");
  asked.kernel.clear();
  asked.dims = {1, 2, 3};
  expect_usage(ask, "no kernel has 3 dimensions, as 1x2x3 has",
               "known, with their number of dimensions: gemv_f16 (2), gemv_f32 (2), softmax (1)");
}

TEST_F(Lookup, ModelsOfOneNameAreChosenByWhatTheErrorOffers) {
  put({});
  put({.winner = config_of("warp", 64), .sm_count = 66});
  const Layers all = layers();
  Query asked = query(4096, 4096, "NVIDIA H200");
  expect_usage([&] { all.best(asked, gemv_knowledge()); }, "'NVIDIA H200' is more than one GPU",
               "one of: 'NVIDIA H200 (sm_90, 132 SMs, 141 GiB)', 'NVIDIA H200 (sm_90, 66 SMs, 141 GiB)'");
  asked.gpu = "NVIDIA H200 (sm_90, 66 SMs, 141 GiB)";
  EXPECT_EQ(variant(best(asked)), "warp");
  asked.gpu = "h200 (sm_90, 132";
  EXPECT_EQ(variant(best(asked)), "vec");
}

TEST_F(Lookup, ABadDefaultDatabaseIsAWarningANamedOneAnError) {
  write_file(folder_.file("user.db"), "not ours, and long enough to be read as a header by nobody");
  std::vector<std::string> warnings;
  EXPECT_THROW(Layers::open({folder_.file("user.db"), true, "", "", ""}, warnings), UserError);
  const Layers all = Layers::open({folder_.file("user.db"), false, "", "", ""}, warnings);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("is not a tuner database"), std::string::npos);
  EXPECT_EQ(all.best(query(64, 64, ""), gemv_knowledge()).at(0).match, Match::by_default);
}

TEST_F(Lookup, AnotherDriverIsElsewhere) {
  put({});
  Query asked = query(4096, 4096, "");
  asked.here = gpu_named("NVIDIA H200");
  EXPECT_EQ(best(asked).state, "current");
  asked.here->driver = "590.10";
  const Answer answer = best(asked);
  EXPECT_EQ(answer.match, Match::exact);
  EXPECT_EQ(answer.state, "elsewhere");
  EXPECT_EQ(answer.changed, (std::vector<std::string>{"driver 580.159.04 -> 590.10"}));
}

}  // namespace
}  // namespace tuner::store::test
