// Local search with restarts: from the best of a few drawn points to any better neighbour, until there is none.
#include "search/climber.h"
#include "search/strategies.h"

namespace tuner::search {
namespace {

constexpr std::size_t starts = 5;

class Local : public Strategy {
 public:
  Local(const Domain& domain, std::uint64_t seed) : random_(seed), climber_(domain, tried_, random_, starts) {}

  std::vector<Point> ask(std::size_t most) override {
    std::vector<Point> asked;
    while (asked.size() < most) {
      auto point = climber_.next();
      if (!point) break;
      asked.push_back(std::move(*point));
    }
    return asked;
  }

  void tell(const std::vector<Outcome>& outcomes) override {
    for (const Outcome& outcome : outcomes) {
      const bool given = tried_.mark(outcome.point);
      tried_.tell(outcome);
      if (given && outcome.good())
        climber_.move_to(outcome);
      else
        climber_.tell(outcome);
    }
  }

 private:
  Random random_;
  Tried tried_;
  Climber climber_;
};

}  // namespace

std::unique_ptr<Strategy> make_local(const Domain& domain, std::uint64_t seed) {
  return std::make_unique<Local>(domain, seed);
}

}  // namespace tuner::search
