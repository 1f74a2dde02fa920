// What C++ and its preprocessor take for a part of a name, and for white space.
#pragma once

#include <string_view>

namespace tuner {

constexpr bool in_identifier(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Without white space at its ends.
constexpr std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// The name or number that the text begins with; empty where it begins with neither.
constexpr std::string_view first_word(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && in_identifier(text[end])) ++end;
  return text.substr(0, end);
}

constexpr bool is_identifier(std::string_view text) {
  return !text.empty() && first_word(text) == text && (text.front() < '0' || text.front() > '9');
}

// "rows" of "filters::rows".
constexpr std::string_view unqualified(std::string_view function) {
  const std::size_t colons = function.rfind("::");
  return colons == std::string_view::npos ? function : function.substr(colons + 2);
}

// The name `word` at or behind `from`, no part of a longer one; npos where there is none.
constexpr std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0) {
  for (std::size_t at = text.find(word, from); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !in_identifier(text[at - 1])) && (end == text.size() || !in_identifier(text[end]))) return at;
  }
  return std::string_view::npos;
}

constexpr bool has_word(std::string_view text, std::string_view word) {
  return find_word(text, word) != std::string_view::npos;
}

}  // namespace tuner
