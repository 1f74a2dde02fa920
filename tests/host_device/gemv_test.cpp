// The GEMV templates give right results at problems that no tile divides, for a covering set of their configurations:
// exact sums of small integers, compared bit for bit with a double-precision reference.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "compile/render.h"
#include "core/number.h"
#include "spec/resolve.h"
#include "support.h"

namespace tuner::test {
namespace {

struct Case {
  std::int64_t rows, columns, row_stride, batch, misalign;  // misalign: elements off a 256-byte boundary
  const char* y;                                            // empty: the kernel's own type
  std::size_t configurations;                               // at most
};

constexpr std::size_t many = 40;
constexpr std::size_t some = 25;

// A source is built once for all that share the facts but the row stride.
constexpr Case cases[] = {
    {1, 1, 1, 1, 0, "", many},        {5, 7, 9, 1, 0, "", many},         {37, 129, 131, 1, 1, "", many},
    {18, 1000, 1008, 1, 0, "", many}, {66, 520, 520, 1, 8, "", many},    {7, 1030, 1032, 1, 0, "", many},
    {9, 514, 515, 1, 3, "", many},    {129, 33, 40, 1, 0, "", many},     {5, 8203, 8208, 1, 0, "", many},
    {3, 4099, 4099, 1, 0, "", many},  {6, 2056, 2056, 1, 16, "", many},  {7, 1030, 1032, 3, 0, "", some},
    {9, 514, 515, 2, 3, "f32", some}, {31, 264, 264, 8, 0, "f64", some}, {4, 2056, 2056, 9, 0, "f32", some},
    {5, 1024, 1032, 1, 0, "", some},  {19, 2880, 2880, 1, 8, "", some},
};

// Every second bit pattern of a buffer that is read before it is written would be a NaN.
constexpr int poison = 0xff;

class Gemv : public testing::TestWithParam<const char*> {};

struct Planned {
  const Case* at = nullptr;
  Problem problem;
  Config config;
};

class Data {
 public:
  Data(device::Device& device, const spec::KernelSpec& kernel, const Planned& planned, const GpuFacts& gpu,
       device::Placement placement)
      : device_(device), execution_(spec::resolve(kernel, planned.problem, planned.config, gpu)), at_(*planned.at) {
    for (const Argument& argument : execution_.arguments) {
      if (!argument.is_buffer) {
        bindings_.push_back(0);
        continue;
      }
      const std::int64_t shift = at_.misalign * size_of(argument.type);
      const std::int64_t slack = placement == device::Placement::ends_at_fault ? (-(shift + argument.bytes()) & 15) : 0;
      blocks_.push_back(device.allocate(shift + argument.bytes() + slack, placement));
      bindings_.push_back(blocks_.back() + static_cast<device::Address>(shift));
      device.set(bindings_.back(), argument.role == Role::zeroed ? 0 : poison, argument.bytes());
      if (argument.role == Role::weight || argument.role == Role::activation)
        device.fill(bindings_.back(),
                    {argument.type, argument.elements, argument.role == Role::weight ? 11u : 12u, true});
    }
  }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  ~Data() {
    for (const auto block : blocks_) device_.release(block);
  }

  device::RunResult run(device::ModuleId module, std::uint64_t order_seed) {
    device::RunOptions options;
    options.order_seed = order_seed;
    return device_.run({module, &execution_, bindings_}, options, device::Clock::now() + std::chrono::seconds(60));
  }

  std::vector<double> values(const std::string& name) const {
    for (std::size_t i = 0; i < execution_.arguments.size(); ++i) {
      const Argument& argument = execution_.arguments[i];
      if (argument.name != name) continue;
      std::vector<std::byte> bytes(static_cast<std::size_t>(argument.bytes()));
      device_.download(bindings_[i], bytes);
      std::vector<double> all;
      for (std::int64_t e = 0; e < argument.elements; ++e)
        all.push_back(decode(argument.type, bytes.data() + e * size_of(argument.type)));
      return all;
    }
    return {};
  }

  // What is wrong with y; empty: nothing.
  std::string wrong() const {
    const auto a = values("A"), x = values("x"), y = values("y");
    const Type type = execution_.arguments[2].type;
    for (std::int64_t b = 0; b < at_.batch; ++b) {
      for (std::int64_t row = 0; row < at_.rows; ++row) {
        double sum = 0;
        for (std::int64_t n = 0; n < at_.columns; ++n)
          sum +=
              a[static_cast<std::size_t>(row * at_.row_stride + n)] * x[static_cast<std::size_t>(b * at_.columns + n)];
        const double got = y[static_cast<std::size_t>(b * at_.rows + row)];
        if (!(got == rounded(type, sum)))
          return "y[" + std::to_string(b) + "][" + std::to_string(row) + "] is " + std::to_string(got) + ", not " +
                 std::to_string(sum);
      }
    }
    return {};
  }

