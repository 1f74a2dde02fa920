// The legal points of a space, as a strategy sees them: no kernel, no device, no expression.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/config.h"
#include "core/random.h"

namespace tuner::search {

// By parameter which of its values; `inactive` where it has none here.
using Point = std::vector<int>;
inline constexpr int inactive = -1;

struct PointHash {
  std::size_t operator()(const Point& point) const;
};

// A parameter.
struct Axis {
  std::string name;
  std::vector<Value> values;

  // Each value's place by size where all are integers, else by position.
  std::vector<int> ranks() const;
};

Config config_of(const std::vector<Axis>& axes, const Point& point);
// Empty where the configuration has a parameter or a value that the axes have not.
std::optional<Point> point_of(const std::vector<Axis>& axes, const Config& config);

class Domain {
 public:
  virtual ~Domain() = default;
  const std::vector<Axis>& axes() const { return axes_; }

  // Any legal point; empty where none was found.
  virtual std::optional<Point> draw(Random& random) const = 0;
  virtual bool contains(const Point& point) const = 0;
  // The legal points at which one parameter has another value, and the others have theirs. Where that value makes
  // others active, one point stands for it.
  virtual std::vector<Point> neighbours(const Point& point, Random& random) const = 0;
  // All legal points where they are listed; null where they are not.
  virtual const std::vector<Point>* listed() const { return nullptr; }

 protected:
  explicit Domain(std::vector<Axis> axes) : axes_(std::move(axes)) {}

 private:
  std::vector<Axis> axes_;
};

// One whose points are all known: a space that was enumerated, a recorded sweep.
class ListedDomain : public Domain {
 public:
  // Points are not empty and each once.
  ListedDomain(std::vector<Axis> axes, std::vector<Point> points);

  std::optional<Point> draw(Random& random) const override;
  bool contains(const Point& point) const override { return places_.count(point) != 0; }
  std::vector<Point> neighbours(const Point& point, Random& random) const override;
  const std::vector<Point>* listed() const override { return &points_; }
  // Of a point that it contains.
  std::size_t place_of(const Point& point) const { return places_.at(point); }

 private:
  std::vector<Point> points_;
  std::unordered_map<Point, std::size_t, PointHash> places_;
};

}  // namespace tuner::search
