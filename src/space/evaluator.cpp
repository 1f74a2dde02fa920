#include "space/evaluator.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/suggest.h"

namespace tuner::space {

using Kind = Operand::Kind;

Operand Operand::of(const Value& value) {
  if (const auto* n = std::get_if<std::int64_t>(&value)) return of(*n);
  if (const auto* b = std::get_if<bool>(&value)) return of(*b);
  return {Kind::name, 0, std::get<Name>(value).text, 0, 0};
}

Value Operand::value() const {
  if (kind == Kind::integer) return number;
  if (kind == Kind::boolean) return is_true();
  return Name{std::string(name)};
}

std::string described(const Operand& operand) {
  if (operand.kind == Kind::integer) return "the integer " + std::to_string(operand.number);
  if (operand.kind == Kind::real) return fmt::format("the number {}", operand.real);
  if (operand.kind == Kind::boolean) return operand.is_true() ? "the boolean true" : "the boolean false";
  return "the name '" + std::string(operand.name) + "'";
}

void Evaluator::fail(const std::string& what, int column, const std::string& hint) const {
  throw ExprError(what, column, expression_.text_, hint, expression_.origin_.get());
}

void Evaluator::fail_unknown(const Expr::Node& node) const {
  fail("unknown name '" + node.name + "'", node.column, did_you_mean(node.name, scope_.names()));
}

void Evaluator::fail_inactive(const Operand& operand) const {
  throw InactiveError(fmt::format("'{}' is inactive here", operand.name), operand.column, expression_.text_,
                      "an inactive parameter has no value; ask for its 'when' first", expression_.origin_.get());
}

void Evaluator::fail_cycle(const Expr::Node& node) const { fail("'" + node.name + "' uses itself", node.column); }

void Evaluator::need(Kind kind, const Operand& operand, std::string_view what, int column) const {
  if (operand.kind == kind) return;
  const std::string wanted = kind == Kind::integer ? "integers" : "booleans";
  fail(fmt::format("'{}' takes ", what) + wanted + ", not " + described(operand), column,
       what == "!" ? "write !(...) around a comparison" : "");
}

Operand Evaluator::visit(const Expr::Node& node) {
  if (--*budget_ < 0) fail("the expression takes more than a million steps", node.column);
  switch (node.op) {
    case Op::integer:
      return Operand::of(node.number);
    case Op::boolean:
      return Operand::of(node.number != 0);
    case Op::real:
      return Operand::of_real(node.real);
    case Op::literal_name:
      return {Kind::name, 0, node.name, 0, 0};
    case Op::name:
      return look_up(node);
    case Op::logical_and:
    case Op::logical_or:
      return logical(node);
    case Op::conditional:
      return conditional(node);
    case Op::in:
      return membership(node);
    default:
      return every_child(node);
  }
}

Operand Evaluator::look_up(const Expr::Node& node) {
  const Scope::Entry* entry = scope_.entry(node.name, node.hash);
  if (entry == nullptr) fail_unknown(node);
  if (entry->kind == Scope::Entry::Kind::value) return Operand::of(entry->value);
  if (entry->kind == Scope::Entry::Kind::let) return let(node, *entry->expression);
  return {Kind::inactive, 0, entry->name, node.column, 0};
}

Operand Evaluator::let(const Expr::Node& node, const Expr& expression) {
  for (const Evaluator* e = this; e != nullptr; e = e->outer_)
    if (e->expression_.root_ == expression.root_) fail_cycle(node);
  if (lets_ >= kMaxLets) fail("'let' within 'let' is more than " + std::to_string(kMaxLets) + " deep", node.column);
  Operand result = Evaluator(expression, *this).run();
  result.column = node.column;
  return result;
}

Operand Evaluator::logical(const Expr::Node& node) {
  const bool decides = node.op == Op::logical_or;  // the value that needs no right side
  const Operand left = visit(node.children[0]);
  if (left.inactive()) return left;
  need(Kind::boolean, left, symbol(node.op), node.column);
  if (left.is_true() == decides) return left;
  const Operand right = visit(node.children[1]);
  if (right.inactive()) return right;
  need(Kind::boolean, right, symbol(node.op), node.column);
  return right;
}

Operand Evaluator::conditional(const Expr::Node& node) {
  const Operand condition = visit(node.children[0]);
  if (condition.inactive()) return condition;
  need(Kind::boolean, condition, "?:", node.column);
  return visit(node.children[condition.is_true() ? 1 : 2]);
}

Operand Evaluator::membership(const Expr::Node& node) {
  const Operand left = visit(node.children[0]);
  if (left.inactive()) return left;
  for (std::size_t i = 1; i < node.children.size(); ++i) {
    const Operand right = visit(node.children[i]);
    if (right.inactive()) return right;
    if (equal(node, left, right)) return Operand::of(true);
  }
  return Operand::of(false);
}

Operand Evaluator::every_child(const Expr::Node& node) {
  Operand operands[2];
  const bool folds = node.op == Op::minimum || node.op == Op::maximum;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    Operand& next = operands[folds && i > 0 ? 1 : i];
    next = visit(node.children[i]);
    if (next.inactive()) return next;
    if (folds && i > 0) operands[0] = apply(node, operands);
  }
  return folds ? operands[0] : apply(node, operands);
}

