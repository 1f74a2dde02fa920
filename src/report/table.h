// Columns that line up, in UTF-8.
#pragma once

#include <string>
#include <vector>

#include "report/style.h"

namespace tuner::report {

class Table {
 public:
  struct Column {
    std::string title;
    bool right = true;  // numbers
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // As many cells as columns. `strong` rows are bold where there is colour.
  void add(std::vector<std::string> cells, bool strong = false);
  bool empty() const { return rows_.empty(); }
  // Every line ends in a newline; columns without any text are left out.
  std::string text(const Style& style, const std::string& indent = "  ") const;

 private:
  struct Row {
    std::vector<std::string> cells;
    bool strong = false;
  };
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace tuner::report
