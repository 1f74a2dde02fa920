// A picture as text.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tuner::report {

// Colours that people who do not see all of them can tell apart (Okabe and Ito).
std::string_view colour(std::size_t i);

class Svg {
 public:
  Svg(double width, double height);

  // `anchor`: start, middle or end.
  void text(double x, double y, std::string_view anchor, std::string_view words, std::string_view colour = "#000000");
  void line(double x1, double y1, double x2, double y2, std::string_view style);
  void path(const std::vector<std::pair<double, double>>& points, std::string_view style);
  // `title` shows where a pointer rests; may be empty.
  void circle(double x, double y, double radius, std::string_view style, std::string_view title = {});
  std::string done() { return out_ + "</svg>\n"; }

 private:
  std::string out_;
};

}  // namespace tuner::report
