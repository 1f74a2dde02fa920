#include "report/table.h"

#include <algorithm>
#include <cassert>

#include "report/visible.h"

namespace tuner::report {

void Table::add(std::vector<std::string> cells, bool strong) {
  assert(cells.size() == columns_.size());
  rows_.push_back({std::move(cells), strong});
}

std::string Table::text(const Style& style, const std::string& indent) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const Row& row : rows_)
    for (std::size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], display_width(style.text(one_line(row.cells[i]))));
  for (std::size_t i = 0; i < widths.size(); ++i)
    if (widths[i] > 0) widths[i] = std::max(widths[i], display_width(style.text(columns_[i].title)));

  const auto line = [&](const std::vector<std::string>& cells) {
    std::string out;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] == 0) continue;
      const std::string shown = style.text(one_line(cells[i]));
      const std::string gap(widths[i] - display_width(shown), ' ');
      out += out.empty() ? indent : "  ";
      out += columns_[i].right ? gap + shown : shown + gap;
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out;
  };
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  std::string out = style.dim(line(titles)) + "\n";
  for (const Row& row : rows_) out += (row.strong ? style.bold(line(row.cells)) : line(row.cells)) + "\n";
  return out;
}

}  // namespace tuner::report
