#include "compile/host_code.h"

#include <algorithm>
#include <cctype>

#include "core/identifier.h"

namespace tuner::compile {
namespace {

constexpr auto nowhere = std::string_view::npos;

// The text with comments and literals as blanks of the same length, and directives as '#' all along.
std::string blanked(std::string_view text) {
  std::string bare(text);
  const auto blank = [&](std::size_t from, std::size_t to, char with = ' ') {
    for (; from < std::min(to, bare.size()); ++from)
      if (bare[from] != '\n') bare[from] = with;
    return from;
  };
  bool line_begins = true;
  for (std::size_t at = 0; at < bare.size();) {
    const std::string_view pair = text.substr(at, 2);
    const char c = text[at];
    if (pair == "//" || (c == '#' && line_begins)) {
      std::size_t end = text.find('\n', at);
      while (c == '#' && end != nowhere && end > 0 && text[end - 1] == '\\') end = text.find('\n', end + 1);
      at = blank(at, end, c == '#' ? '#' : ' ');
    } else if (pair == "/*") {
      const auto end = text.find("*/", at + 2);
      at = blank(at, end == nowhere ? nowhere : end + 2);
    } else if (c == '"' || (c == '\'' && (at == 0 || !in_identifier(text[at - 1])))) {
      std::size_t end = at + 1;
      while (end < text.size() && text[end] != c && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      at = blank(at, end + 1);
    } else {
      line_begins = c == '\n' || (line_begins && std::isspace(static_cast<unsigned char>(c)) != 0);
      ++at;
    }
  }
  return bare;
}

bool has_name_that_begins(std::string_view text, std::string_view start) {
  for (auto at = text.find(start); at != nowhere; at = text.find(start, at + 1))
    if (at == 0 || !in_identifier(text[at - 1])) return true;
  return false;
}

bool opens_a_scope(std::string_view lead) {
  return has_word(lead, "namespace") || (has_word(lead, "extern") && lead.find('(') == nowhere);
}

bool is_for_the_host(std::string_view lead, std::string_view body) {
  if (lead.find('(') == nowhere || has_word(lead, "__global__") || has_word(lead, "__device__")) return false;
  return has_word(lead.substr(0, lead.find('(')), "main") || body.find("<<<") != nowhere ||
         has_name_that_begins(body, "cuda");
}

}  // namespace

std::string without_host_code(std::string_view text) {
  const std::string bare = blanked(text);
  const std::string_view view = bare;
  std::string kept(text);
  std::size_t lead = 0;  // where the declaration at hand begins
  for (std::size_t at = 0; at < view.size(); ++at) {
    if (view[at] == ';' || view[at] == '}') lead = at + 1;
    if (view[at] != '{') continue;
    const std::string_view before = view.substr(lead, at - lead);
    if (opens_a_scope(before)) {
      lead = at + 1;
      continue;
    }
    std::size_t end = at + 1;
    for (int depth = 1; end < view.size() && depth > 0; ++end)
      depth += view[end] == '{' ? 1 : view[end] == '}' ? -1 : 0;
    if (is_for_the_host(before, view.substr(at, end - at)))
      for (std::size_t i = lead; i < end; ++i)
        if (view[i] != '#' && kept[i] != '\n') kept[i] = ' ';  // an #endif may end what began before
    at = end - 1;
    lead = end;
  }
  return kept;
}

}  // namespace tuner::compile
