#include "compile/integer_constants.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "compile/code_bodies.h"
#include "core/identifier.h"

namespace tuner::compile {
namespace {

template <std::size_t n>
bool is_one_of(std::string_view word, const std::array<const char*, n>& words) {
  return std::any_of(words.begin(), words.end(), [&](const char* each) { return word == each; });
}

constexpr std::array types{"int",     "unsigned", "signed",   "long",     "short",    "char",
                           "bool",    "auto",     "size_t",   "int8_t",   "int16_t",  "int32_t",
                           "int64_t", "uint8_t",  "uint16_t", "uint32_t", "uint64_t", "uint"};
constexpr std::array others{"static", "inline", "__device__", "std"};

// What a constant of an integer type is declared with, in front of its names.
struct Specifiers {
  bool constant = false, constant_expression = false, typed = false;
  std::string_view rest;  // from the first name on
  bool ok() const { return constant && typed && !rest.empty(); }
};

Specifiers specifiers_of(std::string_view text) {
  Specifiers found{false, false, false, trimmed(text)};
  for (;;) {
    const std::string_view word = first_word(found.rest);
    if (word == "const" || word == "constexpr")
      found.constant = true, found.constant_expression |= word == "constexpr";
    else if (is_one_of(word, types))
      found.typed = true;
    else if (!is_one_of(word, others))
      return found;
    found.rest.remove_prefix(word.size());
    if (found.rest.substr(0, 2) == "::") found.rest.remove_prefix(2);
    found.rest = trimmed(found.rest);
  }
}

// An expression of numbers, names and operators.
bool is_integer_expression(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return in_identifier(c) || is_space(c) || std::string_view("+-*/%()<>&|^~!?:=,").find(c) != std::string_view::npos;
  });
}

// One that no variable is in, as far as its names tell: those in capitals are macros and constants.
bool looks_fixed(std::string_view text) {
  while (!text.empty()) {
    const std::string_view word = first_word(text);
    const bool lower = std::any_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    if (lower && std::isdigit(static_cast<unsigned char>(word.front())) == 0 && word != "sizeof" &&
        !is_one_of(word, types))
      return false;
    text.remove_prefix(std::max<std::size_t>(1, word.size()));
  }
  return true;
}

// The parts between commas outside of brackets.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    depth += c == '(' || c == '{' || c == '[' ? 1 : c == ')' || c == '}' || c == ']' ? -1 : 0;
    if (c != ',' || depth != 0) continue;
    parts.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  parts.push_back(trimmed(text.substr(begin)));
  return parts;
}

// What `template <...>` stands in front of.
std::string_view behind_template(std::string_view text) {
  int depth = 0;
  for (std::size_t at = text.find('<'); at < text.size(); ++at) {
    depth += text[at] == '<' ? 1 : text[at] == '>' ? -1 : 0;
    if (depth == 0) return trimmed(text.substr(at + 1));
  }
  return {};
}

class Scan {
 public:
  explicit Scan(std::string_view code) : code_(code) {}

  std::vector<ConstantDeclaration> run() {
    for (std::size_t at = 0; at < code_.size();) {
      const char c = code_[at];
      if (c == '{') {
        at = open(at);
        continue;
      }
      if (c == ';') declared(at + 1);
      if (c == '}' && !scopes_.empty()) scopes_.pop_back();
      const bool behind_directive = c == '#' && trimmed(statement(at)).empty();
      if (c == ';' || c == '}' || behind_directive) begin_ = at + 1;
      ++at;
    }
    return std::move(found_);
  }

 private:
  enum class Scope { space, record, block };

  std::string_view statement(std::size_t end) const { return code_.substr(begin_, end - begin_); }
  std::size_t place(std::string_view part) const { return static_cast<std::size_t>(part.data() - code_.data()); }
  bool local() const {
    return std::any_of(scopes_.begin(), scopes_.end(), [](Scope scope) { return scope != Scope::space; });
  }

