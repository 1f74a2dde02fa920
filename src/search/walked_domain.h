// The legal points of a space that is too large to list.
#pragma once

#include <functional>

#include "search/domain.h"
#include "space/picker.h"

namespace tuner::search {

std::vector<Axis> axes_of(const space::Space& space);

class WalkedDomain : public Domain {
 public:
  // What people forbid is not legal; empty: everything is allowed.
  using Allowed = std::function<bool(const Config&)>;

  // `space` must outlive it.
  WalkedDomain(const space::Space& space, const space::Scope& base, const space::Partial& only, Allowed allowed = {});

  // A value for each parameter in turn, all with the same chance, until that is legal. Where it seldom is, the first
  // legal point on from there: then some have a better chance than others.
  std::optional<Point> draw(Random& random) const override;
  bool contains(const Point& point) const override;
  std::vector<Point> neighbours(const Point& point, Random& random) const override;

 private:
  std::optional<Point> allowed(std::optional<Point> point) const;

  mutable space::Picker picker_;
  Allowed allowed_;
};

}  // namespace tuner::search
