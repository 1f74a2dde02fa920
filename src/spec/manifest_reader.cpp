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
  root_.check_keys({"tuner",    "kernel",        "family",    "dtype",           "doc",      "source",   "entry",
                    "requires", "target",        "dims",      "facts",           "params",   "where",    "default",
                    "args",     "steps",         "let",       "traffic",         "flops",    "bound_by", "reference",
                    "chain",    "deterministic", "baselines", "bytes_in_flight", "compiler", "options",  "include_dirs",
                    "defines",  "bound",         "terms",     "exact_integers",  "awkward"});
  head();
  dims_and_facts();
  params();
  lets();
  constraints();
  defaults();
  build();
  indices();
  args();
  steps();
  costs();
  reference();
  return std::move(kernel_);
}

std::optional<space::Expr> ManifestReader::expression(const Cursor& body, const char* key, const Allowed& allowed) {
  const auto field = body.find(key);
  if (!field) return std::nullopt;
  space::Expr expression = field->expression();
  names_.check(expression, allowed);
  return expression;
}

void ManifestReader::head() {
  kernel_.name = root_.at("kernel").name();
  kernel_.family = kernel_.name;
  if (const auto family = root_.find("family")) kernel_.family = family->name();
  if (const auto dtype = root_.find("dtype")) {
    kernel_.dtype = dtype->name();
    if (!type_from_text(kernel_.dtype))
      dtype->fail("unknown element type '" + kernel_.dtype + "'", did_you_mean(kernel_.dtype, type_names()));
  }
  if (const auto doc = root_.find("doc")) kernel_.doc = doc->text();
  const Cursor source = root_.at("source");
  kernel_.source_path = source.text();
  if (kernel_.source_path.empty()) source.fail("'source' names no file");
  if (const auto target = root_.find("target")) {
    kernel_.target = target->text();
    const bool suffixed = !kernel_.target.empty() && (kernel_.target.back() == 'a' || kernel_.target.back() == 'f');
    const std::string arch = kernel_.target.substr(0, kernel_.target.size() - (suffixed ? 1 : 0));
    if (arch.substr(0, 3) != "sm_" || !arch_from_text(arch))
      target->fail("'" + kernel_.target + "' is not an architecture", "e.g. sm_90a");
  }
}

void ManifestReader::dims_and_facts() {
  const Cursor dims = root_.at("dims");
  for (const Cursor& item : dims.items()) {
    kernel_.dims.push_back(item.name());
    names_.add(kernel_.dims.back(), Meaning::dimension, item);
  }
  if (kernel_.dims.empty()) dims.fail("'dims' is empty", "e.g. dims: [M, N]");
  if (kernel_.dims.size() > kMaxDims) dims.fail("'dims' has more than 8 names");
  const auto facts = root_.find("facts");
  if (!facts) return;
  Allowed allowed = Allowed::problem("'facts'");
  allowed.facts = allowed.gpu = allowed.lets = false;
  for (const auto& [key, value] : facts->fields()) {
    const std::string name = key.name();
    space::Expr expression = value.expression();
    names_.check(expression, allowed);
    kernel_.facts.emplace_back(name, std::move(expression));
  }
  for (const auto& [key, value] : facts->fields()) names_.add(key.text(), Meaning::fact, key);
}

void ManifestReader::params() {
  const auto all = root_.find("params");
  if (!all) return;
  for (const auto& [key, body] : all->fields()) param(key, body);
  if (kernel_.space.params.size() > kMaxParams) all->fail("there are more than 64 parameters");
}

void ManifestReader::param(const Cursor& key, const Cursor& body) {
  space::Param param;
  param.name = key.name();
  names_.add(param.name, Meaning::parameter, key);
  if (body.is_map()) {
    body.check_keys({"values", "when"});
    values(param, body.at("values"));
    if (const auto when = body.find("when")) param.when = when->expression();
  } else {
    values(param, body);
  }
  kernel_.space.params.push_back(std::move(param));
}

void ManifestReader::values(space::Param& param, const Cursor& list) {
  for (const Cursor& item : list.items()) {
    Value value = item.value();
    if (std::find(param.values.begin(), param.values.end(), value) != param.values.end())
      item.fail(fmt::format("'{}' stands twice among the values of '", to_text(value)) + param.name + "'");
    if (!param.values.empty() && param.values.front().index() != value.index())
      item.fail(
          "the values of '" + param.name + "' mix '" + to_text(param.values.front()) + "' and '" + to_text(value) + "'",
          "use integers only, booleans only or names only");
    if (const auto* choice = std::get_if<Name>(&value)) names_.add(choice->text, Meaning::choice, item);
    param.values.push_back(std::move(value));
  }
  if (param.values.empty()) list.fail("'" + param.name + "' has no values");
  if (param.values.size() > kMaxValues) list.fail("'" + param.name + "' has more than 1024 values");
}

void ManifestReader::lets() {
  if (const auto all = root_.find("let")) {
    for (const auto& [key, value] : all->fields()) {
      kernel_.lets.emplace_back(key.name(), value.expression());
      names_.add_let(kernel_.lets.back().first, kernel_.lets.back().second, key);
    }
  }
  names_.check_lets();
  for (std::size_t i = 0; i < kernel_.space.params.size(); ++i) {
    const space::Param& param = kernel_.space.params[i];
    Allowed allowed = Allowed::everything("'when'");
    allowed.place = "the 'when' of '" + param.name + "'";
    allowed.params = static_cast<int>(i);
    if (param.when) names_.check(*param.when, allowed);
  }
  kernel_.requires_ = expression(root_, "requires", Allowed::problem("'requires'"));
}

void ManifestReader::constraints() {
  const auto where = root_.find("where");
  if (!where) return;
  for (const Cursor& item : where->items_or_one()) {
    space::Constraint constraint;
    if (item.is_map()) {
      item.check_keys({"expr", "why"});
      constraint.expression = item.at("expr").expression();
      if (const auto why = item.find("why")) constraint.why = why->text();
    } else {
      constraint.expression = item.expression();
    }
    if (constraint.why.empty()) constraint.why = constraint.expression.text();
    names_.check(constraint.expression, Allowed::everything("'where'"));
    kernel_.space.constraints.push_back(std::move(constraint));
  }
}

void ManifestReader::defaults() {
  const auto all = root_.find("default");
  if (!all) return;
  for (const Cursor& entry : all->items_or_one()) default_entry(entry);
}

void ManifestReader::default_entry(const Cursor& entry) {
  space::Partial partial;
  for (const auto& [key, value] : entry.fields()) partial.emplace_back(key.text(), values_for(kernel_, key, value));
  kernel_.defaults.push_back(std::move(partial));
}

}  // namespace tuner::spec
