#include "store/json_scan.h"

#include <array>

namespace tuner::store {
namespace {

// Of the character at `open`, a quote, the position after the quote that ends the string; npos where none does.
std::size_t end_of_string(std::string_view text, std::size_t open) {
  std::size_t at = open + 1;
  while (true) {
    const std::size_t quote = text.find('"', at);
    if (quote == std::string_view::npos) return quote;
    std::size_t escapes = 0;
    while (quote - escapes > at && text[quote - escapes - 1] == '\\') ++escapes;
    at = quote + 1;
    if (escapes % 2 == 0) return at;
  }
}

}  // namespace

bool nested_too_deeply(std::string_view text) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      at = end_of_string(text, at);
      if (at == std::string_view::npos) return false;
      --at;
    } else if (c == '[' || c == '{') {
      if (++depth > most_nested) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

void JsonScan::skip_space() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
    ++at_;
}

bool JsonScan::take(char c) {
  skip_space();
  if (at_ >= text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

bool JsonScan::at_end() {
  skip_space();
  return at_ == text_.size();
}

bool JsonScan::skip_string() {
  at_ = end_of_string(text_, at_);
  if (at_ != std::string_view::npos) return true;
  at_ = text_.size();
  return false;
}

bool JsonScan::skip_nested() {
  std::array<char, most_nested> closing{};
  std::size_t depth = 0;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '"') {
      if (!skip_string()) return false;
      continue;
    }
    ++at_;
    if (c == '[' || c == '{') {
      if (depth == closing.size()) return false;
      closing[depth++] = c == '[' ? ']' : '}';
    } else if (c == ']' || c == '}') {
      if (closing[--depth] != c) return false;
      if (depth == 0) return true;
    }
  }
  return false;
}

std::optional<std::string_view> JsonScan::key() {
  skip_space();
  if (at_ >= text_.size() || text_[at_] != '"') return std::nullopt;
  const std::size_t begin = at_;
  if (!skip_string()) return std::nullopt;
  const std::string_view name = text_.substr(begin + 1, at_ - begin - 2);
  if (name.find('\\') != std::string_view::npos || !take(':')) return std::nullopt;
  return name;
}

std::optional<std::string_view> JsonScan::value() {
  skip_space();
  if (at_ >= text_.size()) return std::nullopt;
  const std::size_t begin = at_;
  const char c = text_[at_];
  if (c == '"') {
    if (!skip_string()) return std::nullopt;
  } else if (c == '[' || c == '{') {
    if (!skip_nested()) return std::nullopt;
  } else {
    while (at_ < text_.size() && std::string_view(",]} \n\r\t").find(text_[at_]) == std::string_view::npos) ++at_;
    if (at_ == begin) return std::nullopt;
  }
  return text_.substr(begin, at_ - begin);
}

}  // namespace tuner::store
