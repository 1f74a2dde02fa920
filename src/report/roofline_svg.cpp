// The picture: bandwidth and arithmetic as lines, results as points of one colour a kernel.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/format.h"
#include "report/roofline.h"
#include "report/svg.h"

namespace tuner::report {
namespace {

constexpr double width = 900, height = 520, left = 70, right = 270, top = 40, bottom = 50;

// Powers of ten around all that is shown.
struct Axis {
  double low = 1e300, high = 1e-300;  // values, then exponents of ten
  void include(double value) {
    if (value <= 0) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void close() {
    if (low > high) low = high = 1;
    low = std::floor(std::log10(low));
    high = std::max(std::ceil(std::log10(high)), low + 1);
  }
  double share(double value) const { return (std::log10(value) - low) / (high - low); }
};

class Picture {
 public:
  explicit Picture(const Roofline& roofline) : roofline_(roofline) {
    for (const RooflinePoint& point : roofline.points) {
      x_.include(point.intensity);
      y_.include(point.tflop_per_s);
    }
    for (const Roof& roof : roofline.roofs) {
      if (roof.ridge()) x_.include(*roof.ridge() * 2);
      y_.include(roof.tflop_per_s);
    }
    x_.close();
    y_.close();
  }

  std::string svg() {
    svg_.text(left, 22, "start", "Roofline of " + gpu_text(roofline_.gpu));
    axes();
    roofs();
    points();
    return svg_.done();
  }

 private:
  double x(double value) const { return left + x_.share(value) * (width - left - right); }
  double y(double value) const { return height - bottom - y_.share(value) * (height - top - bottom); }

  void axes() {
    const char* grid = "stroke=\"#dddddd\"";
    for (double e = x_.low; e <= x_.high; ++e) {
      const double at = x(std::pow(10, e));
      svg_.line(at, top, at, height - bottom, grid);
      svg_.text(at, height - bottom + 18, "middle", fmt::format("{:g}", std::pow(10, e)));
    }
    for (double e = y_.low; e <= y_.high; ++e) {
      const double at = y(std::pow(10, e));
      svg_.line(left, at, width - right, at, grid);
      svg_.text(left - 8, at + 4, "end", fmt::format("{:g}", std::pow(10, e)));
    }
    svg_.text((left + width - right) / 2, height - 10, "middle", "FLOP / byte");
    svg_.text(left, top - 6, "middle", "TFLOP/s");
  }

  void roofs() {
    const double first = std::pow(10, x_.low), last = std::pow(10, x_.high);
    double highest = 0, gb_per_s = 0;
    for (const Roof& roof : roofline_.roofs) {
      gb_per_s = std::max(gb_per_s, roof.gb_per_s);
      const auto ridge = roof.ridge();
      if (!ridge) continue;
      highest = std::max(highest, roof.tflop_per_s);
      svg_.line(x(std::max(first, *ridge)), y(roof.tflop_per_s), x(last), y(roof.tflop_per_s),
                "stroke=\"#333333\" stroke-width=\"1.5\"");
      svg_.text(width - right + 6, y(roof.tflop_per_s) + 4, "start",
                fmt::format("{:.3g} TFLOP/s, {}", roof.tflop_per_s, roof.of), "#333333");
    }
    if (gb_per_s <= 0) return;
    // Up to the highest roof, or the end of the picture; not below its floor.
    const double floor_x = std::max(first, std::pow(10, y_.low) * 1e3 / gb_per_s);
    const double ceiling = highest > 0 ? highest : std::pow(10, y_.high);
    const double end_x = std::min(last, ceiling * 1e3 / gb_per_s);
    svg_.line(x(floor_x), y(floor_x * gb_per_s / 1e3), x(end_x), y(end_x * gb_per_s / 1e3),
              "stroke=\"#333333\" stroke-width=\"1.5\"");
    const double beside = std::pow(floor_x, 0.6) * std::pow(end_x, 0.4);
    svg_.text(x(beside) + 10, y(beside * gb_per_s / 1e3) + 12, "start", rate(gb_per_s) + " GB/s read", "#333333");
  }

  void points() {
    std::map<std::string, std::size_t> kernels;
    for (const RooflinePoint& point : roofline_.points) {
      const Problem& problem = point.entry->result.problem;
      const std::size_t i = kernels.try_emplace(problem.kernel, kernels.size()).first->second;
      svg_.circle(x(point.intensity), y(point.tflop_per_s), 4,
                  fmt::format("fill=\"{}\" fill-opacity=\"0.8\"", colour(i)),
                  fmt::format("{} {}, {:.4g} TFLOP/s, {:.4g} FLOP/B", problem.kernel, shape_text(problem.dims),
                              point.tflop_per_s, point.intensity));
    }
    for (const auto& [kernel, i] : kernels) {
      const double at = height - bottom - 16.0 * static_cast<double>(kernels.size() - i - 1) - 6;
      svg_.circle(width - right + 16, at - 4, 4, fmt::format("fill=\"{}\"", colour(i)));
      svg_.text(width - right + 28, at, "start", kernel);
    }
  }

  const Roofline& roofline_;
  Axis x_, y_;
  Svg svg_{width, height};
};

}  // namespace

std::string roofline_svg(const Roofline& roofline) { return Picture(roofline).svg(); }

}  // namespace tuner::report
