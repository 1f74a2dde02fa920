#include "golden/transcript.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace tuner::golden {
namespace {

bool starts(const std::string& line, const char* prefix) { return line.rfind(prefix, 0) == 0; }

std::size_t number_length(const std::string& text, std::size_t at, bool point) {
  std::size_t end = at;
  while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
  if (!point || end == at) return end - at;
  if (end >= text.size() || text[end] != '.') return 0;
  std::size_t fraction = end + 1;
  while (fraction < text.size() && std::isdigit(static_cast<unsigned char>(text[fraction]))) ++fraction;
  return fraction > end + 1 ? fraction - at : 0;
}

bool matches_from(const std::string& expected, std::size_t e, const std::string& actual, std::size_t a) {
  while (e < expected.size()) {
    if (expected.compare(e, 4, "%any") == 0) {
      for (std::size_t next = a; next <= actual.size(); ++next)
        if (matches_from(expected, e + 4, actual, next)) return true;
      return false;
    }
    const bool whole = expected.compare(e, 4, "%int") == 0;
    if (whole || expected.compare(e, 6, "%float") == 0) {
      const std::size_t length = number_length(actual, a, !whole);
      if (length == 0) return false;
      e += whole ? 4 : 6;
      a += length;
      continue;
    }
    if (a >= actual.size() || expected[e] != actual[a]) return false;
    ++e;
    ++a;
  }
  return a == actual.size();
}

bool is_any_lines(const std::string& line) {
  return line.size() > 7 && line.compare(line.size() - 7, 7, " %lines") == 0;
}

bool match_from(const std::vector<std::string>& expected, std::size_t e, const std::vector<std::string>& actual,
                std::size_t a) {
  if (e == expected.size()) return a == actual.size();
  if (is_any_lines(expected[e])) {
    const std::string stream = expected[e].substr(0, 4);
    for (std::size_t next = a;; ++next) {
      if (match_from(expected, e + 1, actual, next)) return true;
      if (next == actual.size() || !starts(actual[next], stream.c_str())) return false;
    }
  }
  return a < actual.size() && line_matches(expected[e], actual[a]) && match_from(expected, e + 1, actual, a + 1);
}

}  // namespace

std::vector<Part> parse_transcript(const std::string& text) {
  std::vector<Part> parts;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (starts(line, "<<< ")) {
      Part part{Part::Kind::file, {}, line.substr(4), {}};
      while (std::getline(in, line) && line != ">>>") part.lines.push_back(line);
      parts.push_back(part);
    } else if (starts(line, "$ ")) {
      parts.push_back({Part::Kind::call, {}, {}, {line.substr(2), {}}});
    } else if (starts(line, "exit ") || starts(line, "out|") || starts(line, "err|")) {
      if (!parts.empty() && parts.back().kind == Part::Kind::call) parts.back().call.expected.push_back(line);
    } else {
      parts.push_back({Part::Kind::text, {line}, {}, {}});
    }
  }
  return parts;
}

std::vector<std::string> needs(const std::vector<Part>& parts) {
  std::vector<std::string> found;
  for (const Part& part : parts)
    for (const std::string& line : part.lines)
      if (part.kind == Part::Kind::text && starts(line, "# needs ")) found.push_back(line.substr(8));
  return found;
}

bool line_matches(const std::string& expected, const std::string& actual) {
  return matches_from(expected, 0, actual, 0);
}

bool lines_match(const std::vector<std::string>& expected, const std::vector<std::string>& actual) {
  return match_from(expected, 0, actual, 0);
}

std::vector<std::string> updated(const std::vector<std::string>& expected, const std::vector<std::string>& actual) {
  if (lines_match(expected, actual)) return expected;
  std::vector<std::string> lines;
  for (const std::string& line : actual) {
    const auto known = std::find_if(expected.begin(), expected.end(), [&line](const std::string& e) {
      return !is_any_lines(e) && line_matches(e, line);
    });
    lines.push_back(known == expected.end() ? line : *known);
  }
  return lines;
}

std::string print_transcript(const std::vector<Part>& parts) {
  std::string out;
  for (const Part& part : parts) {
    if (part.kind == Part::Kind::file) out += "<<< " + part.name + "\n";
    if (part.kind == Part::Kind::call) out += "$ " + part.call.line + "\n";
    for (const std::string& line : part.kind == Part::Kind::call ? part.call.expected : part.lines) out += line + "\n";
    if (part.kind == Part::Kind::file) out += ">>>\n";
  }
  return out;
}

}  // namespace tuner::golden
