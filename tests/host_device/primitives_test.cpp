// The kernels that are a manifest and a .cu alone: configurations that cover every pair of values are right at sizes
// that nothing divides; those that are wrong by construction are rejected.
#include <gtest/gtest.h>

#include <memory>

#include "compile/render.h"
#include "measure/verify.h"
#include "spec/resolve.h"
#include "support.h"

namespace tuner::test {
namespace {

struct PrimitiveCase {
  const char* kernel;
  std::vector<std::vector<std::int64_t>> shapes;
  std::size_t most;  // configurations
};

class Primitive : public testing::TestWithParam<PrimitiveCase> {};

measure::PrepareOptions with_reference(const spec::KernelSpec& kernel, device::Device& device) {
  measure::PrepareOptions options;
  if (kernel.reference.kind != ReferencePlan::Kind::kernel) return options;
  const auto artifacts = build({compile::render_reference(kernel)});
  EXPECT_TRUE(artifacts.front().ok()) << artifacts.front().log;
  options.reference.module = device.load(artifacts.front());
  return options;
}

TEST_P(Primitive, EveryPairOfValuesIsRight) {
  const auto kernel =
      spec::read_kernel(std::string(TUNER_SOURCE_DIR "/kernel_templates/") + GetParam().kernel + ".yaml");
  compile::set_include_folders({TUNER_SOURCE_DIR "/kernel_templates/include"});
  const auto device = device::open_host();
  const GpuFacts& gpu = device->facts();
  const measure::PrepareOptions options = with_reference(kernel, *device);
  for (const auto& dims : GetParam().shapes) {
    const auto problem = spec::make_problem(kernel, dims, {}, "test");
    const auto configs = kernel.space.covering(spec::base_scope(kernel, problem, gpu), GetParam().most, 1);
    ASSERT_FALSE(configs.empty());
    std::vector<compile::Source> sources;
    for (const Config& config : configs) sources.push_back(compile::render(kernel, config, problem, gpu));
    const auto artifacts = build(sources);
    measure::Prepared prepared(*device, spec::workload_of(kernel, problem, gpu), options);
    for (std::size_t i = 0; i < configs.size(); ++i) {
      ASSERT_TRUE(artifacts[i].ok()) << artifacts[i].log;
      const auto module = device->load(artifacts[i]);
      const Execution execution = spec::resolve(kernel, problem, configs[i], gpu);
      const measure::Candidate candidate{module, &execution, spec::chain_of(kernel, problem, configs[i], gpu),
                                         spec::deterministic(kernel, problem, configs[i], gpu)};
      const auto found = measure::verify(*device, prepared, candidate, measure::Thoroughness::main,
                                         device::Clock::now() + std::chrono::minutes(2));
      EXPECT_TRUE(found.verdict.ok()) << configs[i].label() << " at " << shape_text(dims) << ": "
                                      << found.verdict.detail;
      device->unload(module);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Primitive,
                         testing::Values(PrimitiveCase{"reduce_f32", {{1}, {1031}, {100003}}, 40},
                                         PrimitiveCase{"transpose_f32", {{1, 1}, {129, 257}, {5, 1031}, {192, 64}}, 40},
                                         PrimitiveCase{"matmul_f32", {{1, 1, 1}, {37, 65, 131}, {129, 260, 36}}, 24},
                                         PrimitiveCase{"matmul_f16", {{1, 1, 1}, {37, 65, 131}, {129, 136, 40}}, 6},
                                         PrimitiveCase{
                                             "matmul_f16_wgmma", {{1, 1, 1}, {37, 65, 131}, {130, 264, 400}}, 9}),
                         [](const auto& of) { return std::string(of.param.kernel); });

}  // namespace
}  // namespace tuner::test
