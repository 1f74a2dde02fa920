// The picture: bandwidth and arithmetic as lines, results as points of one colour a kernel.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/format.h"
#include "report/roofline.h"

namespace tuner::report {
namespace {

constexpr double width = 900, height = 520, left = 70, right = 270, top = 40, bottom = 50;
constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<unsigned char>(c) >= 0x20)
      out += c;
  }
  return out;
}

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
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        width, height);
    text(left, 22, "start", "Roofline of " + gpu_text(roofline_.gpu), "#000000");
    axes();
    roofs();
    points();
    return out_ + "</svg>\n";
  }

 private:
  double x(double value) const { return left + x_.share(value) * (width - left - right); }
  double y(double value) const { return height - bottom - y_.share(value) * (height - top - bottom); }

  void text(double at_x, double at_y, const char* anchor, const std::string& words, const char* colour) {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n", at_x, at_y,
                        anchor, colour, escaped(words));
  }
  void line(double x1, double y1, double x2, double y2, const char* style) {
    out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2, style);
  }

  void axes() {
    const char* grid = "stroke=\"#dddddd\"";
    for (double e = x_.low; e <= x_.high; ++e) {
      const double at = x(std::pow(10, e));
      line(at, top, at, height - bottom, grid);
      text(at, height - bottom + 18, "middle", fmt::format("{:g}", std::pow(10, e)), "#000000");
    }
    for (double e = y_.low; e <= y_.high; ++e) {
      const double at = y(std::pow(10, e));
      line(left, at, width - right, at, grid);
      text(left - 8, at + 4, "end", fmt::format("{:g}", std::pow(10, e)), "#000000");
    }
    text((left + width - right) / 2, height - 10, "middle", "FLOP / byte", "#000000");
    text(left, top - 6, "middle", "TFLOP/s", "#000000");
  }

  void roofs() {
    const double first = std::pow(10, x_.low), last = std::pow(10, x_.high);
    double highest = 0, gb_per_s = 0;
    for (const Roof& roof : roofline_.roofs) {
      gb_per_s = std::max(gb_per_s, roof.gb_per_s);
      const auto ridge = roof.ridge();
      if (!ridge) continue;
      highest = std::max(highest, roof.tflop_per_s);
      line(x(std::max(first, *ridge)), y(roof.tflop_per_s), x(last), y(roof.tflop_per_s),
           "stroke=\"#333333\" stroke-width=\"1.5\"");
      text(width - right + 6, y(roof.tflop_per_s) + 4, "start",
           fmt::format("{:.3g} TFLOP/s, {}", roof.tflop_per_s, roof.of), "#333333");
    }
    if (gb_per_s <= 0) return;
    // Up to the highest roof, or the end of the picture; not below its floor.
    const double floor_x = std::max(first, std::pow(10, y_.low) * 1e3 / gb_per_s);
    const double ceiling = highest > 0 ? highest : std::pow(10, y_.high);
    const double end_x = std::min(last, ceiling * 1e3 / gb_per_s);
    line(x(floor_x), y(floor_x * gb_per_s / 1e3), x(end_x), y(end_x * gb_per_s / 1e3),
         "stroke=\"#333333\" stroke-width=\"1.5\"");
    const double beside = std::pow(floor_x, 0.6) * std::pow(end_x, 0.4);
    text(x(beside) + 10, y(beside * gb_per_s / 1e3) + 12, "start", rate(gb_per_s) + " GB/s read", "#333333");
  }

  void points() {
    std::map<std::string, std::size_t> kernels;
    for (const RooflinePoint& point : roofline_.points) {
      const Problem& problem = point.entry->result.problem;
      const std::size_t i = kernels.try_emplace(problem.kernel, kernels.size()).first->second;
      out_ += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\" fill-opacity=\"0.8\"><title>{} {}, "
          "{:.4g} TFLOP/s, {:.4g} FLOP/B</title></circle>\n",
          x(point.intensity), y(point.tflop_per_s), colours[i % std::size(colours)], escaped(problem.kernel),
          shape_text(problem.dims), point.tflop_per_s, point.intensity);
    }
    for (const auto& [kernel, i] : kernels) {
      const double at = height - bottom - 16.0 * static_cast<double>(kernels.size() - i - 1) - 6;
      out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>\n", width - right + 16, at - 4,
                          colours[i % std::size(colours)]);
      text(width - right + 28, at, "start", kernel, "#000000");
    }
  }

  const Roofline& roofline_;
  Axis x_, y_;
  std::string out_;
};

}  // namespace

std::string roofline_svg(const Roofline& roofline) { return Picture(roofline).svg(); }

}  // namespace tuner::report
