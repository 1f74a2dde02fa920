// A genetic algorithm: the children of good points have of each parameter the value of one of their two parents.
#include <algorithm>
#include <cmath>

#include "search/strategies.h"
#include "search/tried.h"

namespace tuner::search {
namespace {

constexpr std::size_t population = 20;
constexpr int attempts = 30;  // to make a child that is legal and new

class Genetic : public Strategy {
 public:
  Genetic(const Domain& domain, std::uint64_t seed) : domain_(domain), random_(seed) {}

  std::vector<Point> ask(std::size_t most) override {
    std::vector<Point> asked;
    while (asked.size() < most) {
      auto point = tried_.told().size() + asked.size() < population ? std::nullopt : child();
      if (!point) point = tried_.fresh(domain_, random_);
      if (!point) break;
      tried_.mark(*point);
      asked.push_back(std::move(*point));
    }
    return asked;
  }

  void tell(const std::vector<Outcome>& outcomes) override {
    for (const Outcome& outcome : outcomes) tried_.tell(outcome);
    parents_ = tried_.best(population);
  }

 private:
  // The better of two.
  const Point& parent() {
    const std::size_t at = std::min(random_.below(parents_.size()), random_.below(parents_.size()));
    return tried_.told()[parents_[at]].point;
  }

  std::optional<Point> child() {
    if (parents_.size() < 2) return std::nullopt;
    const auto& axes = domain_.axes();
    for (int i = 0; i < attempts; ++i) {
      Point point = parent();
      const Point& other = parent();
      for (std::size_t at = 0; at < point.size(); ++at) {
        if (random_.chance(0.5)) point[at] = other[at];
        if (random_.chance(1.0 / static_cast<double>(point.size())) && point[at] != inactive)
          point[at] = static_cast<int>(random_.below(axes[at].values.size()));
      }
      if (!tried_.has(point) && domain_.contains(point)) return point;
    }
    return std::nullopt;
  }

  const Domain& domain_;
  Random random_;
  Tried tried_;
  std::vector<std::size_t> parents_;  // of tried_.told(), best first
};

}  // namespace

std::unique_ptr<Strategy> make_genetic(const Domain& domain, std::uint64_t seed) {
  return std::make_unique<Genetic>(domain, seed);
}

}  // namespace tuner::search
