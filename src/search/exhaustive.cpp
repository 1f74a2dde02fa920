// Every point of a list, in its order.
#include <cassert>

#include "search/strategies.h"
#include "search/tried.h"

namespace tuner::search {
namespace {

class Exhaustive : public Strategy {
 public:
  explicit Exhaustive(const Domain& domain) : points_(domain.listed()) { assert(points_ != nullptr); }

  std::vector<Point> ask(std::size_t most) override {
    std::vector<Point> asked;
    for (; asked.size() < most && next_ < points_->size(); ++next_)
      if (tried_.mark((*points_)[next_])) asked.push_back((*points_)[next_]);
    return asked;
  }
  void tell(const std::vector<Outcome>& outcomes) override {
    for (const Outcome& outcome : outcomes) tried_.mark(outcome.point);
  }

 private:
  const std::vector<Point>* points_;
  std::size_t next_ = 0;
  Tried tried_;
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive(const Domain& domain, std::uint64_t) {
  return std::make_unique<Exhaustive>(domain);
}

}  // namespace tuner::search
