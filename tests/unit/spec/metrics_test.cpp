#include "spec/metrics.h"

#include <gtest/gtest.h>

#include "expect_error.h"
#include "manifest_text.h"

namespace tuner::spec {
namespace {

std::string with(const std::string& more) { return std::string(kGemv) + more; }

class Metrics : public testing::Test {
 protected:
  KernelSpec kernel(const std::string& more) const { return parse_kernel(with(more), "/k/gemv_f16.yaml"); }
  Config config(const KernelSpec& of, const Problem& problem) const {
    return of.space.complete(base_scope(of, problem, gpu_), {{"variant", {Name{"warp"}}}}).value();
  }
  GpuFacts gpu_ = gpu_of_arch(90);
};

TEST_F(Metrics, AreOfTimeDimsParametersAndEachOther) {
  const KernelSpec of = kernel(
      "metrics:\n  tflops: 2 * M * N / time_s / 1e12\n  per_thread: tflops / block_size\n  us: time_us\n"
      "  vectors: time_us * vector_width\n");
  const Problem problem = make_problem(of, {4096, 1024}, {}, "");
  const auto metrics = metrics_of(of, problem, config(of, problem), gpu_, 2);
  ASSERT_EQ(metrics.size(), 4U);
  EXPECT_EQ(metrics[0].name, "tflops");
  EXPECT_DOUBLE_EQ(metrics[0].value.value(), 2.0 * 4096 * 1024 / 2e-6 / 1e12);
  EXPECT_DOUBLE_EQ(metrics[1].value.value(), metrics[0].value.value() / 64);
  EXPECT_DOUBLE_EQ(metrics[2].value.value(), 2);
  EXPECT_FALSE(metrics[3].value.has_value());
  EXPECT_EQ(metrics[3].why, "'vector_width' is inactive here in 'time_us * vector_width'");
}

// Results outlive manifests.
TEST_F(Metrics, OfAConfigurationOfAnotherManifestSayWhyTheyAreNone) {
  const KernelSpec of = kernel("metrics: {a: time_us * block_size, b: time_us * unroll, c: time_us}\n");
  const Problem problem = make_problem(of, {4096, 1024}, {}, "");
  for (const Config& old : {Config{}, Config{{{"block_size", std::int64_t{64}}, {"gone", true}}},
                            Config{{{"variant", std::int64_t{3}}, {"block_size", Name{"wide"}}}}}) {
    const auto metrics = metrics_of(of, problem, old, gpu_, 2);
    ASSERT_EQ(metrics.size(), 3U);
    for (const Metric& metric : metrics) EXPECT_EQ(metric.value.has_value(), metric.why.empty()) << metric.name;
    EXPECT_FALSE(metrics[1].value.has_value());
  }
}

TEST_F(Metrics, AnObjectiveIsSaidWithAllThatItIsMadeOf) {
  const std::string let =
      "variant in (warp, vec) ? block_size // warp_size // warps_per_row * rows_per_warp : variant == naive ? "
      "block_size : 1";
  EXPECT_EQ(objective_text(kernel("")), "");
  EXPECT_EQ(objective_text(kernel("metrics: {a: 1 / time_s}\n")), "");
  EXPECT_EQ(objective_text(kernel("metrics: {a: b * rows_per_block, b: 1 / time_s, c: 2}\n"
                                  "objective: {metric: a, goal: max}\n")),
            "max a = b * rows_per_block, b = 1 / time_s, rows_per_block = " + let);
}

TEST_F(Metrics, ACostIsSmallWhereTheObjectiveIsGood) {
  const KernelSpec most = kernel("metrics: {a: block_size / time_us}\nobjective: {metric: a, goal: max}\n");
  const Problem problem = make_problem(most, {4096, 1024}, {}, "");
  EXPECT_DOUBLE_EQ(Cost(most, problem, config(most, problem), gpu_).at(32), 0.5);
  const KernelSpec least = kernel("metrics: {a: block_size * time_us}\nobjective: {metric: a, goal: min}\n");
  EXPECT_DOUBLE_EQ(Cost(least, problem, config(least, problem), gpu_).at(32), 2048);
  const KernelSpec none = kernel("metrics: {a: 32 - time_us}\nobjective: {metric: a, goal: min}\n");
  Cost cost(none, problem, config(none, problem), gpu_);
  EXPECT_DOUBLE_EQ(cost.at(31), 1);
  expect_error([&] { cost.at(32); }, "the objective 'a' is not above 0 in '32 - time_us'", "/k/gemv_f16.yaml:46:14",
               "");
}

TEST_F(Metrics, FaultsSayWhereTheyAre) {
  const auto refuses = [&](const std::string& more, const std::string& what, const std::string& where,
                           const std::string& hint = {}) {
    expect_error([&] { kernel(more); }, what, "/k/gemv_f16.yaml:" + where, hint);
  };
  refuses("metrics: {a: time_u / 2}\n", "unknown name 'time_u' in 'time_u / 2'", "46:14", "did you mean 'time_s'?");
  refuses("metrics: {a: 2 * b, b: 1 - a}\n", "'a' uses itself in '1 - a'", "46:28");
  refuses("metrics: {M: 1}\n", "'M' has two meanings: a dimension and a metric", "46:11",
          "give one of them another name");
  refuses("metrics: {a: 1 + .5}\n", "unexpected '.' in '1 + .5'", "46:18", "write 0.5, not .5");
  refuses("metrics: {a: 1}\nobjective: {metric: a, goal: max}\n", "the objective 'a' does not depend on the time",
          "47:21", "use time_us or time_s in it");
  refuses("objective: {metric: a, goal: max}\n", "unknown metric 'a'", "46:21",
          "there is no 'metrics'; without 'objective' the time is the objective");
  refuses("metrics: {alpha: time_s}\nobjective: {metric: alpa, goal: max}\n", "unknown metric 'alpa'", "47:21",
          "did you mean 'alpha'?");
  refuses("metrics: {a: time_s}\nobjective: {metric: a, goal: largest}\n", "unknown goal 'largest'", "47:30",
          "known: min, max");
}

}  // namespace
}  // namespace tuner::spec
