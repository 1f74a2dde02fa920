#include "templates.h"

#include <gtest/gtest.h>

#include "compile/render.h"

namespace tuner::test {
namespace {

measure::PrepareOptions with_reference(const spec::KernelSpec& kernel, device::Device& device) {
  measure::PrepareOptions options;
  if (kernel.reference.kind != ReferencePlan::Kind::kernel) return options;
  const auto artifacts = build({compile::render_reference(kernel)});
  EXPECT_TRUE(artifacts.front().ok()) << artifacts.front().log;
  options.reference.module = device.load(artifacts.front());
  return options;
}

}  // namespace

Templates::Templates(const std::string& name, const std::string& folder, const std::string& regime)
    : kernel(spec::in_regime(spec::read_kernel(TUNER_SOURCE_DIR "/" + folder + "/" + name + ".yaml"), regime, "test")),
      device(device::open_host()) {
  compile::set_include_folders({TUNER_SOURCE_DIR "/kernel_templates/include"});
  options_ = with_reference(kernel, *device);
}

std::vector<compile::Source> Templates::build_all(const Problem& problem, const std::vector<Config>& configs) {
  std::vector<compile::Source> sources, fresh;
  for (const Config& config : configs) {
    sources.push_back(compile::render(kernel, config, problem, device->facts()));
    if (built_.emplace(sources.back().hash, Artifact{}).second) fresh.push_back(sources.back());
  }
  const auto artifacts = build(fresh);
  for (std::size_t i = 0; i < fresh.size(); ++i) built_[fresh[i].hash] = artifacts[i];
  return sources;
}

std::vector<Artifact> Templates::artifacts(const Problem& problem, const std::vector<Config>& configs) {
  std::vector<Artifact> all;
  for (const compile::Source& source : build_all(problem, configs)) all.push_back(built_[source.hash]);
  return all;
}

std::vector<Verdict> Templates::verdicts(const Problem& problem, const std::vector<Config>& configs,
                                         std::int64_t misalign) {
  const GpuFacts& gpu = device->facts();
  const auto sources = build_all(problem, configs);
  Workload workload = spec::workload_of(kernel, problem, gpu);
  workload.misalign_elements = misalign;
  measure::Prepared prepared(*device, workload, options_);
  std::vector<Verdict> verdicts;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const Artifact& artifact = built_[sources[i].hash];
    EXPECT_TRUE(artifact.ok()) << artifact.log;
    if (!artifact.ok()) return {};
    const auto module = device->load(artifact);
    const Execution execution = spec::resolve(kernel, problem, configs[i], gpu);
    const measure::Candidate candidate{module, &execution, spec::chain_of(kernel, problem, configs[i], gpu),
                                       spec::deterministic(kernel, problem, configs[i], gpu)};
    verdicts.push_back(
        measure::verify_all(*device, prepared, candidate, {}, device::Clock::now() + std::chrono::minutes(2)).verdict);
    device->unload(module);
  }
  return verdicts;
}

void Templates::expect_right(const Problem& problem, const std::vector<Config>& configs, std::int64_t misalign) {
  const auto found = verdicts(problem, configs, misalign);
  ASSERT_FALSE(found.empty());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_TRUE(found[i].ok()) << configs[i].label() << " at " << shape_text(problem.dims) << " "
                               << facts_key(problem.facts) << ": " << found[i].detail;
}

void expect_rejections(const std::string& name, const std::vector<std::int64_t>& dims,
                       const std::vector<std::pair<std::string, Reason>>& reasons) {
  Templates templates(name, "tests/kernels");
  const auto problem = templates.problem(dims);
  const auto configs = templates.kernel.space.all(templates.scope(problem));
  const auto found = templates.verdicts(problem, configs);
  ASSERT_EQ(found.size(), reasons.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(to_text(*configs[i].find("fault")), reasons[i].first);
    EXPECT_EQ(to_text(found[i].reason), to_text(reasons[i].second)) << configs[i].label() << ": " << found[i].detail;
  }
}

}  // namespace tuner::test
