#include "spec/macros.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/identifier.h"

namespace tuner::spec {
namespace {

// Words a template cannot do without; a parameter of that name would rewrite them.
bool is_cpp_word(const std::string& name) {
  static const std::vector<std::string> kWords = {
      "alignas", "asm",       "auto",      "blockDim",  "blockIdx", "bool",     "break",  "case",     "char",
      "class",   "const",     "constexpr", "continue",  "default",  "do",       "double", "else",     "enum",
      "extern",  "float",     "for",       "gridDim",   "half_t",   "bf16_t",   "if",     "inline",   "int",
      "long",    "namespace", "operator",  "return",    "short",    "signed",   "sizeof", "static",   "struct",
      "switch",  "template",  "this",      "threadIdx", "typedef",  "typename", "union",  "unsigned", "using",
      "void",    "volatile",  "warpSize",  "while",     "DTYPE"};
  return std::find(kWords.begin(), kWords.end(), name) != kWords.end();
}

class Macros {
 public:
  explicit Macros(const KernelSpec& kernel) : kernel_(kernel) {}

  void add(const std::string& macro, const std::string& source, const Cursor& at) {
    if (is_cpp_word(macro) || macro.find("__") != std::string::npos)
      at.fail("the macro '" + macro + "' of " + source + " would hide a word of C++", "rename it");
    for (const ArgSpec& arg : kernel_.args)
      if (arg.name == macro)
        at.fail("the macro '" + macro + "' of " + source + " would hide the argument '" + macro + "'",
                "rename one of them");
    for (const StepSpec& step : kernel_.steps)
      if (step.kind == Step::Kind::launch && unqualified(step.target) == macro)
        at.fail("the macro '" + macro + "' of " + source + " would hide the entry '" + macro + "'",
                "rename one of them");
    const auto [other, fresh] = seen_.try_emplace(macro, source);
    if (!fresh) at.fail(source + " and " + other->second + " give one macro: " + macro, "rename one of them");
  }

 private:
  const KernelSpec& kernel_;
  std::map<std::string, std::string> seen_;
};

}  // namespace

void check_macros(const KernelSpec& kernel, const Cursor& root, Faults* faults) {
  Macros macros(kernel);
  const auto add = [&](const std::string& macro, const std::string& source, const Cursor& at) {
    attempt(faults, [&] { macros.add(macro, source, at); });
  };
  if (const auto facts = root.find("facts"))
    for (const auto& [key, value] : facts->fields()) add("FACT_" + key.text(), "the fact '" + key.text() + "'", key);
  const auto params = root.find("params");
  if (!params) return;
  for (const auto& [key, value] : params->fields()) {
    add(key.text(), "the parameter '" + key.text() + "'", key);
    for (const auto& [choice, number] : kernel.choices(key.text()))
      add(key.text() + "_" + choice, "the value '" + choice + "' of '" + key.text() + "'", key);
  }
}

}  // namespace tuner::spec
