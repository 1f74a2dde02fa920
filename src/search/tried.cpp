#include "search/tried.h"

#include <algorithm>

namespace tuner::search {

void Tried::tell(const Outcome& outcome) {
  ratios_[outcome.point] = outcome.ratio;
  told_.push_back(outcome);
}

std::vector<std::size_t> Tried::best(std::size_t most) const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < told_.size(); ++i)
    if (told_[i].good()) order.push_back(i);
  const std::size_t count = std::min(most, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [this](std::size_t a, std::size_t b) {
                      return told_[a].ratio != told_[b].ratio ? told_[a].ratio < told_[b].ratio : a < b;
                    });
  order.resize(count);
  return order;
}

double Tried::ratio(const Point& point) const {
  const auto known = ratios_.find(point);
  return known == ratios_.end() ? std::numeric_limits<double>::quiet_NaN() : known->second;
}

std::optional<Point> Tried::fresh(const Domain& domain, Random& random) const {
  constexpr int draws = 200;
  for (int i = 0; i < draws; ++i) {
    auto point = domain.draw(random);
    if (!point) return std::nullopt;
    if (!has(*point)) return point;
  }
  if (domain.listed() == nullptr) return std::nullopt;
  std::vector<const Point*> left;
  for (const Point& point : *domain.listed())
    if (!has(point)) left.push_back(&point);
  if (left.empty()) return std::nullopt;
  return *left[random.below(left.size())];
}

}  // namespace tuner::search
