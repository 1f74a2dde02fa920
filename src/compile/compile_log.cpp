#include "compile/compile_log.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace tuner::compile {
namespace {

constexpr std::size_t kLimit = 64 * 1024;
constexpr std::size_t kTail = 8 * 1024;

// The number in front of `words` in `line`: "24 bytes spill stores".
std::int64_t number_before(std::string_view line, std::string_view words) {
  const auto at = line.find(words);
  if (at == std::string_view::npos) return 0;
  auto begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  std::int64_t value = 0;
  std::from_chars(line.data() + begin, line.data() + at, value);
  return value;
}

}  // namespace

std::string trimmed_log(std::string_view log) {
  if (log.size() <= kLimit) return std::string(log);
  constexpr std::string_view kGap = "\n[...]\n";
  std::string text(log.substr(0, kLimit - kTail - kGap.size()));
  text += kGap;
  text += log.substr(log.size() - kTail);
  return text;
}

int spill_bytes(std::string_view log) {
  std::int64_t total = 0;
  while (!log.empty()) {
    const auto line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(log.size(), line.size() + 1));
    total += std::max(number_before(line, " bytes spill stores"), number_before(line, " bytes spill loads"));
  }
  return static_cast<int>(std::min<std::int64_t>(total, 1 << 30));
}

std::string_view told_line(std::string_view log) {
  const std::string_view first = log.substr(0, log.find('\n'));
  const auto has = [&](std::string_view words) { return first.find(words) != std::string_view::npos; };
  const bool leads = first.substr(0, 21) == "In file included from" || has(": In ") || has(": At ") || has("warning");
  if (!leads || has("error")) return first;
  for (std::string_view rest = log; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.find("error: ") != std::string_view::npos) return line;
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return first;
}

std::string without_excerpts(std::string_view log) {
  std::string text;
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    const auto digits = line.find_first_not_of(' ');
    const auto bar = line.find_first_not_of("0123456789 ");
    const bool excerpt = digits != std::string_view::npos && digits > 0 && bar != std::string_view::npos &&
                         line[bar] == '|' && line[bar - 1] == ' ';
    const bool last = line.size() == log.size();
    if (!excerpt) text.append(line).append(last ? "" : "\n");
    log.remove_prefix(std::min(log.size(), line.size() + 1));
  }
  return text;
}

}  // namespace tuner::compile
