// What names mean while an expression is evaluated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/value.h"
#include "space/expr.h"

namespace tuner::space {

// Dims, facts, parameters, named choices (a name that means itself), types, `let` and the GPU's names. A `let` is
// evaluated when it is used, in this scope; one that uses itself is an error. Reading one scope from several threads
// is safe.
class Scope {
 public:
  struct Entry {
    enum class Kind { value, inactive, let } kind = Kind::value;
    Value value;
    std::shared_ptr<const Expr> expression;  // of a let
    std::string name;
    std::size_t hash = 0;
  };

  // Each replaces what the name meant before.
  void set(std::string_view name, Value value);
  void set_inactive(std::string_view name);
  void set_let(std::string_view name, Expr expression);
  // Empty when the name is unknown. Throws InactiveError for an inactive parameter.
  std::optional<Value> find(std::string_view name, int column) const;
  bool is_inactive(std::string_view name) const;

  // Null when unknown. `hash` is hash_of(name) of space/node.h.
  const Entry* entry(std::string_view name, std::size_t hash) const;
  const Entry* entry(std::string_view name) const;
  std::vector<std::string> names() const;

 private:
  Entry& at(std::string_view name);
  void rebuild();

  std::vector<Entry> entries_;
  std::vector<std::int32_t> index_;  // open addressing by hash; -1 is free; a power of two, at most half full
};

}  // namespace tuner::space
