// Partial evaluation: names that are known go in, the rest stays an expression.
#include <algorithm>
#include <utility>

#include "space/evaluator.h"

namespace tuner::space {

class Binder {
 public:
  Binder(const Expr& expression, const Scope& scope, int lets) : expression_(expression), scope_(scope), lets_(lets) {}

  Expr::Node bind(const Expr::Node& node) {
    switch (node.op) {
      case Op::integer:
      case Op::boolean:
      case Op::literal_name:
        return node;
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
        return operation(node);
    }
  }
  Expr::Node root() { return bind(*expression_.root_); }

 private:
  static bool decided(const Expr::Node& node) { return node.op <= Op::literal_name && node.op != Op::name; }

  static Operand operand(const Expr::Node& node) {
    if (node.op == Op::integer) return Operand::of(node.number);
    if (node.op == Op::boolean) return Operand::of(node.number != 0);
    return {Operand::Kind::name, 0, node.name, 0};
  }

  static Expr::Node leaf(const Operand& value, int column) {
    Expr::Node node;
    node.column = column;
    node.number = value.number;
    if (value.kind == Operand::Kind::boolean) node.op = Op::boolean;
    if (value.kind == Operand::Kind::name) {
      node.op = Op::literal_name;
      node.name = std::string(value.name);
      node.hash = hash_of(node.name);
    }
    return node;
  }

  Evaluator evaluator() const { return Evaluator(expression_, scope_); }

  Expr::Node look_up(const Expr::Node& node) {
    const Scope::Entry* entry = scope_.entry(node.name, node.hash);
    if (entry == nullptr) return node;
    if (entry->kind == Scope::Entry::Kind::value) return leaf(Operand::of(entry->value), node.column);
    if (entry->kind == Scope::Entry::Kind::inactive)
      evaluator().fail_inactive({Operand::Kind::inactive, 0, entry->name, node.column, 0});
    if (lets_ >= kMaxLets) evaluator().fail_cycle(node);
    return Binder(*entry->expression, scope_, lets_ + 1).root();
  }

  bool truth(const Expr::Node& node, const Expr::Node& parent) const {
    evaluator().need(Operand::Kind::boolean, operand(node), symbol(parent.op), parent.column);
    return node.number != 0;
  }

  Expr::Node logical(const Expr::Node& node) {
    const bool decides = node.op == Op::logical_or;
    Expr::Node left = bind(node.children[0]);
    if (decided(left)) return truth(left, node) == decides ? left : bind(node.children[1]);
    Expr::Node right = bind(node.children[1]);
    if (decided(right) && truth(right, node) != decides) return left;
    return rebuilt(node, {std::move(left), std::move(right)});
  }

  Expr::Node conditional(const Expr::Node& node) {
    Expr::Node condition = bind(node.children[0]);
    if (decided(condition)) return bind(node.children[truth(condition, node) ? 1 : 2]);
    Expr::Node yes = bind(node.children[1]);
    Expr::Node no = bind(node.children[2]);
    return rebuilt(node, {std::move(condition), std::move(yes), std::move(no)});
  }

  Expr::Node membership(const Expr::Node& node) {
    std::vector<Expr::Node> children;
    for (const Expr::Node& child : node.children) children.push_back(bind(child));
    return rebuilt(node, std::move(children));
  }

  Expr::Node operation(const Expr::Node& node) {
    std::vector<Expr::Node> children;
    for (const Expr::Node& child : node.children) children.push_back(bind(child));
    return rebuilt(node, std::move(children));
  }

  // The operation on its new children, computed where they are all decided and it does not fail: whether a failing
  // part would be reached is not known here.
  Expr::Node rebuilt(const Expr::Node& node, std::vector<Expr::Node> children) const {
    Expr::Node fresh;
    fresh.op = node.op;
    fresh.column = node.column;
    for (const Expr::Node& child : children) fresh.depth = std::max(fresh.depth, child.depth + 1);
    if (fresh.depth > kMaxDepth)
      evaluator().fail("the expression with its lets put in is nested too deep", node.column);
    const bool known = std::all_of(children.begin(), children.end(), decided);
    fresh.children = std::move(children);
    if (!known) return fresh;
    try {
      const Expr whole(expression_.text_, std::make_shared<const Expr::Node>(fresh), expression_.origin_);
      const Operand value = Evaluator(whole, scope_).run();
      return leaf(value, node.column);
    } catch (const ExprError&) {
      return fresh;
    }
  }

  const Expr& expression_;
  const Scope& scope_;
  int lets_;
};

Expr Expr::bind(const Scope& scope) const {
  return Expr(text_, std::make_shared<const Node>(Binder(*this, scope, 0).root()), origin_);
}

}  // namespace tuner::space
