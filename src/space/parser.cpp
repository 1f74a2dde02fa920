// Precedence climbing over the lexer's words.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/suggest.h"
#include "space/lexer.h"
#include "space/node.h"

namespace tuner::space {
namespace {

using Node = Expr::Node;

struct Binary {
  std::string_view symbol;
  Op op;
  int level;  // a higher one binds tighter
};
constexpr Binary kBinary[] = {
    {"||", Op::logical_or, 1}, {"&&", Op::logical_and, 2}, {"==", Op::equal, 3},   {"!=", Op::not_equal, 3},
    {"<", Op::less, 4},        {"<=", Op::less_equal, 4},  {">", Op::greater, 4},  {">=", Op::greater_equal, 4},
    {"+", Op::add, 5},         {"-", Op::subtract, 5},     {"*", Op::multiply, 6}, {"//", Op::divide, 6},
    {"%", Op::modulo, 6},      {"/", Op::ratio, 6},
};
constexpr int kInLevel = 4;

class Parser {
 public:
  Parser(const std::string& text, const Origin* origin, Numbers numbers) : lexer_(text, origin, numbers) {}

  Node parse() {
    if (at_end()) lexer_.fail("the expression is empty", 1);
    Node node = conditional();
    if (!at_end()) unexpected("");
    return node;
  }

 private:
  // Counts how deep the parser itself is, which the depth of the tree does not bound (brackets leave no node).
  class Deeper {
   public:
    explicit Deeper(Parser& parser) : parser_(parser) {
      if (++parser_.recursion_ > kMaxDepth) parser_.too_deep(parser_.lexer_.current().column);
    }
    ~Deeper() { --parser_.recursion_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    Parser& parser_;
  };

  [[noreturn]] void too_deep(int column) const {
    lexer_.fail("the expression is nested more than " + std::to_string(kMaxDepth) + " deep", column,
                "give parts of it a name with 'let'");
  }

  bool at_end() const { return lexer_.current().kind == Token::Kind::end; }

  [[noreturn]] void unexpected(const std::string& wanted) const {
    const Token& token = lexer_.current();
    const std::string expected = wanted.empty() ? "" : ", expected " + wanted;
    if (at_end()) lexer_.fail("the expression ends too early" + expected, token.column);
    std::string hint;
    if (token.text == "and") hint = "use '&&'";
    if (token.text == "or") hint = "use '||'";
    if (token.text == "not") hint = "use '!'";
    if (token.text == "if" || token.text == "else") hint = "use 'condition ? a : b'";
    lexer_.fail("unexpected '" + std::string(token.text) + "'" + expected, token.column, hint);
  }

  void expect(std::string_view symbol) {
    if (!lexer_.current().is(symbol)) unexpected(fmt::format("'{}'", symbol));
    lexer_.advance();
  }

  Node make(Op op, int column, std::vector<Node> children) const {
    Node node;
    node.op = op;
    node.column = column;
    for (const Node& child : children) node.depth = std::max(node.depth, child.depth + 1);
    if (node.depth > kMaxDepth) too_deep(column);
    node.children = std::move(children);
    return node;
  }

  template <class... Children>
  Node combine(Op op, int column, Children&&... children) const {
    std::vector<Node> list;
    list.reserve(sizeof...(children));
    (list.push_back(std::forward<Children>(children)), ...);
    return make(op, column, std::move(list));
  }

  Node conditional() {
    const Deeper deeper(*this);
    Node condition = binary(1);
    if (!lexer_.current().is("?")) return condition;
    const int column = lexer_.current().column;
    lexer_.advance();
    Node yes = conditional();
    expect(":");
    Node no = conditional();
    return combine(Op::conditional, column, std::move(condition), std::move(yes), std::move(no));
  }

