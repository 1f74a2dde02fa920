// Finished problems when the template has changed since.
#include "tune/finished.h"

#include "unit/tune/tune_fixture.h"

namespace tuner::tune {
namespace {

using Finished = TuneProblem;

void write_template(const fs::path& folder, const std::string& body) {
  std::ofstream(folder / "fake.cu") << "extern \"C\" __global__ void gemv() {" << body << "}\n";
}

TEST_F(Finished, TheSameBinaryHoldsAndAnotherIsSaid) {
  store::Store store = database();
  run({"fast", "close"}, store, {});
  const auto warnings_with = [&](const std::string& cubin_hash) {
    Session here = session();
    for (const auto& source : render_all(planned({"fast"}), enumerate(planned({"fast"}), here.gpu()), here.gpu())) {
      Artifact artifact = fake_artifact("gemv@5");
      artifact.cubin_hash = cubin_hash;
      here.builder->adopt(source.hash, artifact);
    }
    Warnings warnings;
    check_finished({planned({})}, "plain", here, store, warnings);
    return warnings.texts;
  };
  write_template(folder_, "  /* a comment is no change */ ");
  EXPECT_TRUE(warnings_with("other").empty());
  write_template(folder_, "int mended;");
  EXPECT_TRUE(warnings_with("gemv@5.0").empty());  // fast's binary
  ASSERT_EQ(warnings_with("other").size(), 1U);
  EXPECT_EQ(warnings_with("other")[0],
            "1 finished problem was tuned with another template, manifest or NVRTC; --again repeats it");
}

class FinishedBefore : public TuneProblem {
 protected:
  bool finished(const std::vector<std::string>& kinds, bool emulated = false, const Overrules& overrules = {}) {
    return is_finished(planned(kinds), "plain", session().gpu(), emulated, overrules, database());
  }
};

TEST_F(FinishedBefore, IsWhatWasTriedAndNoMore) {
  EXPECT_FALSE(finished({"fast"}));
  {
    store::Store store = database();
    run({"fast", "twin", "wrong", "close"}, store, {});
  }
  EXPECT_TRUE(finished({"fast", "twin", "wrong", "close"}));  // a duplicate and a rejected one were tried too
  EXPECT_TRUE(finished({"close"}));
  EXPECT_FALSE(finished({"close", "slow"}));
  EXPECT_FALSE(finished({"slow"}));
  store::Store store = database();
  run({"slow"}, store, {});
  EXPECT_TRUE(finished({"slow", "fast"}));  // by one sweep or another
}

TEST_F(FinishedBefore, ASweepOfOthersLeavesNoSlowerAnswer) {
  store::Store store = database();
  const ProblemDone first = run({"fast", "close"}, store, {});
  Request request;
  request.with_winner = true;
  const ProblemDone second = run({"slow", "default_one"}, store, request, {"fast"});
  EXPECT_EQ(second.trials.size(), 3U);
  EXPECT_EQ(second.result.winner, trial(second, "fast").id) << report(second);
  EXPECT_NE(second.result.winner, first.result.winner);  // in the same rounds as the others
  store::Forbid forbid;
  forbid.params.params = {{"kind", Name{"fast"}}};
  request.overrules.forbids = {forbid};
  const ProblemDone third = run({"slow", "default_one"}, store, request);
  EXPECT_EQ(third.result.winner, trial(third, "default_one").id) << report(third);
}

TEST_F(FinishedBefore, ForbiddenIsNotMissingAndAPinIs) {
  {
    store::Store store = database();
    run({"fast"}, store, {});
  }
  Overrules overrules;
  store::Forbid forbid;
  forbid.kernel = "fake";
  forbid.params.params = {{"kind", Name{"slow"}}};
  overrules.forbids = {forbid};
  EXPECT_TRUE(finished({"fast", "slow"}, false, overrules));
  store::Pin pin;
  pin.problem = planned({}).problem;
  pin.config.params = {{"kind", Name{"close"}}, {"block_size", std::int64_t{32}}};
  overrules.pins = {pin};
  EXPECT_FALSE(finished({"fast"}, false, overrules));
}

TEST_F(FinishedBefore, AnotherTemplateIsRunAgainOnTheHostDeviceAlone) {
  {
    store::Store store = database();
    run({"fast", "close"}, store, {});
  }
  EXPECT_TRUE(finished({"fast"}, true));
  write_template(folder_, "  /* a comment is no change */ ");
  EXPECT_TRUE(finished({"fast"}, true));
  write_template(folder_, "int mended;");
  EXPECT_FALSE(finished({"fast"}, true));
  EXPECT_TRUE(finished({"fast"}, false));  // check_finished has a word
  {
    store::Store store = database();
    run({"fast"}, store, {});
  }
  EXPECT_TRUE(finished({"fast"}, true));
  EXPECT_FALSE(finished({"close"}, false));  // with the present template it was not tried
}

TEST_F(FinishedBefore, AResultWithoutItsTrialsIsWhatItCounted) {
  store::Store store = database();
  const ProblemDone done = run({"fast"}, store, {});
  ProblemResult result = done.result;
  result.candidates = 3;  // as a results file says it, with the winner alone
  store.save_result(store.run_of_trial(result.winner)->id, result);
  EXPECT_TRUE(finished({"close", "slow", "twin"}));
  EXPECT_FALSE(finished({"close", "slow", "twin", "fast"}));
}

}  // namespace
}  // namespace tuner::tune
