#include "spec/resolve.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "expect_error.h"
#include "manifest_text.h"

namespace tuner::spec {
namespace {

class Resolve : public testing::Test {
 protected:
  void SetUp() override { gpu_.sm_count = 132; }
  Problem problem(std::vector<std::int64_t> dims, const Facts& facts = {}) const {
    return make_problem(kernel_, dims, facts, "--shape");
  }
  Config config(const Problem& p, const space::Partial& wanted) const {
    return kernel_.space.complete(base_scope(kernel_, p, gpu_), wanted).value();
  }
  static space::Partial one(const char* name, Value value) { return {{name, {std::move(value)}}}; }

  KernelSpec kernel_ = parse_kernel(kGemv, "/k/gemv_f16.yaml");
  GpuFacts gpu_ = gpu_of_arch(90);
};

TEST_F(Resolve, ProblemsHaveEveryFact) {
  const Problem p = problem({4096, 14336}, {{"y", Name{"f32"}}});
  EXPECT_EQ(p.kernel, "gemv_f16");
  EXPECT_EQ(facts_key(p.facts), "batch=1 row_stride=14336 y=f32");
  EXPECT_EQ(p.facts[0].first, "y");
  EXPECT_EQ(*problem({4, 6}, {{"row_stride", std::int64_t{8}}}).fact("row_stride"), Value{std::int64_t{8}});
}

TEST_F(Resolve, BadProblems) {
  expect_error([&] { problem({4096}); }, "'gemv_f16' has 2 dimensions (MxN), the shape 4096 has 1", "--shape", "");
  expect_error(
      [&] {
        problem({4, 4}, {{"bach", std::int64_t{2}}});
      },
      "'gemv_f16' has no fact 'bach'", "--shape", "did you mean 'batch'?");
  expect_error(
      [&] {
        problem({4, 4}, {{"y", std::int64_t{2}}});
      },
      "'y' cannot be '2': it is an element type", "--shape",
      "known: f64, f32, f16, bf16, i8, u8, i16, u16, i32, u32, i64, u64, ...");
  expect_error(
      [&] {
        problem({4, 4}, {{"batch", Name{"many"}}});
      },
      "'batch' cannot be 'many': it is an integer", "--shape", "by default it is 1");
  expect_error(
      [&] {
        problem({4, 4}, {{"batch", std::int64_t{0}}});
      },
      "'batch' cannot be '0': at least 1", "--shape", "");
  expect_error(
      [&] {
        problem({4, 8}, {{"row_stride", std::int64_t{7}}});
      },
      "row_stride 7 is less than the row: shape 4x8 has rows of 8", "--shape",
      "row_stride counts elements from one row to the next");
  expect_error(
      [&] {
        problem({999999999999, 9});
      },
      "the argument 'M' is 999999999999, which does not fit its type i32", "--shape", "");
  expect_error(
      [&] {
        problem({2000000000, 2000000000}, {{"batch", std::int64_t{1} << 40}});
      },
      "shape 2000000000x2000000000: the result of '*' does not fit 64 bits in 'N * batch'", "--shape", "");
}

TEST_F(Resolve, Vec) {
  const Problem p = problem({4096, 14336}, {{"y", Name{"f32"}}});
  const Execution e = resolve(kernel_, p, config(p, one("vector_width", std::int64_t{8})), gpu_);
  ASSERT_EQ(e.arguments.size(), 7U);
  EXPECT_EQ(e.arguments[0].elements, 4096 * 14336);
  EXPECT_EQ(e.arguments[0].align_bytes, 16);
  EXPECT_EQ(e.arguments[1].align_bytes, 2);
  EXPECT_EQ(e.arguments[2].type, Type::f32);
  EXPECT_EQ(e.arguments[2].role, Role::output);
  EXPECT_EQ(e.arguments[3].elements, 1);
  EXPECT_FALSE(e.arguments[4].is_buffer);
  EXPECT_EQ(e.arguments[4].value, 4096);
  EXPECT_EQ(e.arguments[6].type, Type::i64);
  ASSERT_EQ(e.steps.size(), 1U);
  EXPECT_EQ(e.steps[0].entry, "gemv");
  EXPECT_EQ(e.steps[0].grid, (Dim3{2048, 1, 1}));
  EXPECT_EQ(e.steps[0].block, (Dim3{64, 1, 1}));
}

TEST_F(Resolve, CoalescedHasThreeSteps) {
  const Problem p = problem({37, 131});
  const Execution e = resolve(kernel_, p, config(p, one("variant", Name{"coalesced"})), gpu_);
  EXPECT_EQ(e.arguments[3].elements, 37);
  ASSERT_EQ(e.steps.size(), 3U);
  EXPECT_EQ(e.steps[0].kind, Step::Kind::memset);
  EXPECT_EQ(e.steps[0].argument, "acc");
  EXPECT_EQ(e.steps[1].grid, (Dim3{3, 1, 1}));
  EXPECT_EQ(e.steps[2].entry, "store");
  EXPECT_EQ(execution_from_json(to_json(e)), e);
}

TEST_F(Resolve, BadExtents) {
  kernel_ = parse_kernel(edited(kGemv, "grid: [\"ceil_div(M * batch, block_size)\"]", "grid: [\"M - 37\"]"), "k.yaml");
  const Problem p = problem({37, 131});
  expect_error([&] { (void)resolve(kernel_, p, config(p, one("variant", Name{"coalesced"})), gpu_); },
               "the grid of 'store' is 0, it must be at least 1 in 'M - 37'", "k.yaml:37:29", "");
  kernel_ = parse_kernel(edited(kGemv, "shared: 0", "shared: M - 38"), "k.yaml");
  expect_error([&] { (void)resolve(kernel_, p, config(p, {}), gpu_); },
               "the shared memory of 'gemv' is negative in 'M - 38'", "k.yaml:36:137", "");
  kernel_ = parse_kernel(edited(kGemv, "block: [block_size], shared", "block: [M // (N - 131)], shared"), "k.yaml");
  expect_error([&] { (void)resolve(kernel_, p, config(p, {}), gpu_); }, "division by zero in 'M // (N - 131)'",
               "k.yaml:36:118", "");
}

TEST_F(Resolve, WorkloadOfTheProblem) {
  const Problem p = problem({4096, 14336}, {{"batch", std::int64_t{2}}, {"row_stride", std::int64_t{14344}}});
  const Workload w = workload_of(kernel_, p, gpu_);
  EXPECT_EQ(w.kernel, "gemv_f16");
  EXPECT_EQ(w.reference.kind, ReferencePlan::Kind::gemv);
  EXPECT_EQ(w.batch, 2);
  EXPECT_EQ(w.row_stride, 14344);
  EXPECT_EQ(w.bytes_read, 2.0 * 4096 * 14336 + 2.0 * 14336 * 2);
  EXPECT_EQ(w.bytes_written, 2.0 * 4096 * 2);
  EXPECT_EQ(w.flops, 2.0 * 4096 * 14336 * 2);
  EXPECT_EQ(w.arguments.size(), 7U);
  EXPECT_EQ(w.misalign_elements, 0);
}

TEST_F(Resolve, Defaults) {
  const Problem p = problem({4096, 14336});
  EXPECT_EQ(default_config(kernel_, p, gpu_)->label(),
            "variant=warp block_size=256 rows_per_warp=1 warps_per_row=1 min_blocks_per_sm=1");
  kernel_.space.constraints.push_back({space::Expr::parse("variant != warp"), ""});
  EXPECT_EQ(default_config(kernel_, p, gpu_)->label(), "variant=naive block_size=64 min_blocks_per_sm=1");
  kernel_.space.constraints.push_back({space::Expr::parse("variant == vec"), ""});
  EXPECT_EQ(default_config(kernel_, p, gpu_), std::nullopt);
  kernel_.defaults.clear();
  EXPECT_EQ(*default_config(kernel_, p, gpu_)->find("variant"), Value{Name{"vec"}});
}

TEST_F(Resolve, ChainAndDeterminism) {
  const Problem p = problem({37, 131});
  const Config naive = config(p, one("variant", Name{"naive"}));
  EXPECT_EQ(chain_of(kernel_, p, naive, gpu_), 131);
  EXPECT_EQ(chain_of(kernel_, p, config(p, one("variant", Name{"warp"})), gpu_), 10);
  EXPECT_TRUE(deterministic(kernel_, p, naive, gpu_));
  EXPECT_FALSE(deterministic(kernel_, p, config(p, one("variant", Name{"coalesced"})), gpu_));
}

TEST_F(Resolve, NamesOfTheGpu) {
  const space::Scope scope = base_scope(kernel_, problem({4, 4}), gpu_);
  EXPECT_EQ(scope.find("arch", 1), Value{std::int64_t{90}});
  EXPECT_EQ(scope.find("warp_size", 1), Value{std::int64_t{32}});
  EXPECT_EQ(scope.find("sm_count", 1), Value{std::int64_t{132}});
  EXPECT_EQ(scope.find("shared_max", 1), Value{gpu_.shared_max});
  EXPECT_EQ(base_scope(kernel_, problem({4, 4}), gpu_of_arch(75)).find("sm_count", 1), Value{std::int64_t{1}});
  EXPECT_EQ(scope.find("bf16", 1), Value{Name{"bf16"}});
  EXPECT_EQ(scope.find("streaming", 1), Value{Name{"streaming"}});
  EXPECT_EQ(scope.find("variant", 1), std::nullopt);
}

TEST_F(Resolve, WhereAKernelRuns) {
  const Problem p = problem({4, 4});
  EXPECT_EQ(why_not_on(kernel_, p, gpu_), std::nullopt);
  gpu_.arch = 70;
  EXPECT_EQ(why_not_on(kernel_, p, gpu_), "it requires arch >= 75");
  kernel_.target = "sm_90a";
  EXPECT_EQ(why_not_on(kernel_, p, gpu_), "it is written for sm_90a only");
  gpu_.arch = 90;
  EXPECT_EQ(why_not_on(kernel_, p, gpu_), std::nullopt);
  gpu_.arch = 100;
  EXPECT_EQ(why_not_on(kernel_, p, gpu_), "it is written for sm_90a only");
}

TEST_F(Resolve, AwkwardProblems) {
  const Problem p = problem({4096, 14336}, {{"y", Name{"f32"}}, {"row_stride", std::int64_t{20000}}});
  const std::vector<Awkward> list = awkward_problems(kernel_, p);
  ASSERT_GE(list.size(), 4U);
  bool gap = false;
  bool misaligned = false;
  for (const Awkward& awkward : list) {
    const std::int64_t stride = std::get<std::int64_t>(*awkward.problem.fact("row_stride"));
    EXPECT_LE(awkward.problem.dims[0] * stride, 1 << 17);
    EXPECT_TRUE(awkward.problem.dims[1] % 16 != 0 || awkward.problem.dims[1] == p.dims[1]);
    EXPECT_EQ(*awkward.problem.fact("y"), Value{Name{"f32"}});
    gap |= stride > awkward.problem.dims[1];
    misaligned |= awkward.misalign_elements != 0;
    EXPECT_FALSE(kernel_.space.all(base_scope(kernel_, awkward.problem, gpu_)).empty());
  }
  EXPECT_TRUE(gap);
  EXPECT_TRUE(misaligned);
  kernel_.reference.kind = ReferencePlan::Kind::none;
  EXPECT_TRUE(awkward_problems(kernel_, p).empty());
}

// Every variant has an awkward problem on which it is legal.
TEST_F(Resolve, AwkwardProblemsReachEveryVectorWidth) {
  std::vector<Value> widths;
  for (const Awkward& awkward : awkward_problems(kernel_, problem({4096, 14336})))
    for (const Config& c : kernel_.space.all(base_scope(kernel_, awkward.problem, gpu_)))
      if (const Value* width = c.find("vector_width")) widths.push_back(*width);
  for (const std::int64_t width : {2, 4, 8})
    EXPECT_EQ(std::count(widths.begin(), widths.end(), Value{width}) > 0, true);
}

}  // namespace
}  // namespace tuner::spec
