#include "core/statistics.h"

#include <algorithm>
#include <cmath>

namespace tuner {

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double position = q * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(std::floor(position));
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (values[high] - values[low]) * (position - std::floor(position));
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

double spread(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double middle = median(values);
  return middle > 0 ? (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / middle : 0;
}

}  // namespace tuner
