#include "space/space.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/suggest.h"
#include "space/walk.h"

namespace tuner::space {
namespace {

// Why `config` has no place for `param`, or empty.
std::optional<std::string> why_not(const Param& param, const Value* value, bool active) {
  if (!active) {
    if (value == nullptr) return std::nullopt;
    return "'" + param.name + "' is inactive here: " + param.when->text() + " is false";
  }
  if (value == nullptr) return "'" + param.name + "' has no value";
  if (std::find(param.values.begin(), param.values.end(), *value) != param.values.end()) return std::nullopt;
  std::vector<std::string> known;
  for (const Value& v : param.values) known.push_back(to_text(v));
  return fmt::format("'{}' is not a value of '", to_text(*value)) + param.name + "'; " +
         did_you_mean(to_text(*value), known);
}

}  // namespace

void Space::for_each(const Scope& base, const Partial& only, const std::function<bool(const Config&)>& visit) const {
  Walk(*this, base, only).run([&](const Choice& choice) { return visit(config_of(*this, choice)); });
}

std::vector<Config> Space::all(const Scope& base, const Partial& only) const {
  std::vector<Config> configs;
  for_each(base, only, [&](const Config& config) {
    configs.push_back(config);
    return true;
  });
  return configs;
}

std::map<std::string, std::int64_t> Space::exclusions(const Scope& base, const Partial& only) const {
  std::map<std::string, std::int64_t> counts;
  Walk(*this, base, only)
      .run([](const Choice&) { return true; },
           [&](std::size_t constraint, std::int64_t count) {
             std::int64_t& sum = counts[constraints[constraint].expression.text()];
             if (__builtin_add_overflow(sum, count, &sum)) sum = INT64_MAX;
           });
  return counts;
}

std::optional<std::string> Space::why_illegal(const Scope& base, const Config& config) const {
  Scope scope = base;
  for (const Param& param : params) scope.set_inactive(param.name);
  for (const auto& [name, value] : config.params) {
    const auto same = [&name = name](const auto& entry) { return entry.name == name; };
    if (std::none_of(params.begin(), params.end(), same)) return "'" + name + "' is not a parameter of this kernel";
  }
  for (const Param& param : params) {
    const Value* value = config.find(param.name);
    if (auto reason = why_not(param, value, !param.when || param.when->truth(scope))) return reason;
    if (value != nullptr) scope.set(param.name, *value);
  }
  for (const Constraint& constraint : constraints)
    if (!constraint.expression.truth_if_active(scope).value_or(true))
      return constraint.why.empty() || constraint.why == constraint.expression.text()
                 ? constraint.expression.text() + " is false"
                 : constraint.why + " (" + constraint.expression.text() + ")";
  return std::nullopt;
}

std::optional<Config> Space::complete(const Scope& base, const Partial& wanted) const {
  std::optional<Config> first;
  Walk(*this, base, wanted, Walk::Unasked::exclude).run([&](const Choice& choice) {
    first = config_of(*this, choice);
    return false;
  });
  return first;
}

Scope Space::scope_of(const Scope& base, const Config& config) const {
  Scope scope = base;
  for (const Param& param : params) {
    if (const Value* value = config.find(param.name))
      scope.set(param.name, *value);
    else
      scope.set_inactive(param.name);
  }
  return scope;
}

}  // namespace tuner::space
