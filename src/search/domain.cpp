#include "search/domain.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace tuner::search {
namespace {

// The only parameter that both have and in which they differ; empty where there is none, or more than one.
std::optional<std::size_t> only_difference(const Point& a, const Point& b) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || a[i] == inactive || b[i] == inactive) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

}  // namespace

std::size_t PointHash::operator()(const Point& point) const {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const int value : point) hash = (hash ^ static_cast<std::uint64_t>(value + 1)) * 0x100000001b3U;
  return static_cast<std::size_t>(hash ^ (hash >> 32U));
}

std::vector<int> Axis::ranks() const {
  std::vector<int> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  const auto is_integer = [](const Value& value) { return std::holds_alternative<std::int64_t>(value); };
  if (!std::all_of(values.begin(), values.end(), is_integer)) return order;
  const auto at = [this](int i) { return std::get<std::int64_t>(values[static_cast<std::size_t>(i)]); };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return at(a) < at(b); });
  std::vector<int> ranks(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) ranks[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  return ranks;
}

Config config_of(const std::vector<Axis>& axes, const Point& point) {
  Config config;
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (point[i] != inactive)
      config.params.emplace_back(axes[i].name, axes[i].values[static_cast<std::size_t>(point[i])]);
  return config;
}

std::optional<Point> point_of(const std::vector<Axis>& axes, const Config& config) {
  Point point(axes.size(), inactive);
  std::size_t found = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Value* value = config.find(axes[i].name);
    if (value == nullptr) continue;
    const auto at = std::find(axes[i].values.begin(), axes[i].values.end(), *value);
    if (at == axes[i].values.end()) return std::nullopt;
    point[i] = static_cast<int>(at - axes[i].values.begin());
    ++found;
  }
  if (found != config.params.size()) return std::nullopt;
  return point;
}

ListedDomain::ListedDomain(std::vector<Axis> axes, std::vector<Point> points)
    : Domain(std::move(axes)), points_(std::move(points)) {
  assert(!points_.empty());
  for (std::size_t i = 0; i < points_.size(); ++i) places_.emplace(points_[i], i);
  assert(places_.size() == points_.size());
}

std::optional<Point> ListedDomain::draw(Random& random) const { return points_[random.below(points_.size())]; }

std::vector<Point> ListedDomain::neighbours(const Point& point, Random& random) const {
  // By parameter and value one of those points, any of them with the same chance.
  struct Found {
    const Point* at = nullptr;
    std::size_t alike = 0;
  };
  std::vector<std::vector<Found>> found;
  for (const Axis& axis : axes()) found.emplace_back(axis.values.size());
  for (const Point& other : points_) {
    const auto differs = only_difference(point, other);
    if (!differs) continue;
    Found& one = found[*differs][static_cast<std::size_t>(other[*differs])];
    if (random.below(++one.alike) == 0) one.at = &other;
  }
  std::vector<Point> neighbours;
  for (const auto& axis : found)
    for (const Found& one : axis)
      if (one.at != nullptr) neighbours.push_back(*one.at);
  return neighbours;
}

}  // namespace tuner::search
