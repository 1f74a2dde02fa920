// What every strategy has to keep to.
#include <gtest/gtest.h>

#include <set>

#include "search/replay.h"
#include "unit/search/domains.h"

namespace tuner::search::test {
namespace {

class Strategies : public testing::TestWithParam<std::string> {
 protected:
  Outcome outcome_of(const Point& point) const {
    const double time = sample_time(point);
    return {point, time > 0 ? time / 10 : std::nan("")};
  }
  // All that is asked for, at most eight at once.
  std::vector<Point> asked(std::uint64_t seed, const std::vector<Outcome>& given = {}, bool all_bad = false) const {
    const auto strategy = make_strategy(GetParam(), domain_, seed);
    if (!given.empty()) strategy->tell(given);
    std::vector<Point> all;
    for (auto points = strategy->ask(8); !points.empty(); points = strategy->ask(8)) {
      EXPECT_LE(points.size(), 8U);
      std::vector<Outcome> outcomes;
      for (const Point& point : points) outcomes.push_back(all_bad ? Outcome{point} : outcome_of(point));
      all.insert(all.end(), points.begin(), points.end());
      strategy->tell(outcomes);
      if (all.size() > 2 * domain_.listed()->size()) break;
    }
    return all;
  }

  ListedDomain domain_{sample_axes(), sample_points()};
};

TEST_P(Strategies, AskForEveryLegalPointOnce) {
  const std::vector<Point> all = asked(1);
  std::set<Point> different;
  for (const Point& point : all) {
    EXPECT_TRUE(domain_.contains(point));
    EXPECT_TRUE(different.insert(point).second) << config_of(domain_.axes(), point).label();
  }
  EXPECT_EQ(different.size(), domain_.listed()->size());
}

TEST_P(Strategies, GoOnWhereNothingIsAnyGood) {
  const std::vector<Point> all = asked(1, {}, true);
  EXPECT_EQ(std::set<Point>(all.begin(), all.end()).size(), domain_.listed()->size());
  EXPECT_EQ(all.size(), domain_.listed()->size());
}

TEST_P(Strategies, DoNotAskForWhatTheyWereToldBefore) {
  const std::vector<Outcome> given{outcome_of({1, 3, 5, 2}), outcome_of({0, 0, 0, inactive})};
  const std::vector<Point> all = asked(1, given);
  EXPECT_EQ(all.size(), domain_.listed()->size() - given.size());
  for (const Point& point : all)
    for (const Outcome& outcome : given) EXPECT_NE(point, outcome.point);
}

TEST_P(Strategies, RepeatThemselvesBySeed) {
  EXPECT_EQ(asked(7), asked(7));
  EXPECT_EQ(asked(7) == asked(8), GetParam() == "exhaustive");
}

TEST_P(Strategies, AskForNoMoreThanOne) {
  const auto strategy = make_strategy(GetParam(), domain_, 3);
  for (int i = 0; i < 20; ++i) {
    const auto points = strategy->ask(1);
    ASSERT_EQ(points.size(), 1U);
    strategy->tell({outcome_of(points.front())});
  }
}

INSTANTIATE_TEST_SUITE_P(All, Strategies, testing::ValuesIn(strategy_names()),
                         [](const auto& param) { return param.param; });

// Of 280 points, one within 1 %: whoever looks at what became of others finds it sooner.
TEST(StrategiesCompared, AllButTheYardsticksBeatRandom) {
  const Recording recording = sample_recording();
  ASSERT_EQ(recording.within(0.01), 1U);
  const Replay replay(recording);
  ReplayOptions options;
  options.repeats = 40;
  const auto trials = [&](const std::string& name, double q) {
    const auto make = [&](const Domain& domain, std::uint64_t seed) { return make_strategy(name, domain, seed); };
    return quantile_of(replay.run(make, options), &Reached::trials, q);
  };
  const double random = trials("random", 0.5), random_tail = trials("random", 0.9);
  EXPECT_NEAR(random, 140, 50);
  for (const char* name : {"local", "annealing", "genetic", "forest"})
    EXPECT_LT(trials(name, 0.5), 0.75 * random) << name;
  EXPECT_LT(trials("forest", 0.5), 0.3 * random);
  EXPECT_LT(trials("forest", 0.9), 0.3 * random_tail);
}

}  // namespace
}  // namespace tuner::search::test
