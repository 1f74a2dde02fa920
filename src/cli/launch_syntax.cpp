#include "cli/launch_syntax.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <utility>

#include "compile/bare_code.h"
#include "compile/code_pieces.h"
#include "compile/includes.h"
#include "compile/integer_constants.h"
#include "compile/standard_headers.h"
#include "core/identifier.h"

namespace tuner::cli {
namespace {

bool is_name(const std::string& text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::all_of(text.begin(), text.end(), in_identifier);
}

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 10 &&
         std::all_of(text.begin(), text.end(), [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

// Behind what `text` has up to a comma or closing bracket of its own level.
std::size_t end_of_item(std::string_view text, std::size_t at) {
  for (int depth = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (depth == 0 && (c == ',' || c == ')' || c == '}' || c == ';')) break;
    depth += c == '(' || c == '{' ? 1 : c == ')' || c == '}' ? -1 : 0;
  }
  return at;
}

// Where the bracket closes that was open at `at`.
std::size_t end_of_list(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != ')') {
    at = end_of_item(text, at);
    if (at < text.size() && text[at] != ')') ++at;
  }
  return at;
}

// The items of a list whose first begins at `at`.
std::vector<std::string> items(std::string_view text, std::size_t at) {
  std::vector<std::string> all;
  while (at < text.size()) {
    const std::size_t end = end_of_item(text, at);
    if (end > at) all.emplace_back(text.substr(at, end - at));
    if (end >= text.size() || text[end] != ',') break;
    at = end + 1;
  }
  return all;
}

// Of "256", "256u", "(1 << 20)", "4 * WARP" with what is known.
std::optional<std::int64_t> number_of(std::string text, const NumberMacros& known) {
  text.erase(std::remove_if(text.begin(), text.end(), [](unsigned char c) { return std::isspace(c) != 0; }),
             text.end());
  while (text.size() > 1 && text.front() == '(' && text.find(')') == text.size() - 1)
    text = text.substr(1, text.size() - 2);
  for (const std::string& operation : {std::string("<<"), std::string("*")}) {
    const auto at = text.find(operation);
    if (at == std::string::npos) continue;
    const auto left = number_of(text.substr(0, at), known),
               right = number_of(text.substr(at + operation.size()), known);
    if (!left || !right || *left > INT32_MAX || *right > (operation == "*" ? INT32_MAX : 31)) return std::nullopt;
    return operation == "*" ? *left * *right : *left << *right;
  }
  for (const auto& [name, value] : known)
    if (name == text) return value;
  while (text.size() > 1 && std::string_view("uUlL").find(text.back()) != std::string_view::npos) text.pop_back();
  return is_number(text) ? std::optional<std::int64_t>(std::stoll(text)) : std::nullopt;
}

NumberMacros number_macros(std::string_view source) {
  static const std::regex define(R"(^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(\d{1,9})[ \t\r]*(//.*|/\*.*)?$)");
  NumberMacros macros;
  const std::string text = compile::comments_blanked(source);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    std::smatch found;
    if (line.size() < 200 && std::regex_match(line, found, define)) macros.emplace_back(found[1], std::stoll(found[2]));
    at = end + 1;
  }
  const std::string plain = compile::plain_code(source, '#');
  for (const compile::ConstantDeclaration& declaration : compile::integer_constants(plain)) {
    if (declaration.local) continue;
    for (const compile::IntegerConstant& constant : declaration.constants)
      if (const auto value = number_of(constant.value, macros); value && !constant.name.empty())
        macros.emplace_back(constant.name, *value);
  }
  return macros;
}

// Without brackets around all of it.
std::string unwrapped(std::string text) {
  while (text.size() > 2 && text.front() == '(' && end_of_list(text, 1) == text.size() - 1)
    text = text.substr(1, text.size() - 2);
  for (const char* cast : {"(int)", "(unsigned)", "(unsigned int)", "(size_t)"})
    if (text.rfind(cast, 0) == 0) return unwrapped(text.substr(std::string_view(cast).size()));
  return text;
}

class Launch {
 public:
  Launch(std::string_view source, const std::string& entry, const std::vector<std::string>& parameters,
         const std::vector<std::string>& dims)
      : bare_(compile::bare_code(source)), macros_(number_macros(source)) {
    const std::size_t open = launch_of(entry);
    if (open == std::string::npos) return;
    close_ = bare_.find(">>>", open);
    if (close_ == std::string::npos) return;
    configuration_ = items(std::string_view(bare_).substr(0, close_), open);
    const std::vector<std::string> given = items(bare_, close_ + 4);
    for (std::size_t i = 0; i < std::min(given.size(), parameters.size()); ++i)
      if (std::find(dims.begin(), dims.end(), parameters[i]) != dims.end()) names_[given[i]] = parameters[i];
  }

