#include "cli/launch_syntax.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <regex>

#include "compile/bare_code.h"
#include "compile/includes.h"
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

NumberMacros number_macros(std::string_view source) {
  static const std::regex define(R"(^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(\d{1,9})[ \t\r]*(//.*|/\*.*)?$)");
  NumberMacros macros;
  std::string text(source);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    std::smatch found;
    if (line.size() < 200 && std::regex_match(line, found, define)) macros.emplace_back(found[1], std::stoll(found[2]));
    at = end + 1;
  }
  return macros;
}

class Launch {
 public:
  Launch(std::string_view source, const std::string& entry, const std::vector<std::string>& parameters,
         const std::vector<std::string>& dims)
      : bare_(compile::bare_code(source)), macros_(number_macros(source)) {
    std::size_t open = bare_.find(entry + "<<<");
    if (open == std::string::npos) return;
    open += entry.size() + 3;
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
    syntax.grid = extents(configuration_[0]);
    syntax.block = extents(configuration_[1]);
    if (syntax.grid.empty() || syntax.block.empty()) return {};
    syntax.macros = used_;
    return syntax;
  }

 private:
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
    if (text.rfind("dim3(", 0) == 0 || text.rfind("dim3{", 0) == 0) return items(text, 5);
    if (!is_name(text)) return {text};
    for (std::size_t at = bare_.find(text); at != std::string::npos && at < close_; at = bare_.find(text, at + 1)) {
      const std::size_t end = at + text.size();
      const std::size_t begin = bare_.find_last_of(";{}", at) + 1;
      const bool declared =
          at >= begin && bare_.compare(begin, 4, "dim3") == 0 && (at == begin + 4 || bare_[at - 1] == ',');
      if (!declared) continue;
      if (bare_[end] == '(' || bare_[end] == '{') return items(bare_, end + 1);
      if (bare_.compare(end, 6, "=dim3(") == 0) return items(bare_, end + 6);
    }
    return {text};
  }

  // What "int threads = 256;" gives a name before the launch; empty: it is none.
  std::string initial(const std::string& name) const {
    const std::string wanted = name + "=";
    for (std::size_t at = bare_.find(wanted); at != std::string::npos && at < close_; at = bare_.find(wanted, at + 1)) {
      const std::size_t begin = bare_.find_last_of(";{}", at) + 1;
      const std::string type = bare_.substr(begin, at - begin);
      const bool typed = type.size() < 40 && (type.find("int") != std::string::npos || type.find("unsigned") == 0 ||
                                              type.find("size_t") != std::string::npos);
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
      return name;
    }
    const std::string value = initial(name);
    if (value.empty() || depth > 4) return std::nullopt;
    const auto expression = converted(value, depth + 1);
    if (!expression || is_number(*expression) || is_name(*expression) || expression->back() == ')') return expression;
    return "(" + *expression + ")";
  }

  // An integer expression of C++ as the manifest's.
  std::optional<std::string> converted(const std::string& text, int depth) {
    static const std::regex rounded_up(R"(^\((.+)\+(\w+)-1\)/(\w+)$)"), by_number(R"(^\((.+)\+(\d{1,9})\)/(\d{1,9})$)");
    std::smatch found;
    const bool up = text.size() < 200 && std::regex_match(text, found, rounded_up) && found[2] == found[3];
    const bool by = !up && text.size() < 200 && std::regex_match(text, found, by_number) &&
                    std::stoll(found[2]) + 1 == std::stoll(found[3]);
    if (up || by) {
      const auto over = converted(found[1], depth), under = converted(found[3], depth);
      if (!over || !under) return std::nullopt;
      return "ceil_div(" + *over + ", " + *under + ")";
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
      const auto name = is_name(word) && (at == text.size() || text[at] != '(') ? named(word, depth) : std::nullopt;
      if (!name) return std::nullopt;
      out += *name;
    }
    return out.empty() ? std::nullopt : std::optional(out);
  }

  std::string bare_;
  NumberMacros macros_, used_;
  std::size_t close_ = 0;
  std::vector<std::string> configuration_;
  std::map<std::string, std::string> names_;  // of the caller's variables, the dimension
};

}  // namespace

bool needs_nvcc(std::string_view source) {
  for (const compile::IncludeLine& include : compile::angle_includes_of(source)) {
    const std::string& name = include.name;
    const bool standard = name.find('.') == std::string::npos && name.find('/') == std::string::npos;
    const bool runtime = name == "cuda.h" || name.rfind("cuda_runtime", 0) == 0;
    const bool c =
        name == "stdio.h" || name == "stdlib.h" || name == "string.h" || name == "math.h" || name == "assert.h";
    if (standard || runtime || c || name.rfind("thrust/", 0) == 0 || name.rfind("cub/", 0) == 0) return true;
  }
  const std::string bare = compile::bare_code(source);
  return bare.find("<<<") != std::string::npos || bare.find("intmain(") != std::string::npos;
}

LaunchSyntax launch_syntax(std::string_view source, const std::string& entry,
                           const std::vector<std::string>& parameters, const std::vector<std::string>& dims) {
  return Launch(source, entry, parameters, dims).read();
}

}  // namespace tuner::cli
