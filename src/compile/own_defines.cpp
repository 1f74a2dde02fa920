#include "compile/own_defines.h"

#include <algorithm>
#include <cctype>

#include "compile/file_constants.h"
#include "core/identifier.h"

namespace tuner::compile {
namespace {

void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (; begin < std::min(end, text.size()); ++begin)
    if (text[begin] != '\n') text[begin] = ' ';
}

struct Directive {
  std::string word;       // "define"
  std::string_view rest;  // may hold continued lines
  int line = 0;
  std::size_t begin = 0, end = 0;
};

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  return text;
}

std::string_view first_word(std::string_view text) {
  const auto end = std::find_if(text.begin(), text.end(), [](char c) { return !in_identifier(c); });
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

std::vector<Directive> directives_of(std::string_view code) {
  std::vector<Directive> all;
  int line = 1;
  for (std::size_t at = 0; at < code.size(); ++line) {
    const int first = line;
    std::size_t end = std::min(code.find('\n', at), code.size());
    const auto continues = [&] {
      std::size_t last = end;
      while (last > at && (code[last - 1] == ' ' || code[last - 1] == '\r')) --last;
      return last > at && code[last - 1] == '\\' && end < code.size();
    };
    for (; continues(); ++line) end = std::min(code.find('\n', end + 1), code.size());
    const std::string_view text = without_blanks(code.substr(at, end - at));
    if (!text.empty() && text.front() == '#') {
      const std::string_view inner = without_blanks(text.substr(1));
      const std::string_view word = first_word(inner);
      all.push_back({std::string(word), without_blanks(inner.substr(word.size())), first, at, end});
    }
    at = end + 1;
  }
  return all;
}

// Whether this condition holds only where `name` is not defined.
bool asks_undefined(const Directive& directive, const std::string& name) {
  if (directive.word == "ifndef") return first_word(directive.rest) == name;
  if (directive.word != "if" && directive.word != "elif") return false;
  std::string text;
  for (const char c : directive.rest)
    if (std::isspace(static_cast<unsigned char>(c)) == 0) text += c;
  if (text.find("||") != std::string::npos) return false;
  const std::size_t at = text.find("!defined(" + name + ")");
  const std::size_t bare = text.find("!defined" + name);
  return at != std::string::npos ||
         (bare != std::string::npos && first_word(std::string_view(text).substr(bare + 8)) == name);
}

bool asks_defined(const Directive& directive, const std::string& name) {
  return directive.word == "ifdef" && first_word(directive.rest) == name;
}

// Whether it opens, changes or closes a condition; keeps what guards `name` in `guards`.
bool follow(const Directive& directive, const std::string& name, std::vector<std::pair<bool, bool>>& guards) {
  const std::string& word = directive.word;
  if (word == "if" || word == "ifdef" || word == "ifndef") {
    guards.emplace_back(asks_undefined(directive, name), asks_defined(directive, name));
  } else if (word == "elif" || word == "else") {
    if (!guards.empty())
      guards.back() = {guards.back().second || asks_undefined(directive, name), guards.back().second};
  } else if (word == "endif") {
    if (!guards.empty()) guards.pop_back();
  } else {
    return false;
  }
  return true;
}

// Every configuration is looked through, and hardly any source has one: one pass, whatever the number of names.
bool may_define(std::string_view text, const std::vector<std::string>& names) {
  const auto wanted = [&](std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  constexpr std::string_view word = "define", constant = "const";
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if (wanted(first_word(without_blanks(text.substr(at + word.size()))))) return true;
  for (auto at = text.find(constant); at != std::string_view::npos; at = text.find(constant, at + 1)) {
    std::size_t end = std::min(text.find_first_of("={;(", at), text.size());
    while (end > at && std::isspace(static_cast<unsigned char>(text[end - 1])) != 0) --end;
    std::size_t begin = end;
    while (begin > at && in_identifier(text[begin - 1])) --begin;
    if (wanted(text.substr(begin, end - begin))) return true;
  }
  return false;
}

// The directives and the constants, in the order of the text.
std::vector<Directive> definitions_of(std::string_view code) {
  std::vector<Directive> all = directives_of(code);
  const std::vector<FileConstant> constants = file_constants(code);
  for (const FileConstant& constant : constants)
    all.push_back({"constant", code.substr(constant.name_at, constant.end - constant.name_at), constant.line,
                   constant.begin, constant.end});
  std::stable_sort(all.begin(), all.end(), [](const Directive& a, const Directive& b) { return a.begin < b.begin; });
  return all;
}

}  // namespace

std::string comments_blanked(std::string_view text) {
  std::string code(text);
  for (std::size_t at = 0; at < code.size();) {
    const std::string_view rest = text.substr(at);
    std::size_t end = at + 1;
    const bool digits = at > 0 && in_identifier(text[at - 1]) && text[at] == '\'';
    if (rest.substr(0, 2) == "//") {
      end = std::min(text.find('\n', at), text.size());
      blank(code, at, end);
    } else if (rest.substr(0, 2) == "/*") {
      const std::size_t close = text.find("*/", at + 2);
      end = close == std::string_view::npos ? text.size() : close + 2;
      blank(code, at, end);
    } else if (rest.substr(0, 2) == "R\"" && (at == 0 || !in_identifier(text[at - 1]))) {
      const std::size_t open = text.find('(', at);
      const std::string close =
          open == std::string_view::npos ? std::string() : ")" + std::string(text.substr(at + 2, open - at - 2)) + "\"";
      const std::size_t found = close.empty() ? std::string_view::npos : text.find(close, open);
      end = found == std::string_view::npos ? text.size() : found + close.size();
      blank(code, at, end);
    } else if ((text[at] == '"' || text[at] == '\'') && !digits) {
      while (end < text.size() && text[end] != text[at] && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
      if (text[end - 1] == '\n') --end;  // it does not end on its line
    }
    at = end;
  }
  return code;
}

std::vector<OwnDefine> own_defines(std::string_view text, const std::vector<std::string>& names, bool guarded) {
  std::vector<OwnDefine> all;
  if (!may_define(text, names)) return all;
  const std::string code = comments_blanked(text);
  const std::vector<Directive> directives = definitions_of(code);
  for (const std::string& name : names) {
    std::vector<OwnDefine> found;
    std::vector<std::pair<bool, bool>> guards;  // by open condition: not defined there; its #else is not
    bool undefined = false;
    for (const Directive& directive : directives) {
      if (follow(directive, name, guards) || first_word(directive.rest) != name) continue;
      const bool left = std::any_of(guards.begin(), guards.end(), [](const auto& guard) { return guard.first; });
      undefined |= directive.word == "undef" && !guarded;
      if ((directive.word == "define" || directive.word == "constant") && (guarded || !left))
        found.push_back({name, directive.line, directive.begin, directive.end});
    }
    if (!undefined) all.insert(all.end(), found.begin(), found.end());
  }
  std::sort(all.begin(), all.end(), [](const OwnDefine& a, const OwnDefine& b) { return a.begin < b.begin; });
  return all;
}

std::string without_own_defines(std::string_view text, const std::vector<std::string>& names) {
  std::string out(text);
  const std::vector<OwnDefine> found = own_defines(text, names);
  if (found.empty()) return out;
  const std::string code = comments_blanked(text);
  for (const OwnDefine& define : found)
    for (std::size_t at = define.begin; at < define.end; ++at)
      if (code[at] != ' ' && code[at] != '\n') out[at] = ' ';
  for (auto define = found.rbegin(); define != found.rend(); ++define)
    if (out.find_first_not_of(" \n", define->begin) >= define->end)  // no comment is left
      out.replace(define->begin, define->end - define->begin,
                  std::string(static_cast<std::size_t>(
                                  std::count(text.begin() + static_cast<std::ptrdiff_t>(define->begin),
                                             text.begin() + static_cast<std::ptrdiff_t>(define->end), '\n')),
                              '\n'));
  return out;
}

}  // namespace tuner::compile