  // Of the brace at `at`; returns where to go on.
  std::size_t open(std::size_t at) {
    const std::string_view before = trimmed(statement(at));
    if (first_word(before) == "enum" || first_word(before) == "typedef") {
      if (has_word(before, "enum")) return enumeration(at, before);
    } else if (const Specifiers specifiers = specifiers_of(before); specifiers.ok()) {
      const std::string_view last = split(specifiers.rest).back();
      if (is_identifier(last) || (!last.empty() && last.back() == '=')) return behind_block(code_, at);
    }
    scopes_.push_back(scope_of(before));
    begin_ = at + 1;
    return at + 1;
  }

  static Scope scope_of(std::string_view before) {
    while (first_word(before) == "template") before = behind_template(before);
    const std::string_view word = first_word(before);
    const bool called = before.find('(') != std::string_view::npos;
    if (!called && (word == "namespace" || word == "inline" || word == "extern") && !has_word(before, "struct"))
      return Scope::space;
    const bool record = has_word(before, "struct") || has_word(before, "class") || has_word(before, "union");
    return record && before.back() != ')' ? Scope::record : Scope::block;
  }

  ConstantDeclaration declaration(std::size_t end) const {
    ConstantDeclaration made;
    made.begin = place(trimmed(statement(end)));
    made.end = end;
    made.local = local();
    return made;
  }

  void add(ConstantDeclaration& made, std::string_view part, std::string_view name, std::string_view value,
           bool good) const {
    const std::size_t begin = place(part);
    made.constants.push_back({good ? std::string(name) : "", std::string(value), begin, begin + part.size()});
  }

  void keep(ConstantDeclaration made) {
    const auto named = [](const IntegerConstant& one) { return !one.name.empty(); };
    if (std::any_of(made.constants.begin(), made.constants.end(), named)) found_.push_back(std::move(made));
  }

  // What ends with the semicolon before `end`.
  void declared(std::size_t end) {
    if (!scopes_.empty() && scopes_.back() == Scope::record) return;
    const Specifiers specifiers = specifiers_of(statement(end - 1));
    if (!specifiers.ok()) return;
    ConstantDeclaration made = declaration(end);
    for (const std::string_view part : split(specifiers.rest)) {
      const std::string_view name = first_word(part);
      std::string_view value = trimmed(part.substr(name.size()));
      const bool assigned = !value.empty() && value.front() == '=';
      if (assigned) value = trimmed(value.substr(1));
      const bool braced = value.size() > 1 && value.front() == '{' && value.back() == '}';
      if (braced) value = trimmed(value.substr(1, value.size() - 2));
      const bool fixed = !made.local || specifiers.constant_expression || looks_fixed(value);
      add(made, part, name, value,
          is_identifier(name) && (assigned || braced) && is_integer_expression(value) && fixed);
    }
    keep(std::move(made));
  }

  // Of the brace at `at`, behind `enum Name`.
  std::size_t enumeration(std::size_t at, std::string_view before) {
    const std::size_t close = behind_block(code_, at);
    const std::size_t end = std::min(code_.find(';', close - 1), code_.size() - 1) + 1;
    const std::string_view type = trimmed(before.substr(before.find("enum") + 4));
    const bool scoped = first_word(type) == "class" || first_word(type) == "struct";
    if (!scoped && close - at > 1) {
      ConstantDeclaration made = declaration(end);
      made.is_enum = true;
      made.named = is_identifier(first_word(type)) || !trimmed(code_.substr(close, end - 1 - close)).empty();
      for (const std::string_view part : split(code_.substr(at + 1, close - at - 2))) {
        const std::string_view name = first_word(part);
        std::string_view value = trimmed(part.substr(name.size()));
        const bool assigned = !value.empty() && value.front() == '=';
        if (assigned) value = trimmed(value.substr(1));
        if (!part.empty())
          add(made, part, name, value,
              is_identifier(name) && (assigned ? is_integer_expression(value) : value.empty()));
      }
      keep(std::move(made));
    }
    begin_ = end;
    return end;
  }

  std::string_view code_;
  std::size_t begin_ = 0;
  std::vector<Scope> scopes_;
  std::vector<ConstantDeclaration> found_;
};

}  // namespace

std::vector<ConstantDeclaration> integer_constants(std::string_view code) { return Scan(code).run(); }

}  // namespace tuner::compile
