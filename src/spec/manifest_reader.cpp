#include "spec/manifest_reader.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/gpu.h"
#include "core/suggest.h"
#include "spec/param_values.h"

namespace tuner::spec {
namespace {

constexpr std::size_t kMaxDims = 8;
constexpr std::size_t kMaxParams = 64;
constexpr std::size_t kMaxValues = 1024;

}  // namespace

KernelSpec ManifestReader::read() {
  check_version(root_);
  keys(root_, "manifest");
  for (const char* section : {"dims", "facts", "params", "let", "steps"})
    if (is_misspelt(section)) names_.forgive_unknown();
  attempt([&] { head(); });
  if (const auto body = root_.find("dependent")) names_.add(dependent_regime, Meaning::regime, *body);
  if (!attempt([&] { dims(); })) names_.forgive_unknown();
  facts_whole_ = attempt([&] { facts(); }) && !is_misspelt("facts");
  if (!facts_whole_) names_.forgive_unknown();
  params_whole_ = attempt([&] { params(); }) && !is_misspelt("params");
  if (!params_whole_ && unsure_params_.empty()) names_.forgive_unknown();
  if (!attempt([&] { lets(); }) && kernel_.lets.empty()) names_.forgive_unknown();
  attempt([&] { constraints(); });
  attempt([&] { defaults(); });
  attempt([&] { build(); });
  attempt([&] { indices(); });
  args_whole_ = attempt([&] { args(); });
  steps_whole_ = attempt([&] { steps(); });
  if (args_whole_ && steps_whole_) attempt([&] { check_flow(root_.at("steps")); });
  attempt([&] { costs(); });
  attempt([&] { reference(); });
  attempt([&] { metrics(); });
  attempt([&] { objective(); });
  attempt([&] { dependent(); });
  return std::move(kernel_);
}

std::optional<space::Expr> ManifestReader::expression(const Cursor& body, const char* key, const Allowed& allowed) {
  const auto field = body.find(key);
  if (!field) return std::nullopt;
  std::optional<space::Expr> expression;
  attempt([&] {
    space::Expr read = field->expression();
    names_.check(read, allowed);
    expression = std::move(read);
  });
  return expression;
}

bool ManifestReader::is_misspelt(const char* section) const {
  return faults_ != nullptr && faults_->is_misspelt(root_.where(), section);
}

void ManifestReader::head() {
  attempt([&] { kernel_.name = root_.at("kernel").name(); });
  kernel_.family = kernel_.name;
  attempt([&] {
    if (const auto family = root_.find("family")) kernel_.family = family->name();
  });
  attempt([&] {
    const auto dtype = root_.find("dtype");
    if (!dtype) return;
    kernel_.dtype = dtype->name();
    if (!type_from_text(kernel_.dtype))
      dtype->fail("unknown element type '" + kernel_.dtype + "'", did_you_mean(kernel_.dtype, type_names()));
  });
  attempt([&] {
    if (const auto doc = root_.find("doc")) kernel_.doc = doc->text();
  });
  attempt([&] {
    const Cursor source = root_.at("source");
    kernel_.source_path = source.text();
    if (kernel_.source_path.empty()) source.fail("'source' names no file");
  });
  if (const auto at = root_.find("target")) attempt([&] { target(*at); });
}

void ManifestReader::target(const Cursor& at) {
  kernel_.target = at.text();
  const bool suffixed = !kernel_.target.empty() && (kernel_.target.back() == 'a' || kernel_.target.back() == 'f');
  const std::string arch = kernel_.target.substr(0, kernel_.target.size() - (suffixed ? 1 : 0));
  if (arch.substr(0, 3) != "sm_" || !arch_from_text(arch))
    at.fail("'" + kernel_.target + "' is not an architecture", "e.g. sm_90a");
}

void ManifestReader::dims() {
  const Cursor dims = root_.at("dims");
  for (const Cursor& item : dims.items()) {
    attempt([&] {
      kernel_.dims.push_back(item.name());
      names_.add(kernel_.dims.back(), Meaning::dimension, item);
    });
  }
  if (dims.items().empty()) dims.fail("'dims' is empty", "e.g. dims: [M, N]");
  if (kernel_.dims.size() > kMaxDims) dims.fail("'dims' has more than 8 names");
}

void ManifestReader::facts() {
  const auto facts = root_.find("facts");
  if (!facts) return;
  Allowed allowed = Allowed::problem("'facts'");
  allowed.facts = allowed.gpu = allowed.lets = false;
  for (const auto& [key, value] : facts->fields()) {
    attempt([&, &key = key, &value = value] {
      const std::string name = key.name();
      space::Expr expression = value.expression();
      names_.check(expression, allowed);
      kernel_.facts.emplace_back(name, std::move(expression));
    });
  }
  for (const auto& [key, value] : facts->fields())
    attempt([&, &key = key] { names_.add(key.text(), Meaning::fact, key); });
}

void ManifestReader::params() {
  const auto all = root_.find("params");
  if (!all) return;
  for (const auto& [key, body] : all->fields()) {
    if (attempt([&, &key = key, &body = body] { param(key, body); })) continue;
    unsure_params_.insert(key.text());
    names_.assume(key.text());
    const auto list = body.is_map() ? body.find("values") : std::optional<Cursor>(body);
    if (!list || !list->is_list()) continue;
    for (const Cursor& item : list->items())
      if (!item.is_list() && !item.is_map()) names_.assume(item.text());
  }
  if (kernel_.space.params.size() > kMaxParams) all->fail("there are more than 64 parameters");
}

void ManifestReader::param(const Cursor& key, const Cursor& body) {
  space::Param param;
  param.name = key.name();
  names_.add(param.name, Meaning::parameter, key);
  if (body.is_map()) {
    keys(body, "param");
    attempt([&] { values(param, body.at("values")); });
    if (const auto when = body.find("when")) attempt([&] { param.when = when->expression(); });
  } else {
    values(param, body);
  }
  kernel_.space.params.push_back(std::move(param));
}

void ManifestReader::values(space::Param& param, const Cursor& list) {
  for (const Cursor& item : list.items()) {
    attempt([&] {
      Value value = item.value();
      if (std::find(param.values.begin(), param.values.end(), value) != param.values.end())
        item.fail(fmt::format("'{}' stands twice among the values of '", to_text(value)) + param.name + "'");
      if (!param.values.empty() && param.values.front().index() != value.index())
        item.fail("the values of '" + param.name + "' mix '" + to_text(param.values.front()) + "' and '" +
                      to_text(value) + "'",
                  "use integers only, booleans only or names only");
      if (const auto* choice = std::get_if<Name>(&value)) names_.add(choice->text, Meaning::choice, item);
      param.values.push_back(std::move(value));
    });
  }
  if (list.items().empty()) list.fail("'" + param.name + "' has no values");
  if (param.values.size() > kMaxValues) list.fail("'" + param.name + "' has more than 1024 values");
}

void ManifestReader::lets() {
  if (const auto all = root_.find("let")) {
    for (const auto& [key, value] : all->fields()) {
      const bool read = attempt([&, &key = key, &value = value] {
        kernel_.lets.emplace_back(key.name(), value.expression());
        names_.add_named(kernel_.lets.back().first, Meaning::let, kernel_.lets.back().second, key);
      });
      if (!read) names_.assume(key.text());
    }
  }
  for (const auto& [name, expression] : kernel_.lets) attempt([&, &name = name] { names_.check_named(name); });
  for (std::size_t i = 0; i < kernel_.space.params.size(); ++i) {
    const space::Param& param = kernel_.space.params[i];
    Allowed allowed = Allowed::everything("'when'");
    allowed.place = "the 'when' of '" + param.name + "'";
    allowed.params = static_cast<int>(i);
    if (param.when) attempt([&] { names_.check(*param.when, allowed); });
  }
  kernel_.requires_ = expression(root_, "requires", Allowed::problem("'requires'"));
}

void ManifestReader::constraints() {
  const auto where = root_.find("where");
  if (!where) return;
  for (const Cursor& item : where->items_or_one()) attempt([&] { constraint(item); });
}

void ManifestReader::constraint(const Cursor& item) {
  space::Constraint constraint;
  if (item.is_map()) {
    keys(item, "constraint");
    constraint.expression = item.at("expr").expression();
    if (const auto why = item.find("why")) constraint.why = why->text();
  } else {
    constraint.expression = item.expression();
  }
  if (constraint.why.empty()) constraint.why = constraint.expression.text();
  names_.check(constraint.expression, Allowed::everything("'where'"));
  kernel_.space.constraints.push_back(std::move(constraint));
}

void ManifestReader::defaults() {
  const auto all = root_.find("default");
  if (!all || (!params_whole_ && unsure_params_.empty())) return;
  for (const Cursor& entry : all->items_or_one()) attempt([&] { default_entry(entry); });
}

void ManifestReader::default_entry(const Cursor& entry) {
  space::Partial partial;
  for (const auto& [key, value] : entry.fields())
    if (unsure_params_.count(key.text()) == 0)
      attempt([&, &key = key, &value = value] { partial.emplace_back(key.text(), values_for(kernel_, key, value)); });
  kernel_.defaults.push_back(std::move(partial));
}

}  // namespace tuner::spec
