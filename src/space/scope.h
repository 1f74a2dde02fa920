// What names mean while an expression is evaluated.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/value.h"
#include "space/expr.h"

namespace tuner::space {

// Dims, facts, parameters, named choices (a name that means itself), types, `let` and the GPU's names. A `let` is
// evaluated when it is used, in this scope; one that uses itself is an error.
class Scope {
 public:
  void set(std::string_view name, Value value);
  void set_inactive(std::string_view name);
  void set_let(std::string_view name, Expr expression);
  // Empty when the name is unknown. Throws InactiveError for an inactive parameter.
  std::optional<Value> find(std::string_view name, int column) const;
  bool is_inactive(std::string_view name) const;

 private:
  struct Entry {
    enum class Kind { value, inactive, let } kind;
    Value value;
    Expr expression;
    mutable bool evaluating = false;
  };
  std::vector<std::pair<std::string, Entry>> entries_;  // few: linear search
};

}  // namespace tuner::space
