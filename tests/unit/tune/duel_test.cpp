// Two configurations against each other, in real worker processes on a fake device.
#include "tune/compare.h"

#include "unit/tune/tune_fixture.h"

namespace tuner::tune {
namespace {

class DuelOfTwo : public TuneProblem {
 protected:
  Contender contender(const std::string& kind) const {
    Contender one{planned({kind}), {}};
    one.config.params = {{"kind", Name{kind}}, {"block_size", std::int64_t{32}}};
    return one;
  }

  Duel fight(const std::string& a, const std::string& b, DuelOptions options = {}) {
    Session here = session();
    adopt(here, planned({a, b}));
    options.rules.fail_if_slower = 0.02;
    const Duel result = duel(contender(a), contender(b), here, options);
    workers_ = here.bench->epoch();
    return result;
  }
};

TEST_F(DuelOfTwo, EachPlacementHasAWorkerOfItsOwn) {
  const Duel result = fight("fast", "default_one");
  ASSERT_TRUE(result.timed) << result.failure << result.a.detail << result.b.detail;
  EXPECT_EQ(result.result.finding, measure::Finding::slower);
  EXPECT_EQ(result.result.gate, measure::Gate::tripped);
  EXPECT_NEAR(result.result.ratio.ratio, 1.6, 0.05);
  EXPECT_NEAR(result.result.a_us, 5, 0.3);
  EXPECT_NEAR(result.result.b_us, 8, 0.5);
  EXPECT_EQ(workers_, result.result.batches);
  EXPECT_GE(workers_, 3);
  EXPECT_FALSE(result.same_binary);
}

TEST_F(DuelOfTwo, TheOtherWayRoundItIsFaster) {
  EXPECT_EQ(fight("default_one", "fast").result.finding, measure::Finding::faster);
}

TEST_F(DuelOfTwo, TheSameBinaryIsSaidToBe) {
  const Duel measured = fight("fast", "twin");
  EXPECT_TRUE(measured.same_binary);
  EXPECT_TRUE(measured.timed);
  EXPECT_NE(measured.result.gate, measure::Gate::tripped);
  DuelOptions changed;
  changed.only_changed = true;
  EXPECT_FALSE(fight("fast", "twin", changed).timed);
  EXPECT_TRUE(fight("fast", "close", changed).timed);
}

TEST_F(DuelOfTwo, WhatIsNotRightIsNotTimed) {
  for (const std::string wrong : {"wrong", "crash", "wrong_timed"}) {
    const Duel of_b = fight("fast", wrong);
    EXPECT_FALSE(of_b.timed) << wrong;
    EXPECT_TRUE(of_b.a.ok()) << wrong;
    EXPECT_FALSE(of_b.b.ok()) << wrong;
    const Duel of_a = fight(wrong, "fast");
    EXPECT_FALSE(of_a.timed) << wrong;
    EXPECT_FALSE(of_a.a.ok()) << wrong;
    EXPECT_TRUE(of_a.b.ok()) << wrong;
  }
}

TEST_F(DuelOfTwo, WhoLosesTheWorkerAloneIsCharged) {
  for (const bool of_b : {true, false}) {
    const Duel result = of_b ? fight("fast", "dies_timed") : fight("dies_timed", "fast");
    EXPECT_FALSE(result.timed);
    EXPECT_EQ(result.a.ok(), of_b);
    EXPECT_EQ(result.b.ok(), !of_b);
    EXPECT_EQ((of_b ? result.b : result.a).reason, Reason::worker_lost);
    EXPECT_TRUE(result.failure.empty());
  }
}

TEST_F(DuelOfTwo, AStopEndsIt) {
  DuelOptions stopped;
  stopped.stop = [] { return true; };
  EXPECT_THROW(fight("fast", "close", stopped), Interrupted);
}

}  // namespace
}  // namespace tuner::tune
