#include "space/walk.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "core/suggest.h"

namespace tuner::space {
namespace {

// The names `expression` uses, those inside its lets included.
void collect(const Expr& expression, const Scope& scope, std::set<std::string>& into) {
  for (const std::string& name : expression.names()) {
    if (!into.insert(name).second) continue;
    const Scope::Entry* entry = scope.entry(name);
    if (entry != nullptr && entry->kind == Scope::Entry::Kind::let) collect(*entry->expression, scope, into);
  }
}

std::set<std::string> all_names(const Expr& expression, const Scope& scope) {
  std::set<std::string> names;
  collect(expression, scope, names);
  return names;
}

std::vector<std::string> names_of(const Space& space) {
  std::vector<std::string> names;
  for (const Param& param : space.params) names.push_back(param.name);
  return names;
}

}  // namespace

Config config_of(const Space& space, const Choice& choice) {
  Config config;
  for (std::size_t i = 0; i < choice.size(); ++i)
    if (choice[i] != kInactive)
      config.params.emplace_back(space.params[i].name, space.params[i].values[static_cast<std::size_t>(choice[i])]);
  return config;
}

void check_names(const Space& space, const Partial& only) {
  for (const auto& [name, values] : only) {
    const auto same = [&name = name](const Param& param) { return param.name == name; };
    if (std::none_of(space.params.begin(), space.params.end(), same))
      throw UserError("unknown parameter '" + name + "'", {}, did_you_mean(name, names_of(space)));
  }
}

Walk::Walk(const Space& space, const Scope& base, const Partial& only, Unasked unasked)
    : space_(space), scope_(base), choice_(space.params.size(), kInactive), unasked_(unasked) {
  check_names(space, only);
  const std::size_t count = space.params.size();
  named_.assign(count, false);
  decides_when_.assign(count, false);
  for (const Param& param : space.params) {
    scope_.set_inactive(param.name);
    std::vector<int> values(param.values.size());
    std::iota(values.begin(), values.end(), 0);
    for (const auto& [name, wanted] : only) {
      if (name != param.name) continue;
      named_[allowed_.size()] = true;
      const auto unwanted = [&wanted = wanted, &param](int i) {
        const Value& value = param.values[static_cast<std::size_t>(i)];
        return std::find(wanted.begin(), wanted.end(), value) == wanted.end();
      };
      values.erase(std::remove_if(values.begin(), values.end(), unwanted), values.end());
    }
    allowed_.push_back(std::move(values));
    if (!param.when) continue;
    const std::set<std::string> used = all_names(*param.when, base);
    for (std::size_t i = 0; i < count; ++i)
      if (used.count(space.params[i].name) != 0) decides_when_[i] = true;
  }
  place_constraints(base);
}

void Walk::place_constraints(const Scope& base) {
  asked_.assign(space_.params.size() + 1, {});
  for (std::size_t c = 0; c < space_.constraints.size(); ++c) {
    const std::set<std::string> used = all_names(space_.constraints[c].expression, base);
    std::size_t bound = 0;
    for (std::size_t i = 0; i < space_.params.size(); ++i)
      if (used.count(space_.params[i].name) != 0) bound = i + 1;
    asked_[bound].push_back(c);
  }
}

void Walk::run(const std::function<bool(const Choice&)>& visit) {
  visit_ = &visit;
  if (passes(0)) descend(0);
}

void Walk::run(const std::function<bool(const Choice&)>& visit,
               const std::function<void(std::size_t, std::int64_t)>& excluded) {
  excluded_ = &excluded;
  run(visit);
  excluded_ = nullptr;
}

void Walk::run_in_order(const std::function<void(std::size_t, std::vector<int>&)>& order, std::size_t steps,
                        const std::function<bool(const Choice&)>& visit) {
  order_ = &order;
  steps_left_ = steps;
  run(visit);
  order_ = nullptr;
}

bool Walk::active(std::size_t level) {
  const Param& param = space_.params[level];
  return !param.when || param.when->truth(scope_);
}

// Returns false when the visitor asked to stop.
bool Walk::descend(std::size_t level) {
  if (level == space_.params.size()) return (*visit_)(choice_);
  if (!active(level)) {
    if (named_[level] && unasked_ == Unasked::exclude) return true;
    return assign_and_descend(level, kInactive);
  }
  std::vector<int> ordered;
  if (order_ != nullptr) (*order_)(level, ordered = allowed_[level]);
  for (const int value : order_ != nullptr ? ordered : allowed_[level]) {
    if (order_ != nullptr && steps_left_-- == 0) return false;
    if (!assign_and_descend(level, value)) return false;
  }
  choice_[level] = kInactive;
  scope_.set_inactive(space_.params[level].name);
  return true;
}

bool Walk::assign_and_descend(std::size_t level, int value) {
  const Param& param = space_.params[level];
  choice_[level] = value;
  if (value == kInactive)
    scope_.set_inactive(param.name);
  else
    scope_.set(param.name, param.values[static_cast<std::size_t>(value)]);
  return !passes(level + 1) || descend(level + 1);
}

bool Walk::passes(std::size_t bound) {
  for (const std::size_t c : asked_[bound]) {
    if (space_.constraints[c].expression.truth_if_active(scope_).value_or(true)) continue;
    if (excluded_ != nullptr) (*excluded_)(c, completions(bound));
    return false;
  }
  return true;
}

// How many configurations the parameters from `level` on would give with no constraint. Only those that decide
// another's `when` are tried one by one.
std::int64_t Walk::completions(std::size_t level) {
  if (level == space_.params.size()) return 1;
  const Param& param = space_.params[level];
  const auto saturated = [](bool overflow, std::int64_t n) { return overflow ? INT64_MAX : n; };
  std::int64_t total = 0;
  if (!active(level)) {
    if (named_[level] && unasked_ == Unasked::exclude) return 0;
    return completions(level + 1);
  }
  if (!decides_when_[level]) {
    const bool overflow = __builtin_mul_overflow(completions(level + 1), allowed_[level].size(), &total);
    return saturated(overflow, total);
  }
  for (const int value : allowed_[level]) {
    scope_.set(param.name, param.values[static_cast<std::size_t>(value)]);
    const bool overflow = __builtin_add_overflow(total, completions(level + 1), &total);
    total = saturated(overflow, total);
  }
  scope_.set_inactive(param.name);
  return total;
}

}  // namespace tuner::space