  Node binary(int level) {
    Node left = unary();
    for (;;) {
      const Token token = lexer_.current();
      if (token.kind == Token::Kind::identifier && token.text == "in" && level <= kInLevel) {
        left = membership(std::move(left), token.column);
        continue;
      }
      if (token.kind != Token::Kind::symbol) return left;
      const auto* found =
          std::find_if(std::begin(kBinary), std::end(kBinary), [&](const Binary& b) { return b.symbol == token.text; });
      if (found == std::end(kBinary) || found->level < level) return left;
      lexer_.advance();
      Node right = binary(found->level + 1);
      left = combine(found->op, token.column, std::move(left), std::move(right));
    }
  }

  Node membership(Node left, int column) {
    lexer_.advance();
    if (!lexer_.current().is("(")) unexpected("'(' and a list after 'in'");
    std::vector<Node> children;
    children.push_back(std::move(left));
    list(children);
    return make(Op::in, column, std::move(children));
  }

  // "(a, b, ...)", at least one.
  void list(std::vector<Node>& into) {
    expect("(");
    into.push_back(conditional());
    while (lexer_.current().is(",")) {
      lexer_.advance();
      into.push_back(conditional());
    }
    if (!lexer_.current().is(")")) unexpected("',' or ')'");
    lexer_.advance();
  }

  Node unary() {
    const Token token = lexer_.current();
    const bool negate = token.is("-");
    if (!negate && !token.is("!")) return primary();
    const Deeper deeper(*this);
    lexer_.advance();
    return combine(negate ? Op::negate : Op::logical_not, token.column, unary());
  }

  Node primary() {
    const Token token = lexer_.current();
    Node node;
    node.column = token.column;
    if (token.kind == Token::Kind::number) {
      node.number = token.number;
    } else if (token.kind == Token::Kind::real) {
      node.op = Op::real;
      node.real = token.real;
    } else if (token.kind == Token::Kind::identifier) {
      return word(token);
    } else if (token.is("(")) {
      lexer_.advance();
      node = conditional();
      if (lexer_.current().is(","))
        lexer_.fail("unexpected ','", lexer_.current().column, "a list stands only after 'in'");
      expect(")");
      return node;
    } else {
      unexpected("a value");
    }
    lexer_.advance();
    return node;
  }

  Node word(const Token& token) {
    if (token.text == "in" || token.text == "and" || token.text == "or" || token.text == "not") unexpected("a value");
    Node node;
    node.column = token.column;
    lexer_.advance();
    if (token.text == "true" || token.text == "false") {
      node.op = Op::boolean;
      node.number = token.text == "true" ? 1 : 0;
      return node;
    }
    if (lexer_.current().is("(")) return call(token);
    for (const Function& function : functions())
      if (function.name == token.text)
        lexer_.fail(fmt::format("'{}' is a function", token.text), token.column,
                    "write " + std::string(token.text) + "(...)");
    node.op = Op::name;
    node.name = std::string(token.text);
    node.hash = hash_of(node.name);
    return node;
  }

  Node call(const Token& token) {
    const Function* function = nullptr;
    std::vector<std::string> known;
    for (const Function& f : functions()) {
      if (f.name == token.text) function = &f;
      known.emplace_back(f.name);
    }
    if (function == nullptr)
      lexer_.fail("unknown function '" + std::string(token.text) + "'", token.column, did_you_mean(token.text, known));
    std::vector<Node> children;
    list(children);
    const int count = static_cast<int>(children.size());
    if (count < function->min_arguments || count > function->max_arguments) {
      const std::string wanted = function->max_arguments == function->min_arguments
                                     ? std::to_string(function->min_arguments)
                                     : "at least " + std::to_string(function->min_arguments);
      const std::string plural = wanted == "1" ? " argument" : " arguments";
      lexer_.fail(std::string(function->name) + " takes " + wanted + plural + ", not " + std::to_string(count),
                  token.column);
    }
    return make(function->op, token.column, std::move(children));
  }

  Lexer lexer_;
  int recursion_ = 0;
};

}  // namespace

Expr::Node parse_tree(const std::string& text, const Origin* origin, Numbers numbers) {
  return Parser(text, origin, numbers).parse();
}

}  // namespace tuner::space
