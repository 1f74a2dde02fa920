#include "report/metric_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace tuner::report {
namespace {

// Four digits that matter, plain where that is short.
std::string figure(double value) {
  const double size = std::fabs(value);
  if (size != 0 && (size < 1e-3 || size >= 1e6)) return fmt::format("{:.4g}", value);
  if (size >= 1000) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

}  // namespace

std::string metric_text(const Metric& metric) { return metric.value ? figure(*metric.value) : "-"; }

std::string metrics_line(const std::vector<Metric>& metrics) {
  std::string line;
  for (const Metric& metric : metrics) line += (line.empty() ? "" : " ") + metric.name + "=" + metric_text(metric);
  return line;
}

std::string metrics_json(const std::vector<Metric>& metrics) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const Metric& metric : metrics)
    json[metric.name] = metric.value ? nlohmann::ordered_json(*metric.value) : nlohmann::ordered_json(nullptr);
  return json.dump();
}

void MetricColumns::add(const std::vector<Metric>& metrics) {
  for (const Metric& metric : metrics) {
    if (std::find(names_.begin(), names_.end(), metric.name) == names_.end()) names_.push_back(metric.name);
    if (metric.value) continue;
    std::string note = metric.name + " is left out: " + metric.why;
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(std::move(note));
  }
}

std::vector<Table::Column> MetricColumns::columns() const {
  std::vector<Table::Column> columns;
  for (const std::string& name : names_) columns.push_back({name});
  return columns;
}

std::vector<std::string> MetricColumns::cells(const std::vector<Metric>& metrics) const {
  std::vector<std::string> cells(names_.size());
  for (const Metric& metric : metrics)
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == metric.name) cells[i] = metric_text(metric);
  return cells;
}

}  // namespace tuner::report
