#include "cli/source_numbers.h"

#include <algorithm>
#include <cctype>
#include <regex>

#include "compile/bare_code.h"
#include "compile/code_pieces.h"
#include "compile/host_code.h"
#include "compile/integer_constants.h"
#include "compile/own_defines.h"
#include "core/identifier.h"

namespace tuner::cli {
namespace {

bool is_plain_number(const std::string& text) {
  return !text.empty() && text.size() < 10 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void add(SourceNumbers& found, const std::string& name, std::string_view value) {
  const std::string text = compile::bare_code(value);
  if (name.empty() || text.empty()) return;
  if (const auto number = number_of(text))
    found.numbers.emplace_back(name, *number);
  else
    found.made.emplace_back(name, text);
}

}  // namespace

std::optional<std::int64_t> number_of(std::string text) {
  while (text.size() > 1 && text.front() == '(' && text.find(')') == text.size() - 1)
    text = text.substr(1, text.size() - 2);
  for (const std::string& operation : {std::string("<<"), std::string("*")}) {
    const auto at = text.find(operation);
    if (at == std::string::npos) continue;
    const auto left = number_of(text.substr(0, at)), right = number_of(text.substr(at + operation.size()));
    if (!left || !right || *left > INT32_MAX || *right > (operation == "*" ? INT32_MAX : 31)) return std::nullopt;
    return operation == "*" ? *left * *right : *left << *right;
  }
  while (text.size() > 1 && std::string_view("uUlL").find(text.back()) != std::string_view::npos) text.pop_back();
  return is_plain_number(text) ? std::optional<std::int64_t>(std::stoll(text)) : std::nullopt;
}

SourceNumbers source_numbers(std::string_view source) {
  static const std::regex define(R"(^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([^\\]*[^\\ \t\r])[ \t\r]*$)");
  SourceNumbers found;
  const std::string text = compile::comments_blanked(source);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    std::smatch parts;
    if (line.size() < 200 && std::regex_match(line, parts, define)) add(found, parts[1], parts[2].str());
    at = end + 1;
  }
  const std::string plain = compile::plain_code(source, '#');
  for (const compile::ConstantDeclaration& declaration : compile::integer_constants(plain)) {
    if (declaration.local) continue;
    for (const compile::IntegerConstant& constant : declaration.constants) add(found, constant.name, constant.value);
  }
  return found;
}

bool device_uses(std::string_view source, const std::string& name) {
  const std::string rest = compile::without_host_code(compile::without_own_defines(source, {name}));
  return has_word(compile::comments_blanked(rest), name);
}

}  // namespace tuner::cli
