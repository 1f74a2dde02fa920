#include "cli/launch_text.h"

#include "compile/bare_code.h"
#include "core/identifier.h"

namespace tuner::cli {
namespace {

struct Found {
  std::size_t open = std::string::npos;          // behind "<<<"
  std::size_t templates = 0, templates_end = 0;  // between "<" and ">"
};

// Whether the name that begins at `at` is no end of a longer one. White space is gone: "elsef<<<".
bool begins_name(const std::string& bare, std::size_t begin, std::size_t at) {
  const std::string before = bare.substr(begin, at - begin);
  return before.empty() || !in_identifier(before.back()) || before == "else" || before == "do";
}

Found launch_of(const std::string& bare, const std::string& entry) {
  for (std::size_t at = bare.find("<<<"); at != std::string::npos; at = bare.find("<<<", at + 3)) {
    const std::size_t begin = bare.find_last_of(";{}", at) + 1;
    for (std::size_t name = bare.find(entry, begin); name < at; name = bare.find(entry, name + 1)) {
      if (!begins_name(bare, begin, name)) continue;
      const std::size_t end = name + entry.size();
      if (end == at) return {at + 3, at, at};
      if (bare[end] == '<' && bare[at - 1] == '>') return {at + 3, end + 1, at - 1};
    }
  }
  return {};
}

}  // namespace

std::size_t end_of_item(std::string_view text, std::size_t at) {
  for (int depth = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (depth == 0 && (c == ',' || c == ')' || c == '}' || c == ';')) break;
    depth += c == '(' || c == '{' ? 1 : c == ')' || c == '}' ? -1 : 0;
  }
  return at;
}

std::size_t end_of_list(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != ')') {
    at = end_of_item(text, at);
    if (at < text.size() && text[at] != ')') ++at;
  }
  return at;
}

std::vector<std::string> items(std::string_view text, std::size_t at) {
  std::vector<std::string> all;
  while (at < text.size()) {
    const std::size_t end = end_of_item(text, at);
    if (end > at) all.emplace_back(text.substr(at, end - at));
    if (end >= text.size() || text[end] != ',') break;
    at = end + 1;
  }
  return all;
}

LaunchText launch_text(std::string_view source, const std::string& entry) {
  LaunchText text;
  text.bare = compile::bare_code(source);
  const Found found = launch_of(text.bare, entry);
  if (found.open == std::string::npos) return text;
  const std::size_t close = text.bare.find(">>>", found.open);
  if (close == std::string::npos) return text;
  text.close = close;
  const std::string_view front = std::string_view(text.bare).substr(0, close);
  text.configuration = items(front, found.open);
  text.templates = items(front.substr(0, found.templates_end), found.templates);
  text.arguments = items(text.bare, close + 4);
  return text;
}

}  // namespace tuner::cli
