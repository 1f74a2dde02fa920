// A manifest's metrics in tables, rows and documents.
#pragma once

#include <string>
#include <vector>

#include "core/metric.h"
#include "report/table.h"

namespace tuner::report {

// "712.3"; "-" where it could not be computed.
std::string metric_text(const Metric& metric);
// "tflops=712.3 tokens_per_s=1.25e+04".
std::string metrics_line(const std::vector<Metric>& metrics);
// {"tflops": 712.3, ...}, null where it could not be computed.
std::string metrics_json(const std::vector<Metric>& metrics);

// The columns of one table, in which every row is of one kernel.
class MetricColumns {
 public:
  // Of a row, also where it has no metrics.
  void add(const std::vector<Metric>& metrics);
  std::vector<Table::Column> columns() const;
  // As many as columns; empty where the row has no metrics.
  std::vector<std::string> cells(const std::vector<Metric>& metrics) const;
  // Why what stands as "-" could not be computed, a line each.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<std::string> names_;
  std::vector<std::string> notes_;
};

}  // namespace tuner::report