  LaunchSyntax read() {
    LaunchSyntax syntax;
    if (configuration_.size() < 2) return syntax;
    varied_ = true;
    syntax.block = extents(configuration_[1]);
    varied_ = false;
    const NumberMacros of_block = used_;
    syntax.grid = extents(configuration_[0]);
    if (syntax.grid.empty()) used_ = of_block;
    for (const auto& macro : used_) (is_size(macro.first) ? syntax.sizes : syntax.macros).push_back(macro);
    return syntax;
  }

 private:
  // Behind the "<<<" that launches it, with template arguments or without.
  std::size_t launch_of(const std::string& entry) const {
    for (std::size_t at = bare_.find("<<<"); at != std::string::npos; at = bare_.find("<<<", at + 3)) {
      const std::size_t begin = bare_.find_last_of(";{}", at) + 1;
      const std::size_t name = bare_.find(entry, begin);
      if (name == std::string::npos || name > at) continue;
      const std::string before = bare_.substr(begin, name - begin);  // white space is gone: "elsef<<<"
      if (!before.empty() && in_identifier(before.back()) && before != "else" && before != "do") continue;
      const std::size_t end = name + entry.size();
      if (end == at || (bare_[end] == '<' && bare_[at - 1] == '>')) return at + 3;
    }
    return std::string::npos;
  }

  // What is divided among the blocks, or is compared with in the source, and neither block nor divisor.
  bool is_size(const std::string& name) const {
    if (varied_names_.count(name) != 0) return false;
    return divided_.count(name) != 0 || bare_.find("<" + name + ";") != std::string::npos ||
           bare_.find("<" + name + ")") != std::string::npos || bare_.find(">=" + name + ")") != std::string::npos;
  }

  std::vector<std::string> extents(const std::string& text) {
    std::vector<std::string> all;
    for (const std::string& each : parts(text)) {
      const auto expression = converted(each, 0);
      if (!expression) return {};
      all.push_back(*expression);
    }
    return all.size() > 3 ? std::vector<std::string>{} : all;
  }

  // Of `dim3(a, b)`, of the name of such a variable, or the text itself.
  std::vector<std::string> parts(const std::string& text) const {
    const std::vector<std::string> declared = declared_parts(text);
    return declared.empty() ? std::vector<std::string>{text} : declared;
  }

  // Empty: it is no dim3.
  std::vector<std::string> declared_parts(const std::string& text) const {
    if (text.rfind("dim3(", 0) == 0 || text.rfind("dim3{", 0) == 0) return items(text, 5);
    if (!is_name(text)) return {};
    for (std::size_t at = bare_.find(text); at != std::string::npos && at < close_; at = bare_.find(text, at + 1)) {
      const std::size_t end = at + text.size();
      std::size_t begin = bare_.find_last_of(";{}", at) + 1;
      for (const char* word : {"static", "constexpr", "const"})
        if (bare_.compare(begin, std::string_view(word).size(), word) == 0) begin += std::string_view(word).size();
      const bool declared =
          at >= begin && bare_.compare(begin, 4, "dim3") == 0 && (at == begin + 4 || bare_[at - 1] == ',');
      if (!declared) continue;
      if (bare_[end] == '(' || bare_[end] == '{') return items(bare_, end + 1);
      if (bare_.compare(end, 6, "=dim3(") == 0) return items(bare_, end + 6);
    }
    return {};
  }

  // What "int threads = 256;" gives a name before the launch; empty: it is none.
  std::string initial(const std::string& name) const {
    const std::string wanted = name + "=";
    for (std::size_t at = bare_.find(wanted); at != std::string::npos && at < close_; at = bare_.find(wanted, at + 1)) {
      const std::size_t begin = bare_.find_last_of(";{}", at) + 1;
      const std::string type = bare_.substr(begin, at - begin);
      const auto has = [&](const char* word) { return type.find(word) != std::string::npos; };
      const bool typed =
          type.size() < 40 && (has("int") || has("unsigned") || has("size_t") || has("long") || has("auto"));
      if (!typed || bare_[at + wanted.size()] == '=') continue;
      return bare_.substr(at + wanted.size(), end_of_item(bare_, at + wanted.size()) - at - wanted.size());
    }
    return {};
  }

  std::optional<std::string> named(const std::string& name, int depth) {
    if (const auto known = names_.find(name); known != names_.end()) return known->second;
    const auto macro = std::find_if(macros_.begin(), macros_.end(), [&](const auto& one) { return one.first == name; });
    if (macro != macros_.end()) {
      if (std::find(used_.begin(), used_.end(), *macro) == used_.end()) used_.push_back(*macro);
      if (varied_) varied_names_.insert(name);
      if (covered_) divided_.insert(name);
      return name;
    }
    const std::string value = initial(name);
    if (value.empty() || depth > 4) return std::nullopt;
    const auto expression = converted(value, depth + 1);
    return expression ? std::optional(bracketed(*expression)) : std::nullopt;
  }

  static std::string bracketed(const std::string& expression) {
    const std::size_t open = expression.find('(');
    const bool call =
        open != std::string::npos && end_of_list(expression, open + 1) == expression.size() - 1 &&
        std::all_of(expression.begin(), expression.begin() + static_cast<std::ptrdiff_t>(open), in_identifier);
    const bool single = is_number(expression) || is_name(expression) || call;
    return single ? expression : "(" + expression + ")";
  }

