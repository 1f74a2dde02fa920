#include "search/replay.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "unit/search/domains.h"

namespace tuner::search::test {
namespace {

namespace fs = std::filesystem;

MakeStrategy strategy(const std::string& name) {
  return [name](const Domain& domain, std::uint64_t seed) { return make_strategy(name, domain, seed); };
}

// Asks for what it is given, and keeps what it is told.
class Scripted : public Strategy {
 public:
  Scripted(std::vector<Point> points, std::vector<Outcome>& told) : points_(std::move(points)), told_(told) {}
  std::vector<Point> ask(std::size_t most) override {
    EXPECT_LE(most, 2U);
    if (next_ == points_.size()) return {};
    return {points_[next_++]};
  }
  void tell(const std::vector<Outcome>& outcomes) override {
    told_.insert(told_.end(), outcomes.begin(), outcomes.end());
  }

 private:
  std::vector<Point> points_;
  std::vector<Outcome>& told_;
  std::size_t next_ = 0;
};

TEST(Replay, CountsWhatIsTriedUntilOneIsGoodEnough) {
  const Recording recording = sample_recording();
  const Replay replay(recording);
  std::vector<Outcome> told;
  const std::vector<Point> points{{1, 7, 4, 0}, {0, 0, 0, inactive}, {1, 3, 5, 2}, {0, 1, 1, inactive}};
  ReplayOptions options;
  options.repeats = 1;
  options.at_once = 2;
  const auto make = [&](const Domain&, std::uint64_t) { return std::make_unique<Scripted>(points, told); };
  const auto reached = replay.run(make, options);
  ASSERT_EQ(reached.size(), 1U);
  EXPECT_TRUE(reached[0].reached);
  EXPECT_EQ(reached[0].trials, 3);
  EXPECT_DOUBLE_EQ(reached[0].seconds, 1.5);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_FALSE(told[0].good());
  EXPECT_DOUBLE_EQ(told[1].ratio, 1) << "of the first that is any good";
}

TEST(Replay, StopsAtItsBudget) {
  const Recording recording = sample_recording();
  const Replay replay(recording);
  ReplayOptions options;
  options.repeats = 3;
  options.trials = 4;
  for (const Reached& one : replay.run(strategy("exhaustive"), options)) {
    EXPECT_FALSE(one.reached);
    EXPECT_EQ(one.trials, 4);
  }
}

TEST(Replay, QuantilesCountThoseThatNeverCameThere) {
  std::vector<Reached> all(10);
  for (std::size_t i = 0; i < 6; ++i) all[i] = {true, 10.0 * static_cast<double>(i + 1), 0};
  EXPECT_EQ(quantile_of(all, &Reached::trials, 0.5), 50);
  EXPECT_EQ(quantile_of(all, &Reached::trials, 0.6), 60);
  EXPECT_TRUE(std::isinf(quantile_of(all, &Reached::trials, 0.9)));
}

// The recordings of this tree, and those of others where they are here.
std::vector<std::string> recordings() {
  std::vector<std::string> paths;
  const char* elsewhere = std::getenv("TUNER_REPLAYS");
  for (const std::string& folder :
       {std::string(TUNER_SOURCE_DIR) + "/tests/replays", std::string(elsewhere ? elsewhere : "")}) {
    std::error_code error;
    for (const auto& file : fs::directory_iterator(folder, error)) {
      const std::string name = file.path().filename().string();
      if (name.find(".json") != std::string::npos) paths.push_back(file.path().string());
    }
  }
  return paths;
}

// The bar that the default strategy is held to: half of what random takes, in the middle and at the tail. A few repeats
// are enough to see that it is far below it; `tuner replay` tells how far.
TEST(Replay, TheDefaultStrategyTakesHalfOfRandom) {
  const std::vector<std::string> paths = recordings();
  if (paths.empty()) GTEST_SKIP() << "needs recorded sweeps";
  double middle = 0, tail = 0;
  for (const std::string& path : paths) {
    const Recording recording = read_recording(path);
    const Replay replay(recording);
    ReplayOptions options;
    options.repeats = 12;
    const auto searched = replay.run(strategy(default_strategy), options);
    options.repeats = 100;
    const auto drawn = replay.run(strategy("random"), options);
    middle += std::log(quantile_of(searched, &Reached::trials, 0.5) / quantile_of(drawn, &Reached::trials, 0.5));
    tail += std::log(quantile_of(searched, &Reached::trials, 0.9) / quantile_of(drawn, &Reached::trials, 0.9));
  }
  const auto count = static_cast<double>(paths.size());
  EXPECT_LE(std::exp(middle / count), 0.5);
  EXPECT_LE(std::exp(tail / count), 0.5);
}

}  // namespace
}  // namespace tuner::search::test
