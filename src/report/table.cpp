#include "report/table.h"

#include <algorithm>
#include <cassert>
#include <sstream>

#include "report/visible.h"

namespace tuner::report {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// Takes the pairs that all of these texts have out of them, and returns them; of fewer than two texts nothing.
std::string take_common(const std::vector<std::string*>& texts) {
  if (texts.size() < 2) return {};
  std::vector<std::vector<std::string>> all;
  for (const std::string* text : texts) all.push_back(words_of(*text));
  std::vector<std::string> common;
  for (const std::string& word : all.front())
    if (std::all_of(all.begin(), all.end(), [&word](const auto& words) { return has(words, word); }))
      common.push_back(word);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::vector<std::string> own;
    for (const std::string& word : all[i])
      if (!has(common, word)) own.push_back(word);
    *texts[i] = joined(own);
  }
  return joined(common);
}

}  // namespace

void Table::add(std::vector<std::string> cells, bool strong) {
  assert(cells.size() == columns_.size());
  for (std::string& cell : cells) cell = one_line(cell);
  rows_.push_back({std::move(cells), strong});
}

std::vector<std::size_t> Table::widths(const std::vector<Row>& rows, const Style& style) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const Row& row : rows)
    for (std::size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], display_width(style.text(row.cells[i])));
  for (std::size_t i = 0; i < widths.size(); ++i)
    if (widths[i] > 0) widths[i] = std::max(widths[i], display_width(style.text(columns_[i].title)));
  return widths;
}

std::string Table::shorten(std::vector<Row>& rows) const {
  std::string said;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!columns_[i].pairs) continue;
    std::vector<std::string*> texts;
    for (Row& row : rows)
      if (row.cells[i].find('=') != std::string::npos) texts.push_back(&row.cells[i]);
    const std::string common = take_common(texts);
    if (!common.empty()) said += (said.empty() ? "" : "; ") + columns_[i].title + " " + common;
  }
  return said;
}

std::size_t Table::widest_pairs(const std::vector<std::size_t>& widths) const {
  std::size_t widest = columns_.size();
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].pairs && widths[i] > 0 && (widest == columns_.size() || widths[i] > widths[widest])) widest = i;
  return widest;
}

std::string Table::text(const Style& style, const std::string& indent) const {
  const auto fits = [&](const std::vector<std::size_t>& widths) {
    std::size_t all = indent.size();
    for (const std::size_t width : widths) all += width == 0 ? 0 : width + 2;
    return !style.terminal || all <= static_cast<std::size_t>(style.width) + 2;
  };
  std::vector<Row> rows = rows_;
  std::vector<std::size_t> widths = this->widths(rows, style);
  std::string said;
  std::size_t under = columns_.size();  // the column that has lines of its own
  if (!fits(widths)) {
    said = shorten(rows);
    widths = this->widths(rows, style);
    if (!fits(widths)) under = widest_pairs(widths);
    if (under < columns_.size()) widths[under] = 0;
  }

  const auto line = [&](const std::vector<std::string>& cells) {
    std::string out;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] == 0) continue;
      const std::string shown = style.text(cells[i]);
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
  for (const Row& row : rows) {
    std::string text = line(row.cells) + "\n";
    if (under < columns_.size() && !row.cells[under].empty())
      text += indent + "    " + style.text(row.cells[under]) + "\n";
    text.pop_back();
    out += (row.strong ? style.bold(text) : text) + "\n";
  }
  if (!said.empty()) out += indent + style.dim("the same in every row: " + said) + "\n";
  return out;
}

}  // namespace tuner::report