  // Whether brackets close what they open in it, and no sum is outside of them.
  static bool whole(const std::string& text) {
    int depth = 0;
    for (const char c : text) {
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth < 0 || (depth == 0 && (c == '+' || c == '-'))) return false;
    }
    return depth == 0 && !text.empty();
  }

  // With `flag` set: what macros in it are.
  std::optional<std::string> part(const std::string& text, int depth, bool& flag) {
    const bool before = std::exchange(flag, true);
    const bool other = &flag == &varied_ ? std::exchange(covered_, false) : covered_;
    const auto expression = converted(text, depth);
    flag = before;
    if (&flag == &varied_) covered_ = other;
    return expression;
  }

  // An integer expression of C++ as the manifest's.
  std::optional<std::string> converted(const std::string& given, int depth) {
    static const std::regex rounded_up(R"(^\((.+)\+(.+)-1\)/(.+)$)"), by_number(R"(^\((.+)\+(\d{1,9})\)/(\d{1,9})$)");
    const std::string text = unwrapped(given);
    std::smatch found;
    const bool up =
        text.size() < 200 && std::regex_match(text, found, rounded_up) && unwrapped(found[2]) == unwrapped(found[3]);
    const bool by = !up && text.size() < 200 && std::regex_match(text, found, by_number) &&
                    std::stoll(found[2]) + 1 == std::stoll(found[3]);
    if (up || by) {
      const auto over = part(found[1], depth, covered_), under = part(found[3], depth, varied_);
      if (!over || !under) return std::nullopt;
      return "ceil_div(" + *over + ", " + *under + ")";
    }
    if (text.find('/') != std::string::npos && text.find('/') == text.rfind('/') && text.back() != '/') {
      const std::size_t at = text.find('/');
      const auto over = whole(text.substr(0, at)) ? part(text.substr(0, at), depth, covered_) : std::nullopt;
      const auto under = over && whole(text.substr(at + 1)) ? part(text.substr(at + 1), depth, varied_) : std::nullopt;
      if (over && under) return bracketed(*over) + " // " + bracketed(*under);
    }
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at;
      while (end < text.size() && in_identifier(text[end])) ++end;
      if (end == at) {
        if (std::string_view("+-*/()").find(text[at]) == std::string_view::npos) return std::nullopt;
        out += text[at] == '/'                      ? " // "
               : text[at] == '(' || text[at] == ')' ? std::string(1, text[at])
                                                    : std::string{' ', text[at], ' '};
        ++at;
        continue;
      }
      const std::string word = text.substr(at, end - at);
      at = end;
      if (is_number(word)) {
        out += word;
        continue;
      }
      if (at + 1 < text.size() && text[at] == '.' && text[at + 1] >= 'x' && text[at + 1] <= 'z' &&
          (at + 2 == text.size() || !in_identifier(text[at + 2]))) {
        const std::vector<std::string> extents = depth > 4 ? std::vector<std::string>() : declared_parts(word);
        const auto index = static_cast<std::size_t>(text[at + 1] - 'x');
        if (extents.empty()) return std::nullopt;
        const auto extent = converted(index < extents.size() ? extents[index] : "1", depth + 1);
        if (!extent) return std::nullopt;
        out += bracketed(*extent);
        at += 2;
        continue;
      }
      const auto name = is_name(word) && (at == text.size() || text[at] != '(') ? named(word, depth) : std::nullopt;
      if (!name) return std::nullopt;
      out += *name;
    }
    return out.empty() ? std::nullopt : std::optional(out);
  }

  std::string bare_;
  NumberMacros macros_, used_;
  bool varied_ = false, covered_ = false;  // what is read is a block or divides; is divided
  std::set<std::string> varied_names_, divided_;
  std::size_t close_ = 0;
  std::vector<std::string> configuration_;
  std::map<std::string, std::string> names_;  // of the caller's variables, the dimension
};

}  // namespace

bool needs_nvcc(std::string_view source) {
  for (const compile::IncludeLine& include : compile::angle_includes_of(source)) {
    const std::string& name = include.name;
    if (compile::is_standard_header(name)) continue;
    const bool standard = name.find('.') == std::string::npos && name.find('/') == std::string::npos;
    const bool runtime = name == "cuda.h" || name.rfind("cuda_runtime", 0) == 0;
    if (standard || runtime || name == "stdlib.h" || name.rfind("thrust/", 0) == 0 || name.rfind("cub/", 0) == 0)
      return true;
  }
  const std::string bare = compile::bare_code(source);
  return bare.find("<<<") != std::string::npos || bare.find("intmain(") != std::string::npos;
}

LaunchSyntax launch_syntax(std::string_view source, const std::string& entry,
                           const std::vector<std::string>& parameters, const std::vector<std::string>& dims) {
  return Launch(source, entry, parameters, dims).read();
}

}  // namespace tuner::cli
