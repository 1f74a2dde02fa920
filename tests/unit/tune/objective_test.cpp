// What wins where something else than the time is the objective.
#include "tune/finished.h"
#include "unit/tune/tune_fixture.h"

namespace tuner::tune {
namespace {

class Objective : public TuneProblem {
 protected:
  void rank_by(const std::string& metric, const std::string& goal) {
    const std::string more = "metrics: {rank: \"" + metric + "\"}\nobjective: {metric: rank, goal: " + goal + "}\n";
    kernel_ = spec::parse_kernel(fake_manifest + more, (folder_ / "fake.yaml").string());
  }
  std::string winner(const ProblemDone& done) const {
    for (const Trial& trial : done.trials)
      if (trial.id == done.result.winner) return to_text(*trial.config.find("kind"));
    return "nobody";
  }
};

const std::vector<std::string> all{"fast", "close", "default_one", "slow"};  // 5, 5.2, 8 and 40 us

TEST_F(Objective, TheLeastWins) {
  rank_by("time_us * (kind == fast ? 2 : 1)", "min");
  store::Store store = database();
  const ProblemDone done = run(all, store, {});
  EXPECT_EQ(winner(done), "close") << report(done);
  EXPECT_NEAR(trial(done, "close").cost, trial(done, "close").time_us, 0.2);
  EXPECT_NEAR(trial(done, "fast").cost, 2 * trial(done, "fast").time_us, 0.2);
  EXPECT_LT(trial(done, "fast").time_us, trial(done, "close").time_us) << "times stay times";
  EXPECT_EQ(trial(done, "slow").status, Status::eliminated);
  ASSERT_EQ(done.metrics.count(done.result.winner), 1U);
  EXPECT_EQ(done.metrics.at(done.result.winner)[0].name, "rank");
}

TEST_F(Objective, TheMostWins) {
  rank_by("(kind == slow ? 100 : 1) / time_s", "max");
  store::Store store = database();
  const ProblemDone done = run(all, store, {});
  EXPECT_EQ(winner(done), "slow") << report(done);
  EXPECT_EQ(trial(done, "close").status, Status::eliminated) << "over three times worse than the leader";
  EXPECT_EQ(trial(done, "default_one").status, Status::measured) << "the default always runs";
}

TEST_F(Objective, TiesAreOfTheObjective) {
  rank_by("time_us * (kind == default_one ? 5 : 8) + 1000", "min");  // 1040, 1040 and 1041.6
  store::Store store = database();
  const ProblemDone done = run({"fast", "default_one", "close"}, store, {});
  EXPECT_EQ(winner(done), "default_one") << report(done);
  EXPECT_EQ(done.result.tied.size(), 3U);
  EXPECT_LE(done.result.noise_floor, 0.005) << "of the objective, most of which is constant";
}

TEST_F(Objective, WhatCannotBeRankedDoesNotRaceAndIsSaid) {
  rank_by("time_us / (kind == fast ? 0 : 1)", "min");
  store::Store store = database();
  const ProblemDone done = run(all, store, {});
  EXPECT_EQ(winner(done), "close") << report(done);
  EXPECT_EQ(trial(done, "fast").status, Status::verified);
  EXPECT_EQ(trial(done, "fast").time_us, 0);
  ASSERT_EQ(warnings_.texts.size(), 1U);
  EXPECT_EQ(warnings_.texts[0],
            "1 configuration is not timed, the objective cannot be computed for it: division by zero in 'time_us / "
            "(kind == fast ? 0 : 1)'");
  rank_by("-time_us", "min");
  const ProblemDone none = run(all, store, {});
  EXPECT_EQ(none.result.winner, 0);
}

TEST_F(Objective, WhoWonByAnotherOneIsNoIncumbent) {
  store::Store store = database();
  EXPECT_EQ(winner(run({"fast", "close"}, store, {})), "fast");
  rank_by("time_us + 10000", "min");
  const std::vector<std::string> kinds{"fast", "close", "default_one"};
  const ProblemDone done = run(kinds, store, {});
  EXPECT_EQ(winner(done), "default_one") << report(done);
  EXPECT_EQ(store.result(session().gpu(), planned(kinds).problem, "plain")->incumbent, 0);
  const ProblemDone again = run(kinds, store, {});
  EXPECT_EQ(store.result(session().gpu(), planned(kinds).problem, "plain")->incumbent, again.result.winner);
}

TEST_F(Objective, IsKeptAndAnotherOneIsNotFinished) {
  rank_by("time_us * (kind == fast ? 2 : 1)", "min");
  store::Store store = database();
  const ProblemDone done = run(all, store, {});
  const auto kept = store.result(session().gpu(), planned(all).problem, "plain");
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->objective, "min rank = time_us * (kind == fast ? 2 : 1)");
  EXPECT_DOUBLE_EQ(store.trial(done.result.winner)->cost, trial(done, "close").cost);
  const auto finished = [&] { return is_finished(planned(all), "plain", session().gpu(), false, {}, store); };
  EXPECT_TRUE(finished());
  rank_by("time_us * (kind == fast ? 3 : 1)", "min");
  EXPECT_FALSE(finished());
  kernel_ = spec::parse_kernel(fake_manifest, (folder_ / "fake.yaml").string());
  EXPECT_FALSE(finished()) << "the time is another objective";
  EXPECT_EQ(winner(run(all, store, {})), "fast");
}

}  // namespace
}  // namespace tuner::tune
