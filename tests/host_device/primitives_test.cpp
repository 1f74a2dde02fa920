// The kernels that are a manifest and a .cu alone, probes among them: configurations that cover every pair of values
// are right at sizes that nothing divides; those that are wrong by construction are rejected.
#include <gtest/gtest.h>

#include "templates.h"

namespace tuner::test {
namespace {

struct PrimitiveCase {
  const char* kernel;
  std::vector<std::vector<std::int64_t>> shapes;
  std::size_t most;  // configurations
};

class Primitive : public testing::TestWithParam<PrimitiveCase> {};

TEST_P(Primitive, EveryPairOfValuesIsRight) {
  Templates templates(GetParam().kernel);
  for (const auto& dims : GetParam().shapes) {
    const auto problem = templates.problem(dims);
    templates.expect_right(problem, templates.kernel.space.covering(templates.scope(problem), GetParam().most, 1));
  }
}

// Over a thousand tiles: a block that looks back finds whole groups of groups.
TEST(LookBack, FindsManyTiles) {
  const std::pair<const char*, std::vector<std::string>> kernels[] = {
      {"scan_f32",
       {"lookback=direct in_registers=0 block_size=256 items=24 ",
        "lookback=window in_registers=16 block_size=512 items=16 resident=1536"}},
      {"compact_f32",
       {"lookback=tree ranks=vote staged=false block_size=128 items=8",
        "lookback=window ranks=vote staged=false block_size=128 items=8",
        "lookback=direct ranks=vote staged=false block_size=128 items=8"}}};
  for (const auto& [name, wanted] : kernels) {
    Templates templates(name);
    const auto problem = templates.problem({1600007});
    std::vector<Config> configs;
    for (const Config& config : templates.kernel.space.all(templates.scope(problem)))
      for (const std::string& params : wanted)
        if ((config.label() + " ").find("variant=single_pass " + params) != std::string::npos)
          configs.push_back(config);
    EXPECT_EQ(configs.size(), wanted.size());
    templates.expect_right(problem, configs);
  }
}

TEST(Scan, WrongOnesAreRejected) {
  expect_rejections("wrong_scan", {10007},
                    {{"none", Reason::none},
                     {"race", Reason::missing_barrier},
                     {"missing_barrier", Reason::missing_barrier},
                     {"divergent_barrier", Reason::divergent_barrier},
                     {"dropped_tail", Reason::wrong_result},
                     {"lost_carry", Reason::wrong_result},
                     {"no_wait", Reason::missing_barrier}});
}

TEST(Compact, WrongOnesAreRejected) {
  expect_rejections("wrong_compact", {10007},
                    {{"none", Reason::none},
                     {"missing_barrier", Reason::missing_barrier},
                     {"unordered", Reason::missing_barrier},
                     {"dropped_tail", Reason::wrong_result},
                     {"wrong_comparison", Reason::wrong_result},
                     {"counts_itself", Reason::wrong_result},
                     {"overwrites_rest", Reason::wrong_result},
                     {"no_count", Reason::unwritten_output}});
}

// What stands beside the sums, with more than one column of x and rows that are padded.
TEST(GemvFused, EveryColumnIsRight) {
  const std::pair<const char*, Facts> asked[] = {
      {"gemv_add_f16", {{"batch", std::int64_t{3}}, {"residual", true}, {"row_stride", std::int64_t{536}}}},
      {"gemv_add_bf16", {{"batch", std::int64_t{2}}, {"residual", false}, {"row_stride", std::int64_t{531}}}},
      {"gemv_swiglu_f16", {{"batch", std::int64_t{2}}, {"row_stride", std::int64_t{536}}}}};
  for (const auto& [name, facts] : asked) {
    Templates templates(name);
    const auto problem = templates.problem({19, 528}, facts);
    templates.expect_right(problem, templates.kernel.space.covering(templates.scope(problem), 12, 3));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Primitive,
                         testing::Values(PrimitiveCase{"gemv_add_f16", {{1, 1}, {37, 131}, {67, 1032}}, 20},
                                         PrimitiveCase{"gemv_swiglu_bf16", {{1, 1}, {37, 131}, {67, 1032}}, 20},
                                         PrimitiveCase{"reduce_f32", {{1}, {1031}, {100003}}, 40},
                                         PrimitiveCase{"scan_f32", {{1}, {259}, {1031}, {100003}}, 28},
                                         PrimitiveCase{"compact_f32", {{1}, {259}, {1031}, {100003}}, 40},
                                         PrimitiveCase{"branch_f32", {{1}, {259}, {1031}, {100003}}, 24},
                                         PrimitiveCase{"strided_f32", {{1}, {259}, {1031}, {100003}}, 40},
                                         PrimitiveCase{"transpose_f32", {{1, 1}, {129, 257}, {5, 1031}, {192, 64}}, 40},
                                         PrimitiveCase{"matmul_f32", {{1, 1, 1}, {37, 65, 131}, {129, 260, 36}}, 24},
                                         PrimitiveCase{"matmul_f16", {{1, 1, 1}, {37, 65, 131}, {129, 136, 40}}, 6},
                                         PrimitiveCase{
                                             "matmul_f16_wgmma", {{1, 1, 1}, {37, 65, 131}, {130, 264, 400}}, 9}),
                         [](const auto& of) { return std::string(of.param.kernel); });

std::string file_name(const testing::TestParamInfo<PrimitiveCase>& of) {
  const std::string path = of.param.kernel;
  return path.substr(path.rfind('/') + 1);
}

// What these probes did is seen in their results: nothing that is counted can have been left out.
INSTANTIATE_TEST_SUITE_P(Probes, Primitive,
                         testing::Values(PrimitiveCase{"probes/probe_shared", {{32768, 3}}, 8},
                                         PrimitiveCase{"probes/probe_l1", {{32768, 3}}, 8},
                                         PrimitiveCase{"probes/probe_l2", {{393216, 2}}, 8},
                                         PrimitiveCase{"probes/probe_latency_register", {{1, 768}}, 1},
                                         PrimitiveCase{"probes/probe_latency_constant", {{1, 768}}, 1},
                                         PrimitiveCase{"probes/probe_latency_shared", {{1024, 768}}, 1},
                                         PrimitiveCase{"probes/probe_latency_l1", {{128, 768}, {1024, 768}}, 1},
                                         PrimitiveCase{"probes/probe_latency_l2", {{4096, 1280}}, 1},
                                         PrimitiveCase{"probes/probe_latency_memory", {{4096, 1280}}, 1},
                                         PrimitiveCase{"probes/probe_fma_f32", {{1024, 1536}}, 4},
                                         PrimitiveCase{"probes/probe_fma_f16", {{1024, 1024}, {1024, 1536}}, 4},
                                         PrimitiveCase{"probes/probe_fma_f64", {{1024, 1536}}, 4},
                                         PrimitiveCase{"probes/probe_mma_f16", {{32, 32}}, 4},
                                         PrimitiveCase{"probes/probe_wgmma_f16", {{2, 1}, {4, 3}}, 2}),
                         file_name);

}  // namespace
}  // namespace tuner::test
