#include "spec/faults.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <tuple>

#include "core/suggest.h"

namespace tuner::spec {
namespace {

// The number behind the last colon of `where`, which is cut off; 0 when there is none.
int cut_number(std::string_view& where) {
  const std::size_t colon = where.rfind(':');
  if (colon == std::string_view::npos) return 0;
  int number = 0;
  std::from_chars(where.data() + colon + 1, where.data() + where.size(), number);
  where = where.substr(0, colon);
  return number;
}

std::pair<int, int> line_and_column(const UserError& fault) {
  std::string_view where = fault.where();
  const int column = cut_number(where);
  return {cut_number(where), column};
}

}  // namespace

void Faults::add(const UserError& fault) { faults_.push_back(fault); }

void Faults::misspelt(const std::string& where, const std::string& key) { misspelt_.emplace_back(where, key); }

bool Faults::is_misspelt(const std::string& where, const std::string& key) const {
  return std::find(misspelt_.begin(), misspelt_.end(), std::pair(where, key)) != misspelt_.end();
}

void Faults::add_missing(const MissingKey& fault) {
  if (!is_misspelt(fault.where(), fault.key())) add(fault);
}

std::vector<UserError> Faults::in_file_order() const {
  std::vector<UserError> sorted;
  for (const UserError& fault : faults_) {
    const bool known = std::any_of(sorted.begin(), sorted.end(), [&](const UserError& other) {
      return other.where() == fault.where() && std::string_view(other.what()) == fault.what();
    });
    if (!known) sorted.push_back(fault);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const UserError& a, const UserError& b) { return line_and_column(a) < line_and_column(b); });
  return sorted;
}

void check_all_keys(const Cursor& map, const std::vector<std::string>& known, Faults* faults) {
  if (faults == nullptr) return map.check_keys(known);
  for (const auto& [key, value] : map.fields()) {
    if (std::find(known.begin(), known.end(), key.text()) != known.end()) continue;
    attempt(faults, [&key = key, &known] { key.fail_unknown(known); });
    const std::string meant = nearest(key.text(), known);
    if (!meant.empty() && !map.find(meant)) faults->misspelt(map.where(), meant);
  }
}

}  // namespace tuner::spec
