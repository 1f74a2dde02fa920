#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/replay_text.h"
#include "report/svg.h"

namespace tuner::report {
namespace {

constexpr std::size_t columns = 3;
constexpr double panel_width = 300, panel_height = 210, panel_left = 44, panel_right = 12, panel_top = 30;
constexpr double panel_bottom = 34, legend = 26;

class Panel {
 public:
  Panel(Svg& svg, const ReplayedRecording& recording, double x, double y)
      : svg_(svg),
        recording_(recording),
        x_(x),
        y_(y),
        decades_(std::ceil(std::log10(std::max<std::size_t>(recording.points, 10)))) {}

  void draw() {
    svg_.text(x_ + panel_left, y_ + 18, "start", recording_.name);
    for (int decade = 0; decade <= static_cast<int>(decades_); ++decade) {
      const double at = across(std::pow(10, decade));
      svg_.line(at, down(0), at, down(1), grid);
      svg_.text(at, down(0) + 16, "middle", fmt::format("{:g}", std::pow(10, decade)));
    }
    for (const double share : {0.0, 0.5, 0.9, 1.0}) {
      svg_.line(across(1), down(share), across(std::pow(10, decades_)), down(share), grid);
      svg_.text(across(1) - 6, down(share) + 4, "end", fmt::format("{:.0f}%", 100 * share));
    }
    for (std::size_t i = 0; i < recording_.strategies.size(); ++i) curve(recording_.strategies[i], i);
  }

 private:
  static constexpr std::string_view grid = "stroke=\"#dddddd\"";

  double across(double trials) const {
    return x_ + panel_left + std::log10(std::max(trials, 1.0)) / decades_ * (panel_width - panel_left - panel_right);
  }
  double down(double share) const {
    return y_ + panel_height - panel_bottom - share * (panel_height - panel_top - panel_bottom);
  }

  void curve(const ReplayedStrategy& strategy, std::size_t i) {
    std::vector<double> trials;
    for (const search::Reached& one : strategy.repeats)
      if (one.reached) trials.push_back(one.trials);
    std::sort(trials.begin(), trials.end());
    std::vector<std::pair<double, double>> points{{across(1), down(0)}};
    for (std::size_t n = 0; n < trials.size(); ++n) {
      points.emplace_back(across(trials[n]), points.back().second);
      points.emplace_back(across(trials[n]),
                          down(static_cast<double>(n + 1) / static_cast<double>(strategy.repeats.size())));
    }
    svg_.path(points, fmt::format("stroke=\"{}\" stroke-width=\"1.5\"", colour(i)));
  }

  Svg& svg_;
  const ReplayedRecording& recording_;
  double x_, y_, decades_;
};

}  // namespace

std::string replay_svg(const ReplayedSweeps& sweeps) {
  const std::size_t count = sweeps.recordings.size();
  const double width = panel_width * static_cast<double>(std::min(count, columns));
  const double height = legend + panel_height * static_cast<double>((count + columns - 1) / columns) + 20;
  Svg svg(width, height);
  double at = panel_left;
  for (std::size_t i = 0; count > 0 && i < sweeps.recordings.front().strategies.size(); ++i) {
    const std::string& name = sweeps.recordings.front().strategies[i].name;
    svg.line(at, 16, at + 18, 16, fmt::format("stroke=\"{}\" stroke-width=\"3\"", colour(i)));
    svg.text(at + 24, 20, "start", name);
    at += 40 + 8.0 * static_cast<double>(name.size());
  }
  for (std::size_t i = 0; i < count; ++i)
    Panel(svg, sweeps.recordings[i], panel_width * static_cast<double>(i % columns),
          legend + panel_height * static_cast<double>(i / columns))
        .draw();
  svg.text(width / 2, height - 6, "middle",
           fmt::format("share of {} searches within {:g}% of the best, over configurations tried",
                       sweeps.options.repeats, 100 * sweeps.options.within));
  return svg.done();
}

}  // namespace tuner::report
