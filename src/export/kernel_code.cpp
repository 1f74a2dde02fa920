#include "export/kernel_code.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/identifier.h"
#include "export/code_parts.h"
#include "export/cpp_names.h"

namespace tuner::exporting {
std::string literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f || c == '?') {  // '?': no trigraphs
      out += fmt::format("\\{:03o}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// A manifest's words are names; those of a stored row may be any text.
std::string KernelCode::word_name(std::size_t index) const {
  const std::string& text = words_[index];
  return std::all_of(text.begin(), text.end(), in_identifier) ? "word_" + text : "word" + std::to_string(index) + "_";
}

std::string KernelCode::word(const std::string& text) {
  const auto at = std::find(words_.begin(), words_.end(), text);
  const auto index = static_cast<std::size_t>(at - words_.begin());
  if (at == words_.end()) words_.push_back(text);
  return word_name(index);
}

std::string KernelCode::number(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    if (*integer == INT64_MIN) return "(-9223372036854775807ll - 1)";
    return std::to_string(*integer) + (*integer > INT32_MAX || *integer < INT32_MIN ? "ll" : "");
  }
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "1" : "0";
  const std::string& text = std::get<Name>(value).text;
  return name() + "::" + word(text);
}

int KernelCode::param_index(std::string_view name) const {
  for (std::size_t i = 0; i < kernel_.space.params.size(); ++i)
    if (kernel_.space.params[i].name == name) return static_cast<int>(i);
  return -1;
}

std::string KernelCode::problem(const Problem& problem) {
  std::string out = "{";
  for (const std::int64_t dim : problem.dims) out += (out.size() > 1 ? ", " : "") + number(dim);
  for (const auto& fact : kernel_.facts) {
    const Value* value = problem.fact(fact.first);
    out += ", " + (value == nullptr ? "0" : number(*value));
  }
  return out + "}";
}

std::string KernelCode::params(const Config& config) {
  std::string out = "{";
  unsigned long long active = 0;
  for (std::size_t i = 0; i < kernel_.space.params.size(); ++i) {
    const Value* value = config.find(kernel_.space.params[i].name);
    if (value != nullptr) active |= 1ull << i;
    out += (value == nullptr ? "0" : number(*value)) + ", ";
  }
  return out + fmt::format("{:#x}ull}}", active);
}

std::string KernelCode::named(std::string_view name, bool dims_only) {
  if (std::find(kernel_.dims.begin(), kernel_.dims.end(), name) != kernel_.dims.end()) return "q." + field_name(name);
  if (!dims_only) {
    for (const auto& fact : kernel_.facts)
      if (fact.first == name) return "q." + field_name(name);
    if (const int i = param_index(name); i >= 0) return fmt::format("p.read_(p.{}, {}, inactive)", field_name(name), i);
    for (const auto& let : kernel_.lets)
      if (let.first == name) return "let_" + field_name(name) + "(q, p, g, inactive)";
    if (name == "sm_count") return "tuner_expr::max(1, g.sm_count)";
    if (name == "arch" || name == "warp_size" || name == "shared_max") return "g." + std::string(name);
    if (name == spec::dependent_regime && kernel_.dependent) return "q.dependent_";
  }
  return word(std::string(name));
}

std::string KernelCode::expression(const space::Expr& expression, bool dims_only) {
  return expression.to_cpp([&](std::string_view name) { return named(name, dims_only); });
}

std::string KernelCode::types() const {
  std::string out = "  struct Problem {\n";
  for (const std::string& dim : kernel_.dims) out += "    long long " + field_name(dim) + ";\n";
  for (const auto& fact : kernel_.facts) out += "    long long " + field_name(fact.first) + ";\n";
  if (kernel_.dependent) out += "    bool dependent_ = false;  // in_regime sets it\n";
  out += "  };\n  struct Params {\n";
  for (const auto& param : kernel_.space.params) out += "    long long " + field_name(param.name) + ";\n";
  out += "    unsigned long long active_;  // bit i: parameter i\n\n";
  return out + "    " + hd("long long read_(long long value_, int i_, bool& inactive_) const {") +
         " inactive_ = inactive_ || (active_ >> i_ & 1) == 0; return value_; }\n  };\n\n";
}

std::string KernelCode::accessors() const {
  std::vector<std::string> dims;
  std::vector<std::string> facts;
  std::vector<std::string> fact_names;
  std::vector<std::string> params;
  std::vector<std::string> names;
  for (const std::string& dim : kernel_.dims) dims.push_back("q." + field_name(dim));
  for (const auto& fact : kernel_.facts) {
    facts.push_back("q." + field_name(fact.first));
    fact_names.push_back(literal(fact.first));
  }
  for (const auto& param : kernel_.space.params) {
    params.push_back("p." + field_name(param.name));
    names.push_back(literal(param.name));
  }
  // A kernel without facts or parameters is never asked for one.
  if (facts.empty()) facts = {dims[0]}, fact_names = {"\"\""};
  std::string out = "  " + hd("static const char* name() { return ") + literal(kernel_.name) + "; }\n";
  out += switch_of("const char*", "param_name", "", names, "\"\"");
  out += switch_of("const char*", "fact_name", "", fact_names, "\"\"");
  out += reference_pair("dim", "Problem", "q", dims);
  out += reference_pair("fact", "Problem", "q", facts);
  return out + reference_pair("get", "Params", "p", params);
}

std::string KernelCode::facts_code() {
  std::string out = "  // The same shape with the manifest's facts.\n";
  out += "  " + hd("static Problem usual(const Problem& shape) {") + "\n    Problem q = shape;\n";
  for (const auto& [name, value] : kernel_.facts)
    out += "    q." + field_name(name) + " = " + expression(value, true) + ";\n";
  out += "    return q;\n  }\n  // The same problem in the dependent regime, or in the plain one.\n";
  out += "  " + hd("static Problem in_regime(const Problem& asked, bool dependent) {") + "\n    Problem q = asked;\n";
  return out + (kernel_.dependent ? "    q.dependent_ = dependent;\n" : "    (void)dependent;\n") +
         "    return q;\n  }\n";
}

std::string KernelCode::lets_code() {
  std::string out;
  for (const auto& [name, value] : kernel_.lets) {
    out += "  " + hd("static long long let_" + field_name(name) +
                     "(const Problem& q, const Params& p, const Gpu& g, bool& inactive) {");
    out += "\n    (void)q, (void)p, (void)g, (void)inactive;\n    return " + expression(value) + ";\n  }\n";
  }
  return out;
}

// A word as C++ names it: element types have other names there.
std::string KernelCode::cpp_words() const {
  std::string types;
  for (std::size_t i = 0; i < words_.size(); ++i)
    if (const auto type = type_from_text(words_[i]))
      types += fmt::format("    if (number == {}) return {};\n", i, literal(cpp_name(*type)));
  return "  " + hd("static const char* cpp_word(long long number) {") + "\n" + types +
         "    return word(number);\n  }\n";
}

std::string KernelCode::words_code() const {
  std::string constants;
  std::string to_text;
  std::string to_number;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    constants += fmt::format("  static constexpr long long {} = {};\n", word_name(i), i);
    to_text += fmt::format("    if (number == {}) return {};\n", i, literal(words_[i]));
    to_number += fmt::format("    if (same_text(text, {})) return {};\n", literal(words_[i]), i);
  }
  return constants + "  " + hd("static const char* word(long long number) {") + "\n" + to_text +
         "    return number < 0 ? nullptr : \"\";\n  }\n  " + hd("static long long number(const char* text) {") + "\n" +
         to_number + "    return *text == 0 ? -2 : -1;\n  }\n" + cpp_words() + "\n";
}

std::string KernelCode::definition() {
  std::string body = types() + accessors() + facts_code() + lets_code() + active_code() + values_code() +
                     passes_code() + defaults_code() + runs_on_code() + overlaps_code() + steps_code() +
                     problem_rules_code();
  std::string comment = kernel_.path.substr(kernel_.path.rfind('/') + 1) + ": " + kernel_.doc;
  for (char& c : comment)
    if (static_cast<unsigned char>(c) < 0x20 || c == '\\') c = ' ';  // it would end, or go on
  std::string out = "\n// " + comment + "\n";
  out += "struct " + name() + " {\n";
  const std::size_t defaults = std::max<std::size_t>(1, kernel_.defaults.size());
  out += fmt::format(
      "  static constexpr int dim_count = {};\n  static constexpr int fact_count = {};\n"
      "  static constexpr int param_count = {};\n  static constexpr int default_count = {};\n"
      "  static constexpr int max_steps = {};\n",
      kernel_.dims.size(), kernel_.facts.size(), kernel_.space.params.size(), defaults, all_steps(kernel_).size());
  return out + words_code() + body + "};\n";
}

}  // namespace tuner::exporting
