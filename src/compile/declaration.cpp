#include "compile/declaration.h"

#include <algorithm>
#include <cctype>

#include "compile/code_pieces.h"
#include "core/identifier.h"

namespace tuner::compile {
namespace {

std::string squeezed(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!space)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// Behind the bracket that closes the one at `open`; npos where none does.
std::size_t behind_closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[' || text[i] == '<' || text[i] == '{') ++depth;
    if (text[i] == ')' || text[i] == ']' || text[i] == '>' || text[i] == '}') --depth;
    if (depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

std::vector<std::string> split_parameters(std::string_view list) {
  std::vector<std::string> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '(' || c == '[' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '>') --depth;
    if (c != ',' || (depth > 0 && i < list.size())) continue;
    parts.push_back(squeezed(list.substr(begin, i - begin)));
    begin = i + 1;
  }
  if (parts.size() == 1 && (parts.front().empty() || parts.front() == "void")) parts.clear();
  return parts;
}

void erase_word(std::string& text, std::string_view word) {
  for (std::size_t at = find_word(text, word); at != std::string::npos; at = find_word(text, word))
    text.erase(at, word.size());
}

bool is_type_word(std::string_view word) {
  static const std::vector<std::string_view> kWords = {"int",   "unsigned", "signed", "long",  "short",
                                                       "char",  "float",    "double", "bool",  "void",
                                                       "const", "volatile", "__half", "size_t"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

DeclaredParameter parameter_of(std::string text) {
  for (const char* word : {"__restrict__", "__restrict", "restrict", "__grid_constant__"}) erase_word(text, word);
  text = squeezed(text.substr(0, text.find('=')));
  const bool is_array = !text.empty() && text.back() == ']';
  if (is_array) text = squeezed(text.substr(0, text.find('[')));
  DeclaredParameter parameter;
  std::size_t begin = text.size();
  while (begin > 0 && in_identifier(text[begin - 1])) --begin;
  const std::string last = text.substr(begin);
  // A type of one word has no name behind it.
  if (begin > 0 && !last.empty() && !is_type_word(last) && squeezed(text.substr(0, begin)) != "const") {
    parameter.name = last;
    text.resize(begin);
  }
  parameter.type = squeezed(text) + (is_array ? " *" : "");
  return parameter;
}

// Where the declaration that the name at `at` belongs to begins: behind the last ; or } or { before it.
std::size_t begin_of(std::string_view code, std::size_t at) {
  const std::size_t end = code.substr(0, at).find_last_of(";}{");
  return end == std::string_view::npos ? 0 : end + 1;
}

// `written` is `front` with its literals.
bool has_c_linkage(std::string_view front, std::string_view written) {
  const std::size_t quote = front.find('"');
  const std::size_t word = find_word(front, "extern");
  return word < quote && quote != std::string_view::npos && written.substr(quote, 3) == "\"C\"";
}

// "a::b::" of the named namespaces that are open at `at`.
std::string namespaces_around(std::string_view code, std::size_t at) {
  std::vector<std::string> open;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < at; ++i) {
    if (code[i] == '{') {
      const std::string before = squeezed(code.substr(begin, i - begin));
      const std::size_t word = find_word(before, "namespace");
      const bool named = word != std::string::npos && before.size() > word + 10;
      open.push_back(named ? before.substr(word + 10) + "::" : "");
    }
    if (code[i] == '}' && !open.empty()) open.pop_back();
    if (code[i] == '{' || code[i] == '}' || code[i] == ';') begin = i + 1;
  }
  std::string all;
  for (const std::string& each : open) all += each;
  return all;
}

}  // namespace

std::optional<Declaration> declaration_of(std::string_view source, std::string_view function) {
  const std::string code = plain_code(source);
  for (std::size_t at = find_word(code, function); at != std::string::npos; at = find_word(code, function, at + 1)) {
    std::size_t open = at + function.size();
    while (open < code.size() && std::isspace(static_cast<unsigned char>(code[open])) != 0) ++open;
    if (open == code.size() || code[open] != '(') continue;
    const std::size_t end = behind_closing(code, open);
    const std::string_view front = std::string_view(code).substr(begin_of(code, at), at - begin_of(code, at));
    if (end == std::string::npos || find_word(front, "void") == std::string_view::npos) continue;  // a call
    Declaration declaration;
    declaration.scope = namespaces_around(code, at);
    declaration.is_global = find_word(front, "__global__") != std::string_view::npos;
    declaration.is_extern_c = has_c_linkage(front, source.substr(begin_of(code, at), front.size()));
    if (const std::size_t word = find_word(front, "template"); word != std::string_view::npos)
      if (const std::size_t list = front.find('<', word); list != std::string_view::npos)
        declaration.template_parameters =
            split_parameters(front.substr(list + 1, behind_closing(front, list) - list - 2));
    for (std::string& each : split_parameters(std::string_view(code).substr(open + 1, end - open - 2)))
      declaration.parameters.push_back(parameter_of(std::move(each)));
    return declaration;
  }
  return std::nullopt;
}

std::vector<std::string> global_functions(std::string_view source) {
  const std::string code = plain_code(source);
  std::vector<std::string> names;
  for (std::size_t at = find_word(code, "__global__"); at != std::string::npos;
       at = find_word(code, "__global__", at + 1)) {
    std::size_t open = code.find('(', at);
    // The parentheses of attributes come before those of the parameters.
    for (const char* attribute : {"__launch_bounds__", "__cluster_dims__", "__maxnreg__", "__attribute__"})
      if (const std::size_t word = find_word(code, attribute, at); word < open)
        open = code.find('(', behind_closing(code, open));
    if (open == std::string::npos) break;
    std::size_t end = open;
    while (end > at && std::isspace(static_cast<unsigned char>(code[end - 1])) != 0) --end;
    std::size_t begin = end;
    while (begin > at && in_identifier(code[begin - 1])) --begin;
    const std::string name = code.substr(begin, end - begin);
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

bool is_pointer(const std::string& type) { return type.find('*') != std::string::npos; }

bool is_pointer_to_const(const std::string& type) {
  return is_pointer(type) && find_word(type.substr(0, type.find('*')), "const") != std::string::npos;
}

std::string bare_type(const std::string& type) {
  std::string bare = type.substr(0, type.find_first_of("*&"));
  for (const char* word : {"const", "volatile", "struct"}) erase_word(bare, word);
  return squeezed(bare);
}

}  // namespace tuner::compile
