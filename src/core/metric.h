// A figure that a manifest derives from a time.
#pragma once

#include <optional>
#include <string>

namespace tuner {

struct Metric {
  std::string name;
  std::optional<double> value;  // finite
  std::string why{};            // where there is no value
};

}  // namespace tuner
