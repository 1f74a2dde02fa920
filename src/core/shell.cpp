#include "core/shell.h"

#include <algorithm>

#include "core/error.h"

namespace tuner {

std::string shell_word(std::string_view word) {
  const auto plain = [](char c) {
    const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return alphanumeric || std::string_view("_-+=.,:/@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::vector<std::string> shell_words(std::string_view text, const std::string& where) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  const auto add = [&](char c) {
    if (!in_word) words.emplace_back();
    in_word = true;
    words.back() += c;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      in_word = false;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
      if (!in_word) words.emplace_back();
      in_word = true;
    } else if (c == quote) {
      quote = 0;
    } else if (c == '\\' &&
               (quote == 0 || (quote == '"' && std::string_view("\\\"$`").find(next) != std::string_view::npos))) {
      if (i + 1 == text.size())
        throw UserError("a backslash at the end of \"" + std::string(text) + "\"", where, "put a character after it");
      add(text[++i]);
    } else {
      add(c);
    }
  }
  if (quote != 0) throw UserError("a quote without its end in \"" + std::string(text) + "\"", where, "close it");
  return words;
}

}  // namespace tuner
