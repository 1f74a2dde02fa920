// Points drawn without looking at what became of others: what every strategy has to beat.
#include "search/strategies.h"
#include "search/tried.h"

namespace tuner::search {
namespace {

class Drawing : public Strategy {
 public:
  Drawing(const Domain& domain, std::uint64_t seed) : domain_(domain), random_(seed) {}

  std::vector<Point> ask(std::size_t most) override {
    std::vector<Point> asked;
    while (asked.size() < most) {
      auto point = tried_.fresh(domain_, random_);
      if (!point) break;
      tried_.mark(*point);
      asked.push_back(std::move(*point));
    }
    return asked;
  }
  void tell(const std::vector<Outcome>& outcomes) override {
    for (const Outcome& outcome : outcomes) tried_.mark(outcome.point);
  }

 private:
  const Domain& domain_;
  Random random_;
  Tried tried_;
};

}  // namespace

std::unique_ptr<Strategy> make_random(const Domain& domain, std::uint64_t seed) {
  return std::make_unique<Drawing>(domain, seed);
}

}  // namespace tuner::search
