#include "compile/struct_fields.h"

#include <algorithm>
#include <charconv>

#include "compile/code_bodies.h"
#include "compile/code_pieces.h"
#include "core/identifier.h"

namespace tuner::compile {
namespace {

using Fields = std::vector<DeclaredParameter>;

// The name that the text ends with.
std::string_view name_at_end(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && in_identifier(text[begin - 1])) --begin;
  return text.substr(begin);
}

// Between the braces of its definition.
std::optional<std::string_view> body_of(std::string_view code, std::string_view name) {
  for (std::size_t at = find_word(code, "struct"); at != std::string_view::npos;
       at = find_word(code, "struct", at + 1)) {
    const std::size_t open = code.find_first_of("{;()<>=", at);
    if (open == std::string_view::npos || code[open] != '{') continue;
    const std::size_t end = behind_block(code, open);
    const std::string_view head = trimmed(code.substr(at + 6, open - at - 6));
    const std::size_t stop = std::min(code.find(';', end), code.size());
    const bool alias = head.empty() && trimmed(code.substr(end, stop - end)) == name;
    if (head == name || alias) return code.substr(open + 1, end - open - 2);
  }
  return std::nullopt;
}

// "x", "v[3]"; false where it cannot be read.
bool add_member(Fields& fields, const std::string& type, std::string_view declared) {
  const std::size_t bracket = declared.find('[');
  const std::string name(trimmed(declared.substr(0, bracket)));
  if (name.empty() || first_word(name) != name) return false;
  if (bracket == std::string_view::npos) {
    fields.push_back({type, name});
    return true;
  }
  int count = 0;
  const std::string_view size = trimmed(declared.substr(bracket + 1));
  const auto [end, fault] = std::from_chars(size.data(), size.data() + size.size(), count);
  const std::string_view rest = trimmed(size.substr(static_cast<std::size_t>(end - size.data())));
  if (fault != std::errc{} || rest != "]" || count < 1 || count > 64) return false;
  for (int i = 0; i < count; ++i) fields.push_back({type, name + "[" + std::to_string(i) + "]"});
  return true;
}

// Of one statement without its semicolon: "const float x, y = 1".
bool add_members(Fields& fields, std::string_view statement) {
  for (const std::string_view access : {"public:", "private:", "protected:"})
    if (statement.substr(0, access.size()) == access) statement = trimmed(statement.substr(access.size()));
  const std::string_view word = first_word(statement);
  for (const char* other : {"", "static", "using", "typedef", "friend"})
    if (word == other && (!word.empty() || statement.empty())) return true;
  if (statement.find('(') != std::string_view::npos) return word != "alignas" && word != "__align__";  // a function
  if (statement.find_first_of("*&") != std::string_view::npos) return false;
  std::string type;
  for (std::size_t begin = 0; begin <= statement.size();) {
    const std::size_t end = std::min(statement.find(',', begin), statement.size());
    std::string_view declared = statement.substr(begin, end - begin);
    declared = trimmed(declared.substr(0, declared.find_first_of("={")));
    begin = end + 1;
    if (type.empty()) {
      const std::size_t bracket = std::min(declared.find('['), declared.size());
      const std::size_t behind = trimmed(declared.substr(0, bracket)).size();
      const std::size_t name = behind - name_at_end(declared.substr(0, behind)).size();
      type = trimmed(declared.substr(0, name));
      declared.remove_prefix(name);
    }
    if (type.empty() || type.find(':') != type.find("::") || !add_member(fields, type, declared)) return false;
  }
  return true;
}

}  // namespace

std::optional<Fields> struct_fields(std::string_view source, std::string_view name) {
  const std::string code = plain_code(source);
  const auto body = body_of(code, name);
  if (!body) return std::nullopt;
  Fields fields;
  for (std::size_t at = 0; at < body->size();) {
    std::size_t end = at;
    while (end < body->size() && (*body)[end] != ';') {
      if ((*body)[end] != '{') {
        ++end;
        continue;
      }
      const bool function = body->substr(at, end - at).find('(') != std::string_view::npos;
      end = behind_block(*body, end);
      if (function) break;
    }
    if (!add_members(fields, trimmed(body->substr(at, end - at)))) return std::nullopt;
    at = end < body->size() && (*body)[end] == ';' ? end + 1 : std::max(end, at + 1);
  }
  return fields.empty() ? std::nullopt : std::optional(std::move(fields));
}

}  // namespace tuner::compile
