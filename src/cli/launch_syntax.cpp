#include "cli/launch_syntax.h"

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <utility>

#include "cli/cpp_types.h"
#include "cli/launch_text.h"
#include "compile/bare_code.h"
#include "compile/includes.h"
#include "compile/standard_headers.h"
#include "core/identifier.h"

namespace tuner::cli {
namespace {

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 10 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
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
  Launch(std::string_view source, const std::string& entry, const std::vector<LaunchParameter>& parameters,
         const std::vector<std::string>& dims)
      : source_(source),
        entry_(entry),
        text_(launch_text(source, entry)),
        numbers_(source_numbers(source)),
        dims_(dims) {
    for (std::size_t i = 0; i < std::min(text_.arguments.size(), parameters.size()); ++i) {
      const std::string& given = text_.arguments[i];
      if (is_dim(parameters[i].name)) names_.emplace(given, parameters[i].name);  // the first it is passed as
      const std::vector<LaunchField>& fields = parameters[i].fields;
      for (std::size_t field = 0; field < fields.size(); ++field)
        if (is_dim(fields[field].name)) {
          names_.emplace(given + "." + fields[field].member, fields[field].name);
          for (const std::string& value : values_of(given, fields, field)) names_.emplace(value, fields[field].name);
        }
    }
  }

  LaunchSyntax read() {
    LaunchSyntax syntax;
    syntax.found = text_.close > 0;
    syntax.templates = text_.templates;
    if (text_.configuration.size() >= 2) {
      varied_ = true;
      syntax.block = extents(text_.configuration[1]);
      varied_ = false;
      const NamedNumbers of_block = used_;
      syntax.grid = extents(text_.configuration[0]);
      if (!std::all_of(syntax.grid.begin(), syntax.grid.end(), [&](const std::string& one) { return covers_dim(one); }))
        syntax.grid.clear();
      if (syntax.grid.empty()) used_ = of_block;
    }
    if (text_.configuration.size() >= 3) {
      syntax.shared_text = text_.configuration[2];
      const NamedNumbers before = used_;
      varied_ = true;
      const auto expression = converted(syntax.shared_text, 0);
      varied_ = false;
      if (!expression) used_ = before;
      syntax.shared = expression.value_or("");
    }
    for (const auto& number : used_) (is_size(number.first) ? syntax.sizes : syntax.macros).push_back(number);
    for (const auto& number : numbers_.numbers)
      if (std::find(used_.begin(), used_.end(), number) == used_.end() && kernel_uses(source_, entry_, number.first))
        syntax.others.push_back(number);
    return syntax;
  }

 private:
  bool is_dim(const std::string& name) const { return std::find(dims_.begin(), dims_.end(), name) != dims_.end(); }

  // What the source gives a field of the struct `variable` before the launch: "variable.name = N", or the item of that
  // number of "variable{1, N}" and "variable = make_int2(1, N)".
  std::vector<std::string> values_of(const std::string& variable, const std::vector<LaunchField>& fields,
                                     std::size_t number) const {
    const std::string& name = fields[number].member;
    const bool nested = std::any_of(fields.begin(), fields.end(),
                                    [](const LaunchField& one) { return one.member.find('.') != std::string::npos; });
    std::vector<std::string> values;
    if (!is_identifier(variable)) return values;
    const std::string& bare = text_.bare;
    const std::string assigned = variable + "." + name + "=";
    for (std::size_t at = bare.find(assigned); at < text_.close; at = bare.find(assigned, at + 1)) {
      const std::size_t begin = at + assigned.size();
      if (bare[begin] != '=') values.push_back(bare.substr(begin, end_of_item(bare, begin) - begin));
    }
    if (nested) number = fields.size();  // they are not one item each
    std::vector<std::string> starts{variable + "{", variable + "={"};
    for (const char* type : {"int2(", "int3(", "int4(", "uint2(", "uint3(", "uint4("})
      starts.push_back(variable + "=make_" + type);
    for (const std::string& start : starts)
      for (std::size_t at = bare.find(start); at < text_.close; at = bare.find(start, at + 1)) {
        const std::vector<std::string> given = items(bare, at + start.size());
        if (number < given.size() && given[number].front() != '.') values.push_back(given[number]);
        for (const std::string& item : given)
          if (item.rfind("." + name + "=", 0) == 0) values.push_back(item.substr(name.size() + 2));
      }
    values.erase(
        std::remove_if(values.begin(), values.end(), [](const std::string& one) { return !is_identifier(one); }),
        values.end());
    return values;
  }

