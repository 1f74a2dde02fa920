#include "cli/source_numbers.h"

#include <algorithm>
#include <cctype>
#include <regex>

#include "compile/bare_code.h"
#include "compile/code_bodies.h"
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

// Whether `text` names a function that the declaration `lead` may be of.
bool names_one_of(std::string_view text, std::string_view lead) {
  for (std::size_t at = 0; at < lead.size(); ++at) {
    const std::string_view word = first_word(lead.substr(at));
    if (word.empty()) continue;
    at += word.size();
    const bool called = trimmed(lead.substr(at)).substr(0, 1) == "(";
    if (called && word.substr(0, 2) != "__" && has_word(text, word)) return true;
  }
  return false;
}

// Without comments and without the functions that `entry` does not reach by calls.
std::string without_other_functions(const std::string& source, const std::string& entry) {
  std::string text = compile::comments_blanked(source);
  const std::string plain = compile::plain_code(source, '#');
  const std::string_view code = plain;
  std::vector<compile::CodeBody> rest = compile::bodies_of(code, true);
  std::string reached = entry;
  for (std::size_t before = 0; before != rest.size();) {
    before = rest.size();
    std::erase_if(rest, [&](const compile::CodeBody& body) {
      const std::string_view lead = code.substr(body.lead, body.open - body.lead);
      const bool called = lead.find('(') == std::string_view::npos || names_one_of(reached, lead);
      if (called) reached += " " + std::string(code.substr(body.open, body.close - body.open));
      return called;
    });
  }
  for (const compile::CodeBody& body : rest)
    text.replace(body.lead, body.close - body.lead, body.close - body.lead, ' ');
  return text;
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

bool kernel_uses(std::string_view source, const std::string& entry, const std::string& name) {
  const std::vector<std::pair<std::string, std::string>> made = source_numbers(source).made;
  std::vector<std::string> names{name};
  for (const auto& [other, value] : made) names.push_back(other);
  const std::string text =
      without_other_functions(compile::without_host_code(compile::without_own_defines(source, names)), entry);
  // What is made of it stands for it.
  std::vector<std::string> words{name};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (has_word(text, words[i])) return true;
    for (const auto& [other, value] : made)
      if (has_word(value, words[i]) && std::find(words.begin(), words.end(), other) == words.end())
        words.push_back(other);
  }
  return false;
}

}  // namespace tuner::cli
