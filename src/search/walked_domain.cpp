#include "search/walked_domain.h"

#include <algorithm>

namespace tuner::search {
namespace {

constexpr int draws = 200;  // of values that were not looked at beforehand
constexpr std::size_t most_steps = 20'000;
constexpr std::size_t neighbour_steps = 500;

void keep_only(std::vector<int>& values, int value) {
  const bool there = std::find(values.begin(), values.end(), value) != values.end();
  values.clear();
  if (there) values.push_back(value);
}

}  // namespace

std::vector<Axis> axes_of(const space::Space& space) {
  std::vector<Axis> axes;
  for (const space::Param& param : space.params) axes.push_back({param.name, param.values});
  return axes;
}

WalkedDomain::WalkedDomain(const space::Space& space, const space::Scope& base, const space::Partial& only,
                           Allowed allowed)
    : Domain(axes_of(space)), picker_(space, base, only), allowed_(std::move(allowed)) {}

std::optional<Point> WalkedDomain::allowed(std::optional<Point> point) const {
  if (point && allowed_ && !allowed_(config_of(axes(), *point))) return std::nullopt;
  return point;
}

std::optional<Point> WalkedDomain::draw(Random& random) const {
  const auto one_of = [&](std::size_t, std::vector<int>& values) {
    if (!values.empty()) keep_only(values, values[random.below(values.size())]);
  };
  for (int i = 0; i < draws; ++i)
    if (auto point = allowed(picker_.first(one_of, most_steps))) return point;
  const auto any_order = [&](std::size_t, std::vector<int>& values) { random.shuffle(values); };
  return allowed(picker_.first(any_order, most_steps));
}

bool WalkedDomain::contains(const Point& point) const {
  const auto the_same = [&](std::size_t param, std::vector<int>& values) { keep_only(values, point[param]); };
  const auto found = allowed(picker_.first(the_same, most_steps));
  return found && *found == point;
}

std::vector<Point> WalkedDomain::neighbours(const Point& point, Random& random) const {
  std::vector<Point> found;
  for (std::size_t changed = 0; changed < point.size(); ++changed) {
    if (point[changed] == inactive) continue;
    for (int value = 0; value < static_cast<int>(axes()[changed].values.size()); ++value) {
      if (value == point[changed]) continue;
      const auto like_it = [&](std::size_t param, std::vector<int>& values) {
        if (param == changed)
          keep_only(values, value);
        else if (point[param] != inactive)
          keep_only(values, point[param]);
        else
          random.shuffle(values);
      };
      if (auto other = allowed(picker_.first(like_it, neighbour_steps))) found.push_back(std::move(*other));
    }
  }
  return found;
}

}  // namespace tuner::search
