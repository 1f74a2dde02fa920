#include "compile/unroll_pragmas.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "core/identifier.h"

namespace tuner::compile {
namespace {

std::map<std::string, std::string> values_in(std::string_view front) {
  std::map<std::string, std::string> values;
  std::istringstream lines{std::string(front)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string define, name, value;
    words >> define >> name;
    std::getline(words >> std::ws, value);
    if (define == "#define") values[name] = value;
  }
  return values;
}

// Behind "#pragma unroll"; npos where this is none.
std::size_t end_of_unroll(std::string_view line) {
  std::size_t at = 0;
  for (const std::string_view word : {"#", "pragma", "unroll"}) {
    while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
    if (line.substr(at, word.size()) != word) return std::string_view::npos;
    at += word.size();
  }
  return at < line.size() && in_identifier(line[at]) ? std::string_view::npos : at;
}

}  // namespace

std::string with_unroll_values(std::string_view body, std::string_view front) {
  const auto values = values_in(front);
  std::string out;
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t end = std::min(body.find('\n', at), body.size() - 1) + 1;
    const std::string_view line = body.substr(at, end - at);
    at = end;
    const std::size_t behind = end_of_unroll(line);
    if (behind == std::string_view::npos) {
      out += line;
      continue;
    }
    out += line.substr(0, behind);
    for (std::size_t i = behind; i < line.size();) {
      std::size_t word = i;
      while (word < line.size() && in_identifier(line[word])) ++word;
      if (word == i) ++word;
      const auto known = values.find(std::string(line.substr(i, word - i)));
      out += known == values.end() ? line.substr(i, word - i) : std::string_view(known->second);
      i = word;
    }
  }
  return out;
}

}  // namespace tuner::compile
