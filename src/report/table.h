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
    bool right = true;   // numbers
    bool pairs = false;  // NAME=VALUE words; a cell without one is let be
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // As many cells as columns. `strong` rows are bold where there is colour.
  void add(std::vector<std::string> cells, bool strong = false);
  bool empty() const { return rows_.empty(); }
  // Every line ends in a newline; columns without any text are left out. On a terminal that is narrower, pairs that all
  // rows have are said once below; where that is not enough, the widest column of pairs has lines of its own.
  std::string text(const Style& style, const std::string& indent = "  ") const;

 private:
  struct Row {
    std::vector<std::string> cells;  // a line each
    bool strong = false;
  };
  std::vector<std::size_t> widths(const std::vector<Row>& rows, const Style& style) const;  // 0: without any text
  std::size_t widest_pairs(const std::vector<std::size_t>& widths) const;  // the number of columns: none
  // Takes out what all rows have, and says it.
  std::string shorten(std::vector<Row>& rows) const;
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace tuner::report
