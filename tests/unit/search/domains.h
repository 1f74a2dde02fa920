// Small spaces to search.
#pragma once

#include <cmath>

#include "search/domain.h"
#include "search/recording.h"

namespace tuner::search::test {

inline Axis numbers(std::string name, std::vector<std::int64_t> values) {
  return {std::move(name), {values.begin(), values.end()}};
}

inline Axis names(std::string name, const std::vector<std::string>& values) {
  Axis axis{std::move(name), {}};
  for (const std::string& value : values) axis.values.emplace_back(Name{value});
  return axis;
}

// `kind` decides whether `width` is there: a x (b: no width; c: 4 widths) x 8 sizes x 8 rows, less what is too large.
inline std::vector<Axis> sample_axes() {
  return {names("kind", {"plain", "wide"}), numbers("size", {32, 64, 96, 128, 192, 256, 384, 512}),
          numbers("rows", {1, 2, 3, 4, 5, 6, 7, 8}), numbers("width", {1, 2, 4, 8})};
}

inline std::vector<Point> sample_points() {
  std::vector<Point> points;
  for (int kind = 0; kind < 2; ++kind)
    for (int size = 0; size < 8; ++size)
      for (int rows = 0; rows < 8; ++rows)
        for (int width = 0; width < 4; ++width) {
          if (kind == 0 && width > 0) break;
          if (size + rows <= 11) points.push_back({kind, size, rows, kind == 0 ? inactive : width});
        }
  return points;
}

// A valley: least at wide, 128, 6, 4. What has many rows of large size does not run.
inline double sample_time(const Point& point) {
  if (point[1] > 5 && point[2] > 3) return 0;
  const double size = point[1] - 3, rows = point[2] - 5, together = size + rows;
  const double width = point[0] == 0 ? 2.5 : std::fabs(point[3] - 2.0);
  return 10 * (1 + 0.02 * size * size + 0.015 * rows * rows + 0.01 * together * together + 0.1 * width);
}

inline Recording sample_recording() {
  Recording recording;
  recording.name = "sample";
  recording.axes = sample_axes();
  for (const Point& point : sample_points()) recording.rows.push_back({point, sample_time(point), 0.5});
  return recording;
}

}  // namespace tuner::search::test
