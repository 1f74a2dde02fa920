// Simulated annealing: a walk that goes to a worse neighbour the less often the colder it has become.
#include <cmath>

#include "search/strategies.h"
#include "search/tried.h"

namespace tuner::search {
namespace {

// A ratio that is worse by the first is taken every third time at first, by the last hardly ever.
constexpr double first_temperature = 0.1, last_temperature = 0.002;
constexpr double cooling = 0.985;  // a step
constexpr int patience = 60;       // steps in place before the walk begins elsewhere

class Annealing : public Strategy {
 public:
  Annealing(const Domain& domain, std::uint64_t seed) : domain_(domain), random_(seed) {}

  // One: the next step depends on it.
  std::vector<Point> ask(std::size_t most) override {
    if (most == 0) return {};
    while (here_ && temperature_ > last_temperature && stood_ < patience) {
      const std::vector<Point> around = domain_.neighbours(here_->point, random_);
      if (around.empty()) break;
      const Point& point = around[random_.below(around.size())];
      if (tried_.mark(point)) return {point};
      step(Outcome{point, tried_.ratio(point)});
    }
    here_.reset();
    temperature_ = first_temperature;
    stood_ = 0;
    auto point = tried_.fresh(domain_, random_);
    if (!point) return {};
    tried_.mark(*point);
    return {*point};
  }

  void tell(const std::vector<Outcome>& outcomes) override {
    for (const Outcome& outcome : outcomes) {
      tried_.tell(outcome);
      step(outcome);
    }
  }

 private:
  void step(const Outcome& outcome) {
    temperature_ *= cooling;
    ++stood_;
    if (!outcome.good()) return;
    const double worse = here_ ? std::log(outcome.ratio / here_->ratio) : 0;
    if (here_ && worse >= 0 && !random_.chance(std::exp(-worse / temperature_))) return;
    here_ = outcome;
    stood_ = 0;
  }

  const Domain& domain_;
  Random random_;
  Tried tried_;
  std::optional<Outcome> here_;
  double temperature_ = first_temperature;
  int stood_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_annealing(const Domain& domain, std::uint64_t seed) {
  return std::make_unique<Annealing>(domain, seed);
}

}  // namespace tuner::search
