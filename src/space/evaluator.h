// One evaluation of a tree in a scope. Private to space/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "space/node.h"
#include "space/scope.h"

namespace tuner::space {

// A value without ownership: names point into the tree or the scope. `inactive` spreads through every operation that
// does not short-circuit past it; `name` is then the parameter's and `column` where the outermost expression met it.
struct Operand {
  enum class Kind : std::uint8_t { integer, boolean, name, inactive, real } kind = Kind::integer;
  std::int64_t number = 0;
  std::string_view name;
  int column = 0;
  double real = 0;

  static Operand of(std::int64_t n) { return {Kind::integer, n, {}, 0, 0}; }
  static Operand of(bool b) { return {Kind::boolean, b ? 1 : 0, {}, 0, 0}; }
  static Operand of_real(double value) { return {Kind::real, 0, {}, 0, value}; }
  static Operand of(const Value& value);
  Value value() const;  // of what is not real
  bool inactive() const { return kind == Kind::inactive; }
  bool is_true() const { return number != 0; }
  bool is_number() const { return kind == Kind::integer || kind == Kind::real; }
  double as_real() const { return kind == Kind::real ? real : static_cast<double>(number); }
};

// "an integer 4", for messages.
std::string described(const Operand& operand);

class Evaluator {
 public:
  Evaluator(const Expr& expression, const Scope& scope)
      : expression_(expression), scope_(scope), budget_(&own_budget_) {}

  Operand run() { return visit(*expression_.root_); }
  // The operation of `node` on operands already there: every one that needs all of its children.
  Operand apply(const Expr::Node& node, const Operand* operands) const;
  void need(Operand::Kind kind, const Operand& operand, std::string_view what, int column) const;
  [[noreturn]] void fail(const std::string& what, int column, const std::string& hint = {}) const;
  [[noreturn]] void fail_unknown(const Expr::Node& node) const;
  [[noreturn]] void fail_inactive(const Operand& operand) const;
  [[noreturn]] void fail_cycle(const Expr::Node& node) const;

 private:
  Evaluator(const Expr& expression, const Evaluator& outer)
      : expression_(expression), scope_(outer.scope_), outer_(&outer), budget_(outer.budget_), lets_(outer.lets_ + 1) {}

  Operand visit(const Expr::Node& node);
  Operand look_up(const Expr::Node& node);
  Operand let(const Expr::Node& node, const Expr& expression);
  Operand logical(const Expr::Node& node);
  Operand conditional(const Expr::Node& node);
  Operand membership(const Expr::Node& node);
  Operand every_child(const Expr::Node& node);
  Operand arithmetic(const Expr::Node& node, std::int64_t a, std::int64_t b) const;
  Operand real_operation(const Expr::Node& node, const Operand& a, const Operand& b) const;
  Operand compare(const Expr::Node& node, const Operand& a, const Operand& b) const;
  bool equal(const Expr::Node& node, const Operand& a, const Operand& b) const;
  std::int64_t quotient(const Expr::Node& node, std::int64_t a, std::int64_t b) const;

  const Expr& expression_;
  const Scope& scope_;
  const Evaluator* outer_ = nullptr;  // of the expression whose `let` this is
  // Nodes still to be visited: lets that use lets twice each would otherwise take for ever.
  std::int64_t own_budget_ = 1'000'000;
  std::int64_t* budget_;
  int lets_ = 0;
};

constexpr int kMaxLets = 16;  // one inside the other; with kMaxDepth it bounds the stack

}  // namespace tuner::space