Operand Evaluator::apply(const Expr::Node& node, const Operand* operands) const {
  const std::string_view what = symbol(node.op);
  switch (node.op) {
    case Op::logical_not:
      need(Kind::boolean, operands[0], what, node.column);
      return Operand::of(!operands[0].is_true());
    case Op::equal:
      return Operand::of(equal(node, operands[0], operands[1]));
    case Op::not_equal:
      return Operand::of(!equal(node, operands[0], operands[1]));
    default:
      break;
  }
  const bool unary = node.op == Op::negate || node.op == Op::pow2 || node.op == Op::log2;
  const Operand right = unary ? Operand::of(std::int64_t{0}) : operands[1];
  const bool real = operands[0].kind == Kind::real || right.kind == Kind::real;
  if (node.op == Op::ratio || (real && operands[0].is_number() && right.is_number()))
    return real_operation(node, operands[0], right);
  need(Kind::integer, operands[0], what, node.column);
  need(Kind::integer, right, what, node.column);
  if (node.op >= Op::less && node.op <= Op::greater_equal) return compare(node, operands[0], operands[1]);
  return arithmetic(node, operands[0].number, right.number);
}

namespace {

template <class T>
bool compared(Op op, T a, T b) {
  switch (op) {
    case Op::less:
      return a < b;
    case Op::less_equal:
      return a <= b;
    case Op::greater:
      return a > b;
    default:
      return a >= b;
  }
}

}  // namespace

Operand Evaluator::compare(const Expr::Node& node, const Operand& a, const Operand& b) const {
  return Operand::of(compared(node.op, a.number, b.number));
}

Operand Evaluator::real_operation(const Expr::Node& node, const Operand& a, const Operand& b) const {
  const std::string what(symbol(node.op));
  for (const Operand& operand : {a, b})
    if (!operand.is_number()) fail("'" + what + "' takes numbers, not " + described(operand), node.column);
  const double x = a.as_real(), y = b.as_real();
  if (node.op >= Op::less && node.op <= Op::greater_equal) return Operand::of(compared(node.op, x, y));
  double result = 0;
  switch (node.op) {
    case Op::negate:
      result = -x;
      break;
    case Op::add:
      result = x + y;
      break;
    case Op::subtract:
      result = x - y;
      break;
    case Op::multiply:
      result = x * y;
      break;
    case Op::ratio:
      if (y == 0) fail("division by zero", node.column);
      result = x / y;
      break;
    case Op::minimum:
      result = std::min(x, y);
      break;
    case Op::maximum:
      result = std::max(x, y);
      break;
    default:
      fail("'" + what + "' takes integers, not " + described(a.kind == Kind::real ? a : b), node.column,
           node.op == Op::divide ? "use '/'" : "");
  }
  if (!std::isfinite(result)) fail("the result of '" + what + "' is not finite", node.column);
  return Operand::of_real(result);
}

bool Evaluator::equal(const Expr::Node& node, const Operand& a, const Operand& b) const {
  if (a.is_number() && b.is_number() && a.kind != b.kind) return a.as_real() == b.as_real();
  if (a.kind != b.kind)
    fail(fmt::format("'{}' compares ", symbol(node.op)) + described(a) + " with " + described(b), node.column);
  if (a.kind == Kind::real) return a.real == b.real;
  return a.kind == Kind::name ? a.name == b.name : a.number == b.number;
}

std::int64_t Evaluator::quotient(const Expr::Node& node, std::int64_t a, std::int64_t b) const {
  const std::string what(symbol(node.op));
  if (b == 0) fail("division by zero", node.column);
  if (a < 0 || b < 0)
    fail("'" + what + "' takes non-negative integers, not " + std::to_string(a < 0 ? a : b), node.column);
  if (node.op == Op::modulo) return a % b;
  if (node.op == Op::divide) return a / b;
  return a / b + (a % b != 0 ? 1 : 0);
}

Operand Evaluator::arithmetic(const Expr::Node& node, std::int64_t a, std::int64_t b) const {
  std::int64_t result = 0;
  bool overflow = false;
  switch (node.op) {
    case Op::negate:
      overflow = __builtin_sub_overflow(std::int64_t{0}, a, &result);
      break;
    case Op::add:
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case Op::subtract:
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case Op::multiply:
      overflow = __builtin_mul_overflow(a, b, &result);
      break;
    case Op::divide:
    case Op::modulo:
    case Op::ceil_div:
      result = quotient(node, a, b);
      break;
    case Op::minimum:
      result = std::min(a, b);
      break;
    case Op::maximum:
      result = std::max(a, b);
      break;
    case Op::pow2:
      if (a < 0) fail("pow2 takes a non-negative integer, not " + std::to_string(a), node.column);
      overflow = a > 62;
      if (!overflow) result = std::int64_t{1} << a;
      break;
    case Op::log2:
      if (a <= 0) fail("log2 takes a positive integer, not " + std::to_string(a), node.column);
      result = 63 - __builtin_clzll(static_cast<unsigned long long>(a));
      break;
    default:
      break;
  }
  if (overflow) fail("the result of '" + std::string(symbol(node.op)) + "' does not fit 64 bits", node.column);
  return Operand::of(result);
}

}  // namespace tuner::space