 private:
  device::Device& device_;
  Execution execution_;
  Case at_;
  std::vector<device::Address> blocks_;
  device::Bindings bindings_;
};

Problem problem_at(const spec::KernelSpec& kernel, const Case& at) {
  Facts facts{{"batch", at.batch}, {"row_stride", at.row_stride}};
  if (at.y[0] != '\0') facts.emplace_back("y", Name{at.y});
  return spec::make_problem(kernel, {at.rows, at.columns}, facts, "test");
}

// Each case and its covering set, and every source among them once.
struct Plan {
  std::vector<Planned> planned;
  std::vector<std::size_t> source_of;
  std::vector<compile::Source> sources;

  // Of the types that share a template, one has each case's whole covering set, the others half of it, all in the long
  // tests.
  Plan(const spec::KernelSpec& kernel, const GpuFacts& gpu) {
    const std::size_t part = kernel.name == "gemv_f16" || std::getenv("TUNER_LONG_TESTS") != nullptr ? 1 : 2;
    std::map<std::string, std::size_t> known;
    for (const Case& at : cases) {
      const Problem problem = problem_at(kernel, at);
      for (const Config& config :
           kernel.space.covering(spec::base_scope(kernel, problem, gpu), at.configurations / part, 7)) {
        auto source = compile::render(kernel, config, problem, gpu_of_arch(90));
        const auto [at_source, fresh] = known.emplace(source.hash, sources.size());
        if (fresh) sources.push_back(std::move(source));
        planned.push_back({&at, problem, config});
        source_of.push_back(at_source->second);
      }
    }
  }
};

TEST_P(Gemv, IsRightWhereNoTileDivides) {
  const auto kernel = spec::read_kernel(std::string(TUNER_SOURCE_DIR "/kernel_templates/") + GetParam() + ".yaml");
  const auto device = device::open_host();
  const Plan plan(kernel, device->facts());
  const auto artifacts = build(plan.sources);
  std::map<std::string, int> variants;
  for (std::size_t i = 0; i < plan.planned.size(); ++i) {
    const Planned& planned = plan.planned[i];
    const Artifact& artifact = artifacts[plan.source_of[i]];
    ASSERT_TRUE(artifact.ok()) << planned.config.label() << "\n" << artifact.log;
    const auto module = device->load(artifact);
    for (const auto placement : {device::Placement::ends_at_fault, device::Placement::starts_at_fault}) {
      Data data(*device, kernel, planned, device->facts(), placement);
      const auto ran = data.run(module, placement == device::Placement::ends_at_fault ? 0 : i + 1);
      const std::string where = planned.config.label() + " at " + shape_text(planned.problem.dims) + " " +
                                facts_key(planned.problem.facts) + " misaligned by " +
                                std::to_string(planned.at->misalign);
      ASSERT_EQ(ran.reason, Reason::none) << where << ": " << ran.detail;
      ASSERT_EQ(data.wrong(), "") << where;
    }
    device->unload(module);
    ++variants[to_text(*planned.config.find("variant"))];
  }
  EXPECT_EQ(variants.size(), 6u);
}

INSTANTIATE_TEST_SUITE_P(All, Gemv, testing::Values("gemv_f32", "gemv_f16", "gemv_bf16"),
                         [](const auto& chosen) { return std::string(chosen.param); });

// Enough to choose from, without the variants that are only there for comparison.
TEST_P(Gemv, HasAtLeastFiveHundredConfigurations) {
  const auto kernel = spec::read_kernel(std::string(TUNER_SOURCE_DIR "/kernel_templates/") + GetParam() + ".yaml");
  for (const auto& dims : {std::vector<std::int64_t>{1024, 4096}, {3584, 18944}, {128256, 4096}}) {
    const auto problem = spec::make_problem(kernel, dims, {}, "test");
    const space::Partial only{{"variant", {Name{"vec"}, Name{"warp"}, Name{"shared"}, Name{"ring"}}}};
    const auto count = kernel.space.all(spec::base_scope(kernel, problem, gpu_of_arch(90)), only).size();
    EXPECT_GE(count, 520u);
    EXPECT_LE(count, 1000u);
  }
}

}  // namespace
}  // namespace tuner::test
