// Kernels with one fault each are rejected with the right reason, every time.
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "compile/render.h"
#include "measure/verify.h"
#include "spec/resolve.h"
#include "support.h"

namespace tuner::test {
namespace {

const std::map<std::string, Reason> right_reasons{{"none", Reason::none},
                                                  {"drop_last_element", Reason::wrong_result},
                                                  {"drop_last_vector", Reason::wrong_result},
                                                  {"drop_warp_partial", Reason::wrong_result},
                                                  {"count_twice", Reason::wrong_result},
                                                  {"wrong_tail", Reason::wrong_result},
                                                  {"unwritten", Reason::unwritten_output},
                                                  {"write_past_end", Reason::out_of_bounds},
                                                  {"change_input", Reason::input_changed},
                                                  {"nan", Reason::not_finite},
                                                  {"missing_barrier", Reason::missing_barrier},
                                                  {"divergent_barrier", Reason::divergent_barrier},
                                                  {"hang", Reason::timeout},
                                                  {"illegal_access", Reason::fault},
                                                  {"reads_early", Reason::fault},
                                                  {"writes_early", Reason::fault},
                                                  {"scratch_early", Reason::fault},
                                                  {"never_waits", Reason::fault},
                                                  {"one_thread_waits", Reason::fault}};

// `said`, by fault: what the detail begins with, after where it was.
void expect_rejections(const std::string& name, const std::vector<std::int64_t>& dims,
                       std::chrono::milliseconds deadline, int repeats, const std::string& regime = "plain",
                       const std::map<std::string, std::string>& said = {}) {
  const auto manifest = spec::read_kernel(TUNER_SOURCE_DIR "/tests/kernels/" + name + ".yaml");
  const auto& kernel = spec::in_regime(manifest, regime, "test");
  compile::set_include_folders({TUNER_SOURCE_DIR "/kernel_templates/include"});
  const auto device = device::open_host();
  const GpuFacts& gpu = device->facts();
  const auto problem = spec::make_problem(kernel, dims, {}, "test");
  const auto configs = kernel.space.all(spec::base_scope(kernel, problem, gpu));
  std::vector<compile::Source> sources;
  for (const Config& config : configs) sources.push_back(compile::render(kernel, config, problem, gpu_of_arch(90)));
  const auto artifacts = build(sources);
  measure::Prepared prepared(*device, spec::workload_of(kernel, problem, gpu), {});
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const std::string fault = to_text(*configs[i].find("fault"));
    ASSERT_TRUE(artifacts[i].ok()) << artifacts[i].log;
    const auto module = device->load(artifacts[i]);
    const Execution execution = spec::resolve(kernel, problem, configs[i], gpu);
    const measure::Candidate candidate{module, &execution, spec::chain_of(kernel, problem, configs[i], gpu), true};
    for (int repeat = 0; repeat < repeats; ++repeat) {
      const auto found = measure::verify_all(*device, prepared, candidate, {}, device::Clock::now() + deadline);
      ASSERT_EQ(to_text(found.verdict.reason), to_text(right_reasons.at(fault)))
          << configs[i].label() << ": " << found.verdict.detail;
      const auto wanted = said.find(fault);
      ASSERT_TRUE(wanted == said.end() || found.verdict.detail == wanted->second) << found.verdict.detail;
    }
    device->unload(module);
  }
}

TEST(WrongKernels, AreRejectedEveryTime) {
  constexpr std::chrono::seconds deadline(60);
  expect_rejections("wrong_gemv", {5, 1025}, deadline, 10);
  expect_rejections("wrong_gemv", {3, 14336}, deadline, 2);
  expect_rejections("wrong_gemv", {2, 28675}, deadline, 2);
}

TEST(WrongKernels, ThatTouchWhatThePredecessorWritesAreRejected) {
  constexpr std::chrono::seconds deadline(60);
  const std::map<std::string, std::string> said{
      {"reads_early", "reads x before griddepcontrol.wait in block (0,0,0) thread (0,0,0)"},
      {"writes_early", "writes y before griddepcontrol.wait in block (0,0,0) thread (0,0,0)"},
      {"scratch_early", "writes sums before griddepcontrol.wait in block (0,0,0) thread (0,0,0)"},
      {"never_waits", "reads x before griddepcontrol.wait in block (0,0,0) thread (0,0,0)"},
      {"one_thread_waits", "reads x before griddepcontrol.wait in block (0,0,0) thread (1,0,0)"}};
  expect_rejections("wrong_dependent", {5, 1025}, deadline, 2, "dependent", said);
}

// Elsewhere they do nothing wrong.
TEST(WrongKernels, OfTheDependentRegimeAreRightInThePlainOne) {
  const auto kernel = spec::read_kernel(TUNER_SOURCE_DIR "/tests/kernels/wrong_dependent.yaml");
  compile::set_include_folders({TUNER_SOURCE_DIR "/kernel_templates/include"});
  const auto device = device::open_host();
  const auto problem = spec::make_problem(kernel, {5, 300}, {}, "test");
  const auto config =
      *kernel.space.complete(spec::base_scope(kernel, problem, device->facts()), {{"fault", {Name{"reads_early"}}}});
  const auto source = compile::render(kernel, config, problem, gpu_of_arch(90));
  EXPECT_EQ(source.text.find("TUNER_DEPENDENT 1"), std::string::npos);
  const auto artifact = build({source}).front();
  ASSERT_TRUE(artifact.ok()) << artifact.log;
  measure::Prepared prepared(*device, spec::workload_of(kernel, problem, device->facts()), {});
  const Execution execution = spec::resolve(kernel, problem, config, device->facts());
  const measure::Candidate candidate{device->load(artifact), &execution, 400, true};
  const auto found =
      measure::verify_all(*device, prepared, candidate, {}, device::Clock::now() + std::chrono::seconds(30));
  EXPECT_EQ(to_text(found.verdict.reason), "none") << found.verdict.detail;
}

TEST(WrongKernels, ThatHangOrFaultAreRejected) {
  const auto kernel = spec::read_kernel(TUNER_SOURCE_DIR "/tests/kernels/wrong_crash.yaml");
  EXPECT_EQ(kernel.name, "wrong_crash");
  expect_rejections("wrong_crash", {3, 300}, std::chrono::milliseconds(2000), 1);
}

}  // namespace
}  // namespace tuner::test
