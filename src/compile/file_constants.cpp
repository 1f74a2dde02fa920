#include "compile/file_constants.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "core/identifier.h"

namespace tuner::compile {
namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// Whether `words`, all that stands before the name, make a constant of an integer type.
bool declares_integer(std::string_view words) {
  constexpr std::array types{"int",      "unsigned", "signed",   "long",    "short",   "char",    "bool",
                             "auto",     "size_t",   "int8_t",   "int16_t", "int32_t", "int64_t", "uint8_t",
                             "uint16_t", "uint32_t", "uint64_t", "uint",    "unsigned"};
  constexpr std::array others{"static", "inline", "__device__", "std"};
  bool constant = false, typed = false;
  while (!words.empty()) {
    std::size_t end = 0;
    while (end < words.size() && in_identifier(words[end])) ++end;
    const std::string_view word = words.substr(0, end);
    words.remove_prefix(end);
    const auto is = [&](const char* each) { return word == each; };
    if (word == "const" || word == "constexpr")
      constant = true;
    else if (std::any_of(types.begin(), types.end(), is))
      typed = true;
    else if (std::none_of(others.begin(), others.end(), is))
      return false;
    if (words.substr(0, 2) == "::") words.remove_prefix(2);
    words = trimmed(words);
  }
  return constant && typed;
}

// An expression of numbers, names and operators.
bool is_integer_expression(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return in_identifier(c) || is_space(c) || std::string_view("+-*/%()<>&|^~!?:=").find(c) != std::string_view::npos;
  });
}

// The word that ends the text.
std::string_view last_word(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && in_identifier(text[begin - 1])) --begin;
  return text.substr(begin);
}

// Behind a literal that begins at `at`.
std::size_t behind_literal(std::string_view code, std::size_t at) {
  const char quote = code[at++];
  while (at < code.size() && code[at] != quote && code[at] != '\n') at += code[at] == '\\' ? 2 : 1;
  return std::min(at + 1, code.size());
}

std::size_t behind_directive(std::string_view code, std::size_t at) {
  std::size_t end = std::min(code.find('\n', at), code.size());
  while (end < code.size() && end > at && code[end - 1] == '\\') end = std::min(code.find('\n', end + 1), code.size());
  return end;
}

class Scan {
 public:
  explicit Scan(std::string_view code) : code_(code) {}

  std::vector<FileConstant> run() {
    bool line_begins = true;
    for (std::size_t at = 0; at < code_.size();) {
      const char c = code_[at];
      if (c == '#' && line_begins) {
        const bool between = trimmed(statement(at)).empty();
        at = behind_directive(code_, at);
        if (between) begin_ = at;
        continue;
      }
      line_begins = c == '\n' || (line_begins && is_space(c));
      if (c == '"' || (c == '\'' && (at == 0 || !in_identifier(code_[at - 1])))) {
        at = behind_literal(code_, at);
        continue;
      }
      if (c == '{')
        at = open(at);
      else
        step(at++);
    }
    return std::move(found_);
  }

 private:
  std::string_view statement(std::size_t end) const { return code_.substr(begin_, end - begin_); }

  void step(std::size_t at) {
    if (code_[at] == ';') {
      if (depth_ == 0) assigned(at);
      begin_ = at + 1;
    } else if (code_[at] == '}') {
      if (depth_ > 0) --depth_;
      begin_ = at + 1;
    }
  }

  // Of the brace at `at`; returns where to go on.
  std::size_t open(std::size_t at) {
    const std::string_view before = trimmed(statement(at));
    const std::size_t close = code_.find('}', at);
    if (depth_ == 0 && close != std::string_view::npos) {
      const std::size_t next = code_.find_first_not_of(" \t\n\r", close + 1);
      if (next != std::string_view::npos && code_[next] == ';' &&
          add(before, trimmed(code_.substr(at + 1, close - at - 1)), next + 1)) {
        begin_ = next + 1;
        return next + 1;
      }
    }
    const bool scope =
        before.find('(') == std::string_view::npos &&
        (before.find("namespace") == 0 || before.find("inline namespace") == 0 || before.find("extern") == 0);
    depth_ += scope ? 0 : 1;
    begin_ = at + 1;
    return at + 1;
  }

  void assigned(std::size_t end) {
    const std::string_view text = statement(end);
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos)
      add(trimmed(text.substr(0, equals)), trimmed(text.substr(equals + 1)), end + 1);
  }

  bool add(std::string_view declared, std::string_view value, std::size_t end) {
    const std::string_view name = last_word(declared);
    if (name.empty() || name.size() == declared.size() || std::isdigit(static_cast<unsigned char>(name.front())) != 0)
      return false;
    if (!declares_integer(trimmed(declared.substr(0, declared.size() - name.size()))) || !is_integer_expression(value))
      return false;
    const auto begin = static_cast<std::size_t>(declared.data() - code_.data());
    const auto lines = std::count(code_.begin(), code_.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
    found_.push_back({std::string(name), std::string(value), static_cast<int>(lines) + 1, begin, end,
                      static_cast<std::size_t>(name.data() - code_.data())});
    return true;
  }

  std::string_view code_;
  std::size_t begin_ = 0;
  int depth_ = 0;  // of braces that are no namespace's
  std::vector<FileConstant> found_;
};

}  // namespace

std::vector<FileConstant> file_constants(std::string_view code) { return Scan(code).run(); }

}  // namespace tuner::compile
