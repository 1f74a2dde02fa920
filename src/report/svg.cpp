#include "report/svg.h"

#include <fmt/format.h>

#include "report/xml.h"

namespace tuner::report {
namespace {

std::string escaped(std::string_view text) {
  std::string printed(text);
  std::erase_if(printed, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  return xml_escaped(printed);
}

}  // namespace

std::string_view colour(std::size_t i) {
  static constexpr std::string_view colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                 "#e69f00", "#56b4e9", "#000000"};
  return colours[i % std::size(colours)];
}

Svg::Svg(double width, double height)
    : out_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
                       "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
                       "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
                       width, height)) {}

void Svg::text(double x, double y, std::string_view anchor, std::string_view words, std::string_view colour) {
  out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n", x, y, anchor,
                      colour, escaped(words));
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view style) {
  out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2, style);
}

void Svg::path(const std::vector<std::pair<double, double>>& points, std::string_view style) {
  std::string at;
  for (const auto& [x, y] : points) at += fmt::format("{}{:.1f},{:.1f}", at.empty() ? "" : " ", x, y);
  out_ += fmt::format("<polyline fill=\"none\" points=\"{}\" {}/>\n", at, style);
}

void Svg::circle(double x, double y, double radius, std::string_view style, std::string_view title) {
  out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\" {}", x, y, radius, style);
  out_ += title.empty() ? "/>\n" : "><title>" + escaped(title) + "</title></circle>\n";
}

}  // namespace tuner::report
