// The syntax tree of an expression. Private to space/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "space/expr.h"

namespace tuner::space {

enum class Op {
  integer,
  boolean,
  real,          // of metrics
  name,          // looked up in the scope
  literal_name,  // means itself
  negate,
  logical_not,
  logical_or,
  logical_and,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  in,  // first child in the others
  add,
  subtract,
  multiply,
  divide,
  modulo,
  ratio,  // of metrics
  conditional,
  ceil_div,
  minimum,
  maximum,
  pow2,
  log2,
};

// As written: "+", "in", "ceil_div".
std::string_view symbol(Op op);

struct Function {
  std::string_view name;
  Op op;
  int min_arguments;
  int max_arguments;
};
const std::vector<Function>& functions();

struct Expr::Node {
  Op op = Op::integer;
  int column = 1;
  int depth = 1;            // of the tree below, itself included
  std::int64_t number = 0;  // integers; booleans 0 and 1
  double real = 0;
  std::string name;
  std::size_t hash = 0;  // of name
  std::vector<Node> children;
};

std::size_t hash_of(std::string_view name);

constexpr int kMaxDepth = 200;

// Throws ExprError.
Expr::Node parse_tree(const std::string& text, const Origin* origin, Numbers numbers);

}  // namespace tuner::space
