// The expression language of manifests: 64-bit integers, booleans and names, with C precedence.
//
//   ?:  ||  &&  == != < <= > >= in (a, b, ...)  + -  * // %  ! unary-  ceil_div(a,b) min(...) max(...) pow2(n) log2(n)
//
// `&&`, `||` and `?:` short-circuit; `//` and `%` are exact on non-negative operands and an error on a zero divisor;
// log2 is the floor, of a positive integer. Overflow, a zero divisor, an unknown name, a type mismatch and an inactive
// parameter are errors that carry their column.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/value.h"

namespace tuner::space {

class Scope;

// Where a failure in an expression lies: column counts from 1 within the expression's text.
class ExprError : public UserError {
 public:
  ExprError(std::string what, int column, std::string expression, std::string hint = {});
  int column() const noexcept { return column_; }

 private:
  int column_;
};

// Evaluating something that names an inactive parameter.
class InactiveError : public ExprError {
 public:
  using ExprError::ExprError;
};

class Expr {
 public:
  struct Node;

  Expr();  // the integer 0
  // Throws ExprError. Depth is limited to 200 so that no input exhausts the stack.
  static Expr parse(std::string_view text);
  static Expr constant(const Value& value);

  Value evaluate(const Scope& scope) const;
  std::int64_t integer(const Scope& scope) const;  // ExprError when it is not an integer
  bool truth(const Scope& scope) const;            // ExprError when it is not a boolean

  // Every name used, those of named choices and types included.
  std::set<std::string> names() const;
  // The tree as a C++17 expression. `name` maps a name to C++ text (a variable, or an enumerator's value).
  // Division and ceil_div become calls of tuner_expr::ceil_div and the like, which the exported header defines.
  template <class F>
  std::string to_cpp(F&& name) const {
    return print(
        NameMap{[](const void* f, std::string_view n) { return (*static_cast<const std::decay_t<F>*>(f))(n); }, &name});
  }
  const std::string& text() const { return text_; }

 private:
  struct NameMap {
    std::string (*call)(const void*, std::string_view);
    const void* state;
    std::string operator()(std::string_view n) const { return call(state, n); }
  };
  std::string print(const NameMap& name) const;

  std::string text_;
  std::shared_ptr<const Node> root_;
};

}  // namespace tuner::space
