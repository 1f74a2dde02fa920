#include "space/expr.h"

#include <algorithm>
#include <functional>

#include "space/evaluator.h"
#include "space/node.h"

namespace tuner::space {
namespace {

// An expression as quoted in a message.
std::string quoted(const std::string& text) {
  constexpr std::size_t limit = 80;
  std::string line = text.size() <= limit ? text : text.substr(0, limit - 3) + "...";
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return "'" + line + "'";
}

std::string place(int column, const Origin* origin) {
  if (origin == nullptr) return "column " + std::to_string(column);
  const int in_file = origin->exact ? origin->column + column - 1 : origin->column;
  return origin->file + ":" + std::to_string(origin->line) + ":" + std::to_string(in_file);
}

template <class Visit>
void each_name(const Expr::Node& node, const Visit& visit) {
  if (node.op == Op::name || node.op == Op::literal_name) visit(node);
  for (const Expr::Node& child : node.children) each_name(child, visit);
}

}  // namespace

ExprError::ExprError(std::string what, int column, const std::string& expression, std::string hint,
                     const Origin* origin)
    : UserError(what + " in " + quoted(expression), place(column, origin), std::move(hint)), column_(column) {}

std::size_t hash_of(std::string_view name) { return std::hash<std::string_view>{}(name); }

std::string_view symbol(Op op) {
  static constexpr std::string_view kSymbols[] = {
      "integer", "boolean", "number", "name", "name", "-",  "!", "||", "&&", "==",       "!=",  "<",   "<=",   ">",
      ">=",      "in",      "+",      "-",    "*",    "//", "%", "/",  "?:", "ceil_div", "min", "max", "pow2", "log2"};
  return kSymbols[static_cast<std::size_t>(op)];
}

const std::vector<Function>& functions() {
  constexpr int any = 64;
  static const std::vector<Function> kFunctions = {{"ceil_div", Op::ceil_div, 2, 2},
                                                   {"min", Op::minimum, 2, any},
                                                   {"max", Op::maximum, 2, any},
                                                   {"pow2", Op::pow2, 1, 1},
                                                   {"log2", Op::log2, 1, 1}};
  return kFunctions;
}

Expr::Expr() : Expr(constant(std::int64_t{0})) {}

Expr Expr::parse(std::string_view text) {
  Expr expression{std::string(text), nullptr, nullptr};
  expression.root_ = std::make_shared<const Node>(parse_tree(expression.text_, nullptr, Numbers::integers));
  return expression;
}

Expr Expr::parse(std::string_view text, const Origin& origin, Numbers numbers) {
  Expr expression{std::string(text), nullptr, std::make_shared<const Origin>(origin)};
  expression.root_ = std::make_shared<const Node>(parse_tree(expression.text_, &origin, numbers));
  return expression;
}

Expr Expr::constant(const Value& value) {
  auto node = std::make_shared<Node>();
  if (const auto* n = std::get_if<std::int64_t>(&value)) {
    node->number = *n;
  } else if (const auto* b = std::get_if<bool>(&value)) {
    node->op = Op::boolean;
    node->number = *b ? 1 : 0;
  } else {
    node->op = Op::literal_name;
    node->name = std::get<Name>(value).text;
    node->hash = hash_of(node->name);
  }
  return Expr{to_text(value), std::move(node), nullptr};
}

Expr Expr::real_constant(double value) {
  auto node = std::make_shared<Node>();
  node->op = Op::real;
  node->real = value;
  return Expr{std::to_string(value), std::move(node), nullptr};
}

Value Expr::evaluate(const Scope& scope) const {
  Evaluator evaluator(*this, scope);
  const Operand result = evaluator.run();
  if (result.inactive()) evaluator.fail_inactive(result);
  return result.value();
}

std::int64_t Expr::integer(const Scope& scope) const {
  Evaluator evaluator(*this, scope);
  const Operand result = evaluator.run();
  if (result.inactive()) evaluator.fail_inactive(result);
  if (result.kind != Operand::Kind::integer) evaluator.fail("expected an integer, got " + described(result), 1);
  return result.number;
}

double Expr::real(const Scope& scope) const {
  Evaluator evaluator(*this, scope);
  const Operand result = evaluator.run();
  if (result.inactive()) evaluator.fail_inactive(result);
  if (!result.is_number()) evaluator.fail("expected a number, got " + described(result), 1);
  return result.as_real();
}

bool Expr::truth(const Scope& scope) const {
  Evaluator evaluator(*this, scope);
  const Operand result = evaluator.run();
  if (result.inactive()) evaluator.fail_inactive(result);
  if (result.kind != Operand::Kind::boolean) evaluator.fail("expected true or false, got " + described(result), 1);
  return result.is_true();
}

std::optional<bool> Expr::truth_if_active(const Scope& scope) const {
  Evaluator evaluator(*this, scope);
  const Operand result = evaluator.run();
  if (result.inactive()) return std::nullopt;
  if (result.kind != Operand::Kind::boolean) evaluator.fail("expected true or false, got " + described(result), 1);
  return result.is_true();
}

std::set<std::string> Expr::names() const {
  std::set<std::string> names;
  each_name(*root_, [&](const Node& node) { names.insert(node.name); });
  return names;
}

int Expr::column_of(std::string_view name) const {
  int column = 0;
  each_name(*root_, [&](const Node& node) {
    if (node.name == name && (column == 0 || node.column < column)) column = node.column;
  });
  return std::max(column, 1);
}

ExprError Expr::error_at(std::string_view name, std::string what, std::string hint) const {
  return ExprError(std::move(what), column_of(name), text_, std::move(hint), origin_.get());
}

}  // namespace tuner::space
