// The set of legal configurations of a kernel.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/config.h"
#include "space/expr.h"
#include "space/scope.h"

namespace tuner::space {

struct Param {
  std::string name;
  std::vector<Value> values;  // never empty
  std::optional<Expr> when;   // inactive where false
};

struct Constraint {
  Expr expression;
  std::string why;  // shown when it excludes; the expression's text when the manifest gives no reason
};

// A configuration that names only some parameters: a default, a restriction of a sweep file, a pin.
using Partial = std::vector<std::pair<std::string, std::vector<Value>>>;

class Space {
 public:
  std::vector<Param> params;
  std::vector<Constraint> constraints;

  // Calls `visit` with every legal configuration in manifest order (the last parameter varies fastest), each once.
  // `base` holds everything but the parameters: dims, facts, lets, choices, GPU names. `only` restricts values (a
  // parameter it names that is inactive is not asked). `visit` returns false to stop.
  void for_each(const Scope& base, const Partial& only, const std::function<bool(const Config&)>& visit) const;
  std::vector<Config> all(const Scope& base, const Partial& only = {}) const;

  // How many configurations each constraint excluded, counted at the first that failed, by its text.
  std::map<std::string, std::int64_t> exclusions(const Scope& base, const Partial& only = {}) const;

  // Empty when `config` is legal: every active parameter present with one of its values, none besides, every
  // constraint true. Otherwise the reason.
  std::optional<std::string> why_illegal(const Scope& base, const Config& config) const;

  // The first legal configuration that agrees with `wanted` in every parameter it names; others take their first
  // legal value in manifest order.
  std::optional<Config> complete(const Scope& base, const Partial& wanted) const;

  // At most `limit` legal configurations in which every legal pair of values of two parameters occurs (greedy; pairs
  // left out by the limit are accepted), drawn by `seed`. Deterministic.
  std::vector<Config> covering(const Scope& base, std::size_t limit, std::uint64_t seed) const;

  // `base` with the configuration's parameters set and the others inactive.
  Scope scope_of(const Scope& base, const Config& config) const;
};

}  // namespace tuner::space
