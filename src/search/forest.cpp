// What a random forest expects to be good, and now and then a step of a climb. The forest learns which parameters
// matter from few points, and errs where one good point stands among bad ones; climbs that begin anywhere do not.
#include <algorithm>
#include <cmath>

#include "search/climber.h"
#include "search/regression_forest.h"
#include "search/strategies.h"

namespace tuner::search {
namespace {

constexpr std::size_t drawn_first = 6;
constexpr std::size_t climb_every = 3;  // of so many points one is the climb's
constexpr int trees = 20;
constexpr std::size_t pool_size = 1000;  // of drawn points that the forest looks at, beside neighbours of the best
constexpr std::size_t neighbours_of = 5;
constexpr double deviations = 1;          // by which a point may be better than expected
constexpr double told_apart = 0.05;       // shares behind the best: differences far below matter little
constexpr std::size_t asked_of_told = 4;  // at most a fourth of what is known is asked at once

class Forest : public Strategy {
 public:
  Forest(const Domain& domain, std::uint64_t seed)
      : domain_(domain), random_(seed), climber_(domain, tried_, random_, 1) {
    for (const Axis& axis : domain.axes()) ranks_.push_back(axis.ranks());
  }

  std::vector<Point> ask(std::size_t most) override {
    std::vector<Point> asked;
    if (tried_.told().size() < drawn_first) return draw(std::min(most, drawn_first - tried_.told().size()));
    const RegressionForest forest = learn();
    std::vector<std::pair<double, Point>> pool;  // best first
    const std::size_t wanted = std::clamp(tried_.told().size() / asked_of_told, std::size_t{1}, most);
    while (asked.size() < wanted) {
      auto point = ++turn_ % climb_every == 0
                       ? climber_.next([&](const Point& each) { return forest.at(features(each)).mean; })
                       : std::nullopt;
      if (!point) point = expected(forest, pool);
      if (!point) break;
      asked.push_back(std::move(*point));
    }
    return asked;
  }

  void tell(const std::vector<Outcome>& outcomes) override {
    for (const Outcome& outcome : outcomes) {
      tried_.mark(outcome.point);
      tried_.tell(outcome);
      climber_.tell(outcome);
    }
    if (climbing_ || tried_.told().size() < drawn_first) return;
    climbing_ = true;
    for (const std::size_t best : tried_.best(1)) climber_.move_to(tried_.told()[best]);
  }

 private:
  std::vector<Point> draw(std::size_t count) {
    std::vector<Point> drawn;
    while (drawn.size() < count) {
      auto point = tried_.fresh(domain_, random_);
      if (!point) break;
      tried_.mark(*point);
      drawn.push_back(std::move(*point));
    }
    return drawn;
  }

  std::vector<int> features(const Point& point) const {
    std::vector<int> row(point.size());
    for (std::size_t i = 0; i < point.size(); ++i)
      row[i] = point[i] == inactive ? -1 : ranks_[i][static_cast<std::size_t>(point[i])];
    return row;
  }

  // Of how far behind the best they are; what is no good is behind the worst.
  RegressionForest learn() {
    double best = INFINITY, worst = 0;
    for (const Outcome& outcome : tried_.told()) {
      if (!outcome.good()) continue;
      best = std::min(best, outcome.ratio);
      worst = std::max(worst, outcome.ratio);
    }
    const double behind_all = worst > 0 ? 1.1 * std::log(worst / best) + 0.01 : 0;
    std::vector<std::vector<int>> rows;
    std::vector<double> values;
    for (const Outcome& outcome : tried_.told()) {
      rows.push_back(features(outcome.point));
      values.push_back(std::log(told_apart + (outcome.good() ? std::log(outcome.ratio / best) : behind_all)));
    }
    return {rows, values, trees, random_};
  }

  void fill(std::vector<std::pair<double, Point>>& pool, const RegressionForest& forest) {
    const auto add = [&](Point point) {
      const auto estimate = forest.at(features(point));
      pool.emplace_back(estimate.mean - deviations * estimate.deviation + 1e-6 * random_.unit(), std::move(point));
    };
    const std::vector<Point>* all = domain_.listed();
    if (all != nullptr && all->size() <= pool_size) {
      for (const Point& point : *all)
        if (!tried_.has(point)) add(point);
    } else {
      for (std::size_t i = 0; i < pool_size; ++i)
        if (auto point = domain_.draw(random_); point && !tried_.has(*point)) add(std::move(*point));
      for (const std::size_t best : tried_.best(neighbours_of))
        for (Point& point : domain_.neighbours(tried_.told()[best].point, random_))
          if (!tried_.has(point)) add(std::move(point));
    }
    std::sort(pool.begin(), pool.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  }

  // `pool` is filled when it is first needed, the best behind.
  std::optional<Point> expected(const RegressionForest& forest, std::vector<std::pair<double, Point>>& pool) {
    if (pool.empty()) fill(pool, forest);
    while (!pool.empty()) {
      Point point = std::move(pool.back().second);
      pool.pop_back();
      if (tried_.mark(point)) return point;
    }
    auto point = tried_.fresh(domain_, random_);
    if (point) tried_.mark(*point);
    return point;
  }

  const Domain& domain_;
  Random random_;
  Tried tried_;
  Climber climber_;
  std::vector<std::vector<int>> ranks_;  // by parameter and value
  std::size_t turn_ = 0;
  bool climbing_ = false;
};

}  // namespace

std::unique_ptr<Strategy> make_forest(const Domain& domain, std::uint64_t seed) {
  return std::make_unique<Forest>(domain, seed);
}

}  // namespace tuner::search
