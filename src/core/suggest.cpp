#include "core/suggest.h"

#include <algorithm>

namespace tuner {

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<int> before(width), last(width), row(width);
  for (std::size_t j = 0; j < width; ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j < width; ++j) {
      const int replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  int best = std::clamp(static_cast<int>(word.size()) / 3, 1, 3) + 1;
  std::string found;
  for (const auto& candidate : known) {
    const int distance = edit_distance(word, candidate);
    if (distance < best) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  if (const std::string found = nearest(word, known); !found.empty()) return "did you mean '" + found + "'?";
  if (known.empty()) return {};
  std::string text = "known: ";
  constexpr std::size_t shown = 12;
  for (std::size_t i = 0; i < std::min(known.size(), shown); ++i) text += (i ? ", " : "") + known[i];
  return known.size() > shown ? text + ", ..." : text;
}

}  // namespace tuner
