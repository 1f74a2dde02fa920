#include "compile/bare_code.h"

#include <algorithm>
#include <cctype>

#include "compile/render.h"
#include "core/hash.h"

namespace tuner::compile {
namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// The end of the literal that begins with the quote at `at`.
std::size_t end_of_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      return at + 1;
    }
  }
  return std::min(at, text.size());
}

// R"x(...)x" whose quote is at `at`.
std::size_t end_of_raw(std::string_view text, std::size_t at) {
  const std::size_t open = text.find('(', at);
  if (open == std::string_view::npos) return text.size();
  const std::string close = ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
  const std::size_t end = text.find(close, open);
  return end == std::string_view::npos ? text.size() : end + close.size();
}

// 1'000 is no character.
bool separates_digits(std::string_view text, std::size_t at) {
  return text[at] == '\'' && at > 0 && std::isxdigit(static_cast<unsigned char>(text[at - 1])) != 0;
}

}  // namespace

std::string bare_code(std::string_view text) {
  std::string bare;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view pair = text.substr(at, 2);
    if (pair == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (pair == "/*") {
      const std::size_t end = text.find("*/", at + 2);
      at = end == std::string_view::npos ? text.size() : end + 2;
    } else if (is_space(text[at])) {
      ++at;
    } else if ((text[at] == '"' || text[at] == '\'') && !separates_digits(text, at)) {
      const bool raw = text[at] == '"' && at > 0 && text[at - 1] == 'R';
      const std::size_t end = raw ? end_of_raw(text, at) : end_of_literal(text, at);
      bare += text.substr(at, end - at);
      at = end;
    } else {
      bare += text[at++];
    }
  }
  return bare;
}

std::string bare_yaml(std::string_view text) {
  std::string bare;
  char quote = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote == 0 && c == '#' && (at == 0 || is_space(text[at - 1]))) {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (quote == 0 && (c == '"' || c == '\''))
      quote = c;
    else if (c == quote)
      quote = 0;
    if (quote != 0 || !is_space(c)) bare += c;
  }
  return bare;
}

std::string closure_hash(const spec::KernelSpec& kernel) {
  const TemplateClosure closure = closure_of(kernel);
  std::string all;
  const auto add = [&all](const std::string& part) { all += std::to_string(part.size()) + ":" + part; };
  add(bare_code(closure.text));
  for (const Header& header : closure.headers) add(header.name), add(bare_code(header.text));
  all += '|';
  for (const std::string& option : closure.options) add(option);
  if (!closure.outside.empty()) add("outside"), add(closure.outside);
  return content_hash(all);
}

std::string manifest_hash(const spec::KernelSpec& kernel) { return content_hash(bare_yaml(kernel.text)); }

}  // namespace tuner::compile
