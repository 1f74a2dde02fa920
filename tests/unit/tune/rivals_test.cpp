// Kernels of ours that are baselines of others.
#include "tune/rivals.h"

#include "compile/render.h"

#include "unit/tune/tune_fixture.h"

namespace tuner::tune {
namespace {

class Rivals : public TuneProblem {
 protected:
  void SetUp() override {
    TuneProblem::SetUp();
    std::string text = fake_manifest;
    text.replace(text.find("kernel: fake"), 12, "kernel: other");
    other_ = spec::parse_kernel(text, (folder_ / "other.yaml").string());
    kernel_.rivals = {"other"};
  }

  Known known(const std::string& kind, const std::string& match) const {
    Config config;
    config.params = {{"kind", Name{kind}}, {"block_size", std::int64_t{32}}};
    return {&other_, spec::make_problem(other_, {8, 64}, {}, ""), config, match};
  }

  // A sweep in which `known_of` answers for the rival.
  ProblemDone run_beside(const KnownOf& known_of) {
    Session here = session();
    adopt(here, planned({"fast", "close"}));
    for (const auto& [kind, image] : fake_images) {
      Artifact artifact = fake_artifact(image);
      artifact.cubin_hash = image;
      artifact.kernels = {{"gemv", "gemv", 32, 0, 0, 0, {}}};
      const Known each = known(kind, "");
      here.builder->adopt(compile::render(other_, each.config, each.problem, here.gpu()).hash, artifact);
    }
    store::Store store = database();
    ProblemContext context{here, store, warnings_, nullptr, store.begin_run(here.facts), 1, 1, [] { return false; }};
    context.known_of = &known_of;
    return tune_problem(planned({"fast", "close"}), context);
  }

  spec::KernelSpec other_;
};

TEST_F(Rivals, AreTimedWithWhatIsKnownOfThem) {
  const ProblemDone exact =
      run_beside([&](const std::string& name, const Problem& like, const std::string& regime, const GpuFacts&) {
        EXPECT_EQ(regime, "plain");
        EXPECT_EQ(name, "other");
        EXPECT_EQ(like.dims, (std::vector<std::int64_t>{8, 64}));
        return std::optional(known("default_one", "exact"));
      });
  ASSERT_EQ(exact.result.baselines.size(), 1U);
  EXPECT_EQ(exact.result.baselines[0].name, "other");
  EXPECT_EQ(exact.result.baselines[0].detail, "exact: kind=default_one block_size=32");
  EXPECT_NEAR(exact.result.baselines[0].time_us, 8, 0.5);
  EXPECT_TRUE(warnings_.texts.empty());
}

TEST_F(Rivals, SayWhenNothingIsStoredOfThem) {
  const ProblemDone done = run_beside([&](auto&&...) { return std::optional(known("slow", "default")); });
  ASSERT_EQ(done.result.baselines.size(), 1U);
  EXPECT_EQ(done.result.baselines[0].name, "other (default)");
}

TEST_F(Rivals, ThatAreWrongOrNotThereAreLeftOut) {
  EXPECT_TRUE(run_beside([&](auto&&...) { return std::optional(known("wrong", "default")); }).result.baselines.empty());
  ASSERT_EQ(warnings_.texts.size(), 1U);
  EXPECT_NE(warnings_.texts[0].find("the baseline other (default) is left out: it is wrong"), std::string::npos);
  EXPECT_TRUE(run_beside([](auto&&...) { return std::optional<Known>(); }).result.baselines.empty());
  ASSERT_EQ(warnings_.texts.size(), 2U);
  EXPECT_EQ(warnings_.texts[1], "the baseline other is left out: there is no such kernel, or nothing legal here");
}

}  // namespace
}  // namespace tuner::tune
