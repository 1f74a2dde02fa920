// The steps of a kernel as C++.
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "export/code_parts.h"
#include "export/kernel_code.h"

namespace tuner::exporting {
namespace {

// Whether anything but scalars depends on the turn of the step's `repeat`.
bool depends_on_turn(const spec::StepSpec& step) {
  if (step.index.empty()) return false;
  const auto uses = [&](const space::Expr& expression) { return expression.names().count(step.index) != 0; };
  const auto any = [&](const std::vector<space::Expr>& list) { return std::any_of(list.begin(), list.end(), uses); };
  for (const auto* each : {&step.when, &step.shared, &step.cooperative})
    if (*each && uses(**each)) return true;
  return any(step.grid) || any(step.block) || any(step.cluster) || any(step.template_arguments);
}

bool is_word(const Value& value) { return std::holds_alternative<Name>(value); }

bool is_choice(const spec::KernelSpec& kernel, const std::string& text) {
  for (const auto& param : kernel.space.params)
    if (std::find(param.values.begin(), param.values.end(), Value{Name{text}}) != param.values.end()) return true;
  return false;
}

}  // namespace

std::vector<spec::StepSpec> all_steps(const spec::KernelSpec& kernel) {
  std::vector<spec::StepSpec> steps;
  for (const auto& arg : kernel.args) {
    if (!arg.set_timed) continue;
    steps.emplace_back().kind = Step::Kind::memset;
    steps.back().target = arg.name;
  }
  steps.insert(steps.end(), kernel.steps.begin(), kernel.steps.end());
  return steps;
}

// Words are told from numbers by what the expression names: a parameter, a fact or a type.
std::string KernelCode::template_argument(const spec::StepSpec& step, const space::Expr& expression) {
  const std::string& text = expression.text();
  const std::string code = this->expression(expression);
  bool word = type_from_text(text).has_value(), truth = false;
  if (const int i = param_index(text); i >= 0) {
    const Value& value = kernel_.space.params[static_cast<std::size_t>(i)].values.front();
    word = is_word(value);
    truth = std::holds_alternative<bool>(value);
  }
  for (const auto& [fact, usual] : kernel_.facts) {
    if (fact != text) continue;
    const bool is_type = type_from_text(usual.text()).has_value();
    for (int i = 0; is_type && i <= static_cast<int>(Type::u4); ++i)
      (void)this->word(std::string(to_text(static_cast<Type>(i))));
    word = is_type || is_choice(kernel_, usual.text());
    truth = usual.text() == "true" || usual.text() == "false";
  }
  if (word) return "Param{nullptr, cpp_word(" + code + "), " + code + "}";
  if (truth) return "template_argument(" + code + " != 0)";
  if (expression.names().count(text) == 0 && text.find('?') != std::string::npos)
    throw UserError("a header cannot hold the template argument '" + text + "' of '" + step.target + "'", kernel_.path,
                    "make it a parameter or a fact of its own");
  return "template_argument(" + code + ")";
}

std::string KernelCode::template_code(const spec::StepSpec& step) {
  std::string out = fmt::format("      out[count].template_count = {};\n", step.template_arguments.size());
  for (std::size_t i = 0; i < step.template_arguments.size(); ++i)
    out += fmt::format("      out[count].template_arguments[{}] = {};\n", i,
                       template_argument(step, step.template_arguments[i]));
  return out;
}

std::string KernelCode::launch_code(const spec::StepSpec& step) {
  const auto dims = [&](const std::vector<space::Expr>& list) {
    std::string text;
    for (std::size_t i = 0; i < 3; ++i)
      text += (i == 0 ? "" : ", ") + (i < list.size() ? expression(list[i]) : std::string("1"));
    return text;
  };
  std::string out =
      fmt::format("      out[count].entry = {};\n      out[count].buffer = nullptr;\n", literal(step.target));
  out += "      out[count].grid = Dim3{" + dims(step.grid) + "};\n";
  out += "      out[count].block = Dim3{" + dims(step.block) + "};\n";
  out += "      out[count].shared_bytes = " + (step.shared ? expression(*step.shared) : std::string("0")) + ";\n";
  if (!step.cluster.empty()) out += "      out[count].cluster = Dim3{" + dims(step.cluster) + "};\n";
  if (step.cooperative) out += "      out[count].cooperative = " + expression(*step.cooperative) + ";\n";
  if (!step.template_arguments.empty()) out += template_code(step);
  if (!step.arguments.empty())
    out +=
        fmt::format("      out[count].arguments = {};\n", literal(fmt::format("{}", fmt::join(step.arguments, ","))));
  return out;
}

std::string KernelCode::step_code(const spec::StepSpec& step) {
  if (depends_on_turn(step))
    throw UserError("a header cannot hold the steps of '" + kernel_.name + "': '" + step.target +
                        "' changes with the index '" + step.index + "' of its 'repeat'",
                    kernel_.path, "export other kernels (--kernel NAME), or the results (--format results)");
  const std::string repeat = step.repeat ? expression(*step.repeat) : "1";
  std::string out = "    on = " + (step.when ? expression(*step.when) : std::string("true")) + ";\n";
  if (step.repeat) out += "    if (" + repeat + " < 0 || " + repeat + " > 4096) return -1;\n";
  if (step.repeat) out += "    on = on && " + repeat + " > 0;\n";
  out += "    if (inactive) return -1;\n    if (on) {\n      out[count] = Step{};\n";
  if (step.kind == Step::Kind::memset)
    out += fmt::format("      out[count].buffer = {};\n      out[count].byte = {};\n", literal(step.target), step.byte);
  else
    out += launch_code(step);
  if (step.repeat)
    out += fmt::format("      out[count].repeat = {};\n      out[count].group = {};\n", repeat, step.group);
  return out + "      if (inactive) return -1;\n      ++count;\n    }\n";
}

std::string KernelCode::steps_code() {
  std::string out = "  // How many steps were put into `out`, in order; -1 when one cannot be resolved.\n";
  out += "  " + hd("static int steps(const Problem& q, const Params& p, const Gpu& g, Step* out) {") + "\n";
  out += "    (void)q, (void)p, (void)g;\n";
  out += "    bool inactive = false;\n    bool on = true;\n    int count = 0;\n";
  for (const auto& step : all_steps(kernel_)) out += step_code(step);
  return out + "    return count;\n  }\n";
}

}  // namespace tuner::exporting
