// The expression language of manifests: 64-bit integers, booleans and names, with C precedence; in metrics real numbers
// as well.
//
//   ?:  ||  &&  == !=  < <= > >= in (a, b, ...)  + -  * // %  ! unary-  ceil_div(a,b) min(...) max(...) pow2(n) log2(n)
//
// `&&`, `||`, `?:` and `in` short-circuit; `//`, `%` and ceil_div take non-negative operands and an error is a zero
// divisor; pow2(n) is 2 to the n; log2 is the floor, of a positive integer. Overflow, a zero divisor, an unknown name,
// a type mismatch and an inactive parameter are errors that carry their column.
//
// Metrics know numbers like 0.5 and 1e12 as well, and `a / b`, which is real whatever its operands are. An operation on
// integers stays one on integers; where one operand is real the result is. What takes non-negative integers, pow2 and
// log2 take no real number. A zero divisor and a result that is not finite are errors.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/value.h"

namespace tuner::space {

class Scope;

// Where an expression stands in a file; its errors then say file:line:column. Lines and columns count from 1.
struct Origin {
  std::string file;
  int line = 0;
  int column = 0;     // of the expression's first character
  bool exact = true;  // false: folded over lines, so that columns within it cannot be told; its start is named
};

// Where a failure in an expression lies: column counts from 1 within the expression's text.
class ExprError : public UserError {
 public:
  ExprError(std::string what, int column, const std::string& expression, std::string hint = {},
            const Origin* origin = nullptr);
  int column() const noexcept { return column_; }

 private:
  int column_;
};

// Evaluating something that names an inactive parameter.
class InactiveError : public ExprError {
 public:
  using ExprError::ExprError;
};

enum class Numbers { integers, reals };

class Expr {
 public:
  struct Node;

  Expr();  // the integer 0
  // Throws ExprError. Depth is limited to 200 so that no input exhausts the stack.
  static Expr parse(std::string_view text);
  static Expr parse(std::string_view text, const Origin& origin, Numbers numbers = Numbers::integers);
  static Expr constant(const Value& value);
  static Expr real_constant(double value);  // finite

  Value evaluate(const Scope& scope) const;
  std::int64_t integer(const Scope& scope) const;  // ExprError when it is not an integer
  double real(const Scope& scope) const;           // of a metric: ExprError when it is no number
  bool truth(const Scope& scope) const;            // ExprError when it is not a boolean
  // As truth, but empty where evaluating it uses an inactive parameter.
  std::optional<bool> truth_if_active(const Scope& scope) const;

  // Every name used, those of named choices and types included.
  std::set<std::string> names() const;
  // The column at which `name` is first used; 1 when it is not.
  int column_of(std::string_view name) const;
  // An error at a name of this expression, e.g. one that is not allowed here.
  ExprError error_at(std::string_view name, std::string what, std::string hint = {}) const;

  // What is left when every name of `scope` is put in: unknown names stay, decided branches and known operations are
  // computed, a `let` is replaced by its expression. InactiveError when an inactive parameter is left in a part that
  // is not decided away. A part that would fail (a zero divisor) stays as it is. Not of metrics.
  Expr bind(const Scope& scope) const;

  // The tree as a C++17 expression; not of metrics. `name` maps a name to C++ text (a variable, or an enumerator's
  // value).
  // `//`, `%`, `in` and the functions become calls of tuner_expr::div, mod, is_in, ceil_div, min, max, pow2 and log2,
  // which the exported header defines (cpp_prelude).
  template <class F>
  std::string to_cpp(F&& name) const {
    const auto call = [&name](std::string_view n) -> std::string { return name(n); };
    using Call = decltype(call);
    return print(NameMap{[](const void* f, std::string_view n) { return (*static_cast<Call*>(f))(n); }, &call});
  }
  const std::string& text() const { return text_; }

 private:
  Expr(std::string text, std::shared_ptr<const Node> root, std::shared_ptr<const Origin> origin)
      : text_(std::move(text)), root_(std::move(root)), origin_(std::move(origin)) {}
  friend class Evaluator;
  friend class Binder;
  struct NameMap {
    std::string (*call)(const void*, std::string_view);
    const void* state;
    std::string operator()(std::string_view n) const { return call(state, n); }
  };
  std::string print(const NameMap& name) const;
  static std::string print_node(const Node& node, const NameMap& name, bool outermost);

  std::string text_;
  std::shared_ptr<const Node> root_;
  std::shared_ptr<const Origin> origin_;
};

// `namespace tuner_expr { ... }`: C++17 definitions of what to_cpp calls, each prefixed with `qualifier`
// (e.g. "__host__ __device__ "). A zero divisor gives 0 there, where evaluate throws.
std::string cpp_prelude(std::string_view qualifier);

}  // namespace tuner::space
