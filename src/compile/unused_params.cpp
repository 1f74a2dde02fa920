#include "compile/unused_params.h"

#include <algorithm>
#include <optional>
#include <set>

#include "compile/code_pieces.h"
#include "compile/render.h"
#include "core/identifier.h"

namespace tuner::compile {
namespace {

class Used {
 public:
  void text(std::string_view code) {
    for (std::size_t at = 0; at < code.size();) {
      std::size_t end = at;
      while (end < code.size() && in_identifier(code[end])) ++end;
      if (end > at) names.emplace(code.substr(at, end - at));
      at = end + 1;
    }
  }
  void add(const space::Expr& expression) {
    for (const auto& name : expression.names()) names.insert(std::string(name));
  }
  void add(const std::optional<space::Expr>& expression) {
    if (expression) add(*expression);
  }
  void add(const std::vector<space::Expr>& expressions) {
    for (const space::Expr& each : expressions) add(each);
  }
  void add(const spec::StepSpec& step) {
    for (const auto* each : {&step.when, &step.shared, &step.cooperative, &step.repeat}) add(*each);
    for (const auto* each : {&step.grid, &step.block, &step.template_arguments, &step.cluster}) add(*each);
  }
  void add(const spec::ArgSpec& arg) {
    add(arg.size), add(arg.align), add(arg.when);
    for (const spec::ScalarSpec& field : arg.fields) add(field.value);
  }

  std::set<std::string> names;
};

Used used_by(const spec::KernelSpec& kernel) {
  Used used;
  for (const auto& param : kernel.space.params) used.add(param.when);
  for (const auto& constraint : kernel.space.constraints) used.add(constraint.expression);
  for (const auto& [name, expression] : kernel.lets) used.add(expression);
  for (const auto& arg : kernel.args) used.add(arg);
  for (const auto& step : kernel.steps) used.add(step);
  for (const auto& option : kernel.options) used.add(option.value), used.add(option.when);
  for (const auto& [name, value] : kernel.defines) used.text(value);
  for (const auto& [name, expression] : kernel.metrics) used.add(expression);
  return used;
}

}  // namespace

std::vector<std::string> unused_params(const spec::KernelSpec& kernel) {
  if (kernel.space.params.empty()) return {};
  const TemplateClosure closure = closure_of(kernel);
  if (!closure.outside.empty()) return {};
  Used used = used_by(kernel);
  used.text(comments_blanked(closure.text));
  for (const Header& header : closure.headers) used.text(comments_blanked(header.text));
  std::vector<std::string> unused;
  for (const auto& param : kernel.space.params)
    if (param.values.size() > 1 && used.names.count(param.name) == 0) unused.push_back(param.name);
  return unused;
}

}  // namespace tuner::compile