  // A number of blocks that the program chose is one whatever the problem; what is divided among blocks is not.
  bool covers_dim(const std::string& extent) const {
    if (extent.find("ceil_div(") == std::string::npos && extent.find("//") == std::string::npos) return true;
    return std::any_of(dims_.begin(), dims_.end(), [&](const std::string& dim) { return has_word(extent, dim); }) ||
           std::any_of(divided_.begin(), divided_.end(), [&](const std::string& one) { return has_word(extent, one); });
  }

  // What is divided among the blocks, or is compared with in the source, and neither block nor divisor.
  bool is_size(const std::string& name) const {
    if (varied_names_.count(name) != 0) return false;
    return divided_.count(name) != 0 || text_.bare.find("<" + name + ";") != std::string::npos ||
           text_.bare.find("<" + name + ")") != std::string::npos ||
           text_.bare.find(">=" + name + ")") != std::string::npos;
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
    if (!is_identifier(text)) return {};
    for (std::size_t at = text_.bare.find(text); at != std::string::npos && at < text_.close;
         at = text_.bare.find(text, at + 1)) {
      const std::size_t end = at + text.size();
      std::size_t begin = text_.bare.find_last_of(";{}", at) + 1;
      for (const char* word : {"static", "constexpr", "const"})
        if (text_.bare.compare(begin, std::string_view(word).size(), word) == 0) begin += std::string_view(word).size();
      const bool declared =
          at >= begin && text_.bare.compare(begin, 4, "dim3") == 0 && (at == begin + 4 || text_.bare[at - 1] == ',');
      if (!declared) continue;
      if (text_.bare[end] == '(' || text_.bare[end] == '{') return items(text_.bare, end + 1);
      if (text_.bare.compare(end, 6, "=dim3(") == 0) return items(text_.bare, end + 6);
    }
    return {};
  }

  // What "int threads = 256;" gives a name before the launch, or a constant of the file; empty: it is none.
  std::string initial(const std::string& name) const {
    for (const auto& [made, value] : numbers_.made)
      if (made == name) return value;
    const std::string wanted = name + "=";
    for (std::size_t at = text_.bare.find(wanted); at != std::string::npos && at < text_.close;
         at = text_.bare.find(wanted, at + 1)) {
      const std::size_t begin = text_.bare.find_last_of(";{}", at) + 1;
      const std::string type = text_.bare.substr(begin, at - begin);
      const auto has = [&](const char* word) { return type.find(word) != std::string::npos; };
      const bool typed =
          type.size() < 40 && (has("int") || has("unsigned") || has("size_t") || has("long") || has("auto"));
      if (!typed || text_.bare[at + wanted.size()] == '=') continue;
      return text_.bare.substr(at + wanted.size(), end_of_item(text_.bare, at + wanted.size()) - at - wanted.size());
    }
    return {};
  }

