// Activity, values, constraints and defaults of a kernel as C++.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/gpu.h"
#include "export/code_parts.h"
#include "export/kernel_code.h"

namespace tuner::exporting {
namespace {

constexpr const char* parameters = "const Problem& q, const Params& p, const Gpu& g";
constexpr const char* unused = "    (void)q, (void)p, (void)g;\n";

// The names that `expression` uses, through lets too.
void collect(const space::Expr& expression, const spec::KernelSpec& kernel, std::set<std::string>& into) {
  for (const std::string& name : expression.names()) {
    if (!into.insert(name).second) continue;
    for (const auto& [let, inner] : kernel.lets)
      if (let == name) collect(inner, kernel, into);
  }
}

// How many of the first parameters must be known before `expression` can be asked.
int bound_by(const space::Expr& expression, const spec::KernelSpec& kernel) {
  std::set<std::string> names;
  collect(expression, kernel, names);
  int bound = 0;
  for (std::size_t i = 0; i < kernel.space.params.size(); ++i)
    if (names.count(kernel.space.params[i].name) != 0) bound = static_cast<int>(i) + 1;
  return bound;
}

}  // namespace

std::string KernelCode::active_code() {
  std::string out =
      "  // 1 when parameter i has a value here, 0 when not, -1 when its condition uses an inactive one.\n";
  out += "  " + hd(fmt::format("static int active(int i, {}) {{", parameters)) + "\n" + unused;
  out += "    bool inactive = false;\n    bool on = true;\n    switch (i) {\n";
  for (std::size_t i = 0; i < kernel_.space.params.size(); ++i) {
    const auto& when = kernel_.space.params[i].when;
    if (when) out += fmt::format("      case {}: on = {}; break;\n", i, expression(*when));
  }
  return out + "      default: break;\n    }\n    return inactive ? -1 : on ? 1 : 0;\n  }\n";
}

std::string KernelCode::values_code() {
  std::vector<std::string> counts;
  std::vector<std::string> words;
  std::string out = "  " + hd("static long long value(int i, int v) {") + "\n    switch (i) {\n";
  for (std::size_t i = 0; i < kernel_.space.params.size(); ++i) {
    const auto& values = kernel_.space.params[i].values;
    std::string list;
    for (const Value& value : values) {
      const auto* name = std::get_if<Name>(&value);
      list += (list.empty() ? "" : ", ") + (name == nullptr ? number(value) : word(name->text));
    }
    const bool has_words = std::any_of(values.begin(), values.end(),
                                       [](const Value& value) { return std::holds_alternative<Name>(value); });
    out += fmt::format(
        "      case {}: {{\n        constexpr long long all[] = {{{}}};\n        return all[v];\n      }}\n", i, list);
    counts.push_back(std::to_string(values.size()));
    words.push_back(has_words ? "true" : "false");
  }
  out += "      default: return 0 * v;\n    }\n  }\n";
  return out + switch_of("int", "value_count", "", counts, "0") + switch_of("bool", "is_word", "", words, "false");
}

std::string KernelCode::passes_code() {
  const std::size_t count = kernel_.space.params.size();
  std::vector<std::string> cases(count + 1);
  for (const auto& constraint : kernel_.space.constraints) {
    const int bound = bound_by(constraint.expression, kernel_);
    cases[static_cast<std::size_t>(bound)] +=
        fmt::format("        inactive = false;\n        holds = {};\n        if (!inactive && !holds) return false;\n",
                    expression(constraint.expression));
  }
  std::string out =
      "  // The constraints that can be asked once the first `level` parameters are known; one that uses an\n";
  out += "  // inactive parameter holds.\n";
  out += "  " + hd(fmt::format("static bool passes(int level, {}) {{", parameters)) + "\n" + unused;
  out += "    bool inactive = false;\n    bool holds = true;\n    switch (level) {\n";
  for (std::size_t i = 0; i <= count; ++i)
    if (!cases[i].empty()) out += fmt::format("      case {}:\n{}        break;\n", i, cases[i]);
  return out + "      default: break;\n    }\n    (void)inactive, (void)holds;\n    return true;\n  }\n";
}

std::string KernelCode::defaults_code() {
  std::string asks;
  std::string allows;
  for (std::size_t d = 0; d < kernel_.defaults.size(); ++d) {
    for (const auto& [name, values] : kernel_.defaults[d]) {
      const int i = param_index(name);
      std::string any;
      for (const Value& value : values) {
        const auto* text = std::get_if<Name>(&value);
        any +=
            fmt::format("{}value == {}", any.empty() ? "" : " || ", text == nullptr ? number(value) : word(text->text));
      }
      asks += fmt::format("    if (which == {} && i == {}) return true;\n", d, i);
      allows += fmt::format("    if (which == {} && i == {}) return {};\n", d, i, any.empty() ? "false" : any);
    }
  }
  return "  // Whether default number `which` names parameter i, and leaves it this value.\n  " +
         hd("static bool asks(int which, int i) {") + "\n    (void)which, (void)i;\n" + asks +
         "    return false;\n  }\n  " + hd("static bool allows(int which, int i, long long value) {") +
         "\n    (void)which, (void)i, (void)value;\n" + allows + "    return true;\n  }\n";
}

std::string KernelCode::overlaps_code() {
  std::string out = "  // In the dependent regime: whether it may start before its predecessor has ended.\n";
  out += "  " + hd(fmt::format("static bool overlaps({}) {{", parameters)) + "\n" + unused;
  if (!kernel_.dependent) return out + "    return false;\n  }\n";
  const auto& when = kernel_.dependent->when;
  out += "    bool inactive = false;\n";
  out += fmt::format("    const bool holds = {};\n", when ? expression(*when) : std::string("true"));
  return out + fmt::format("    return g.arch >= {} && (inactive || holds);\n  }}\n", spec::least_dependent_arch);
}

std::string KernelCode::runs_on_code() {
  std::string out = "  " + hd("static bool runs_on(const Problem& q, const Gpu& g) {") + "\n    (void)q, (void)g;\n";
  const std::string& target = kernel_.target;
  if (!target.empty()) {
    auto arch = arch_from_text(target);
    if (!arch) arch = arch_from_text(std::string_view(target).substr(0, target.size() - 1));
    out += fmt::format("    if (g.arch != {}) return false;\n", arch.value_or(0));
  }
  out += "    return " + (kernel_.requires_ ? expression(*kernel_.requires_) : std::string("true")) + ";\n  }\n";
  return out;
}

}  // namespace tuner::exporting