  std::optional<std::string> named(const std::string& name, int depth) {
    if (const auto known = names_.find(name); known != names_.end()) return known->second;
    for (const auto& number : numbers_.numbers) {
      if (number.first != name) continue;
      if (covered_ && !kernel_uses(source_, entry_, name))
        return std::nullopt;  // the host's alone: another can be passed
      if (std::find(used_.begin(), used_.end(), number) == used_.end()) used_.push_back(number);
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
    const bool single = is_number(expression) || is_identifier(expression) || call;
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

  // "(a + b - 1) / b", "(a + 255) / 256", "a / b".
  std::optional<std::string> quotient(const std::string& text, int depth) {
    static const std::regex rounded_up(R"(^\((.+)\+(.+)-1\)/(.+)$)"), by_number(R"(^\((.+)\+(\d{1,9})\)/(\d{1,9})$)");
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos || text.size() >= 200) return std::nullopt;
    std::smatch found;
    const bool up = std::regex_match(text, found, rounded_up) && unwrapped(found[2]) == unwrapped(found[3]);
    const bool by = !up && std::regex_match(text, found, by_number) && std::stoll(found[2]) + 1 == std::stoll(found[3]);
    if (up || by) {
      const auto over = part(found[1], depth, covered_), under = part(found[3], depth, varied_);
      return over && under ? std::optional("ceil_div(" + *over + ", " + *under + ")") : std::nullopt;
    }
    if (slash != text.rfind('/') || slash + 1 == text.size()) return std::nullopt;
    if (!whole(text.substr(0, slash)) || !whole(text.substr(slash + 1))) return std::nullopt;
    const auto over = part(text.substr(0, slash), depth, covered_);
    const auto under = over ? part(text.substr(slash + 1), depth, varied_) : std::nullopt;
    return under ? std::optional(bracketed(*over) + " // " + bracketed(*under)) : std::nullopt;
  }

  // "p.n" where `word` is followed by it and it is a dimension.
  std::string field_at(const std::string& text, const std::string& word, std::size_t at) const {
    if (at >= text.size() || text[at] != '.') return {};
    const std::string field = word + "." + std::string(first_word(std::string_view(text).substr(at + 1)));
    return names_.count(field) != 0 ? field : std::string();
  }

  // ".x" of a dim3; empty where none stands at `at`.
  std::optional<std::string> extent_at(const std::string& text, const std::string& word, std::size_t at, int depth) {
    const bool axis = at + 1 < text.size() && text[at] == '.' && text[at + 1] >= 'x' && text[at + 1] <= 'z' &&
                      (at + 2 == text.size() || !in_identifier(text[at + 2]));
    const std::vector<std::string> extents = axis && depth <= 4 ? declared_parts(word) : std::vector<std::string>();
    if (extents.empty()) return std::nullopt;
    const auto index = static_cast<std::size_t>(text[at + 1] - 'x');
    const auto extent = converted(index < extents.size() ? extents[index] : "1", depth + 1);
    return extent ? std::optional(bracketed(*extent)) : std::nullopt;
  }

  // What begins with the word at `at`, which moves behind it.
  std::optional<std::string> term(const std::string& text, std::size_t& at, int depth) {
    const std::string word(first_word(std::string_view(text).substr(at)));
    at += word.size();
    if (const auto number = number_of(word)) return std::to_string(*number);
    const bool called = at < text.size() && text[at] == '(';
    if (word == "sizeof" && called) {
      const std::size_t close = end_of_list(text, at + 1);
      const std::int64_t bytes = bytes_of_type(std::string_view(text).substr(at + 1, close - at - 1));
      at = std::min(text.size(), close + 1);
      return bytes > 0 ? std::optional(std::to_string(bytes)) : std::nullopt;
    }
    if (const std::string field = field_at(text, word, at); !field.empty()) {
      at += field.size() - word.size();
      return names_.at(field);
    }
    if (at < text.size() && text[at] == '.') {
      const auto extent = extent_at(text, word, at, depth);
      at += 2;
      return extent;
    }
    return is_identifier(word) && !called ? named(word, depth) : std::nullopt;
  }

  // An integer expression of C++ as the manifest's.
  std::optional<std::string> converted(const std::string& given, int depth) {
    const std::string text = unwrapped(given);
    if (auto both = quotient(text, depth)) return both;
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      const char c = text[at];
      if (in_identifier(c)) {
        const auto one = term(text, at, depth);
        if (!one) return std::nullopt;
        out += *one;
        continue;
      }
      if (std::string_view("+-*/()").find(c) == std::string_view::npos) return std::nullopt;
      out += c == '/' ? " // " : c == '(' || c == ')' ? std::string(1, c) : std::string{' ', c, ' '};
      ++at;
    }
    return out.empty() ? std::nullopt : std::optional(out);
  }

  std::string source_;
  std::string entry_;
  LaunchText text_;
  SourceNumbers numbers_;
  const std::vector<std::string>& dims_;
  NamedNumbers used_;
  bool varied_ = false, covered_ = false;  // what is read is a block or divides; is divided
  std::set<std::string> varied_names_, divided_;
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
                           const std::vector<LaunchParameter>& parameters, const std::vector<std::string>& dims) {
  return Launch(source, entry, parameters, dims).read();
}

}  // namespace tuner::cli
