// An expression as C++17.
#include <fmt/core.h>

#include <string>

#include "space/node.h"

namespace tuner::space {
namespace {

std::string integer_text(std::int64_t number) {
  if (number == INT64_MIN) return "(-9223372036854775807ll - 1)";  // its own digits do not fit a literal
  if (number < 0) return fmt::format("({}ll)", number);
  return std::to_string(number) + "ll";
}

bool is_call(Op op) { return op == Op::divide || op == Op::modulo || op == Op::in || op >= Op::ceil_div; }

std::string_view call_name(Op op) {
  if (op == Op::divide) return "div";
  if (op == Op::modulo) return "mod";
  if (op == Op::in) return "is_in";
  return symbol(op);
}

}  // namespace

std::string Expr::print(const NameMap& name) const { return print_node(*root_, name, true); }

std::string Expr::print_node(const Node& node, const NameMap& name, bool outermost) {
  const auto child = [&](std::size_t i) { return print_node(node.children[i], name, false); };
  std::string text;
  switch (node.op) {
    case Op::integer:
      return integer_text(node.number);
    case Op::boolean:
      return node.number != 0 ? "true" : "false";
    case Op::name:
    case Op::literal_name:
      return name(node.name);
    case Op::negate:
    case Op::logical_not:
      text = std::string(symbol(node.op)) + child(0);
      break;
    case Op::conditional:
      text = child(0) + " ? " + child(1) + " : " + child(2);
      break;
    default:
      if (!is_call(node.op)) {
        text = child(0) + " " + std::string(symbol(node.op)) + " " + child(1);
        break;
      }
      text = "tuner_expr::" + std::string(call_name(node.op)) + "(";
      for (std::size_t i = 0; i < node.children.size(); ++i)
        text += (i == 0 ? "" : ", ") + print_node(node.children[i], name, true);
      return text + ")";
  }
  return outermost ? text : fmt::format("({})", text);
}

std::string cpp_prelude(std::string_view qualifier) {
  constexpr std::string_view kDefinitions[] = {
      "constexpr long long div(long long a, long long b) { return b == 0 ? 0 : a / b; }",
      "constexpr long long mod(long long a, long long b) { return b == 0 ? 0 : a % b; }",
      "constexpr long long ceil_div(long long a, long long b) { return b == 0 ? 0 : a / b + (a % b != 0 ? 1 : 0); }",
      "constexpr long long min(long long a, long long b) { return b < a ? b : a; }",
      "constexpr long long max(long long a, long long b) { return a < b ? b : a; }",
      "constexpr long long pow2(long long n) { return n < 0 || n > 62 ? 0 : 1ll << n; }",
      "constexpr long long log2(long long n) { return n < 2 ? 0 : 1 + log2(n / 2); }",
  };
  constexpr std::string_view kTemplates[] = {
      "template <class... Rest>\n$constexpr long long min(long long a, long long b, Rest... rest) "
      "{ return min(min(a, b), rest...); }",
      "template <class... Rest>\n$constexpr long long max(long long a, long long b, Rest... rest) "
      "{ return max(max(a, b), rest...); }",
      "template <class T, class... Rest>\n$constexpr bool is_in(T a, Rest... rest) { return ((a == rest) || ...); }",
  };
  std::string text = "namespace tuner_expr {\n";
  for (const std::string_view definition : kDefinitions)
    text += std::string(qualifier) + std::string(definition) + "\n";
  for (const std::string_view definition : kTemplates) {
    const std::size_t mark = definition.find('$');
    text += std::string(definition.substr(0, mark)) + std::string(qualifier) + std::string(definition.substr(mark + 1));
    text += "\n";
  }
  return text + "}  // namespace tuner_expr\n";
}

}  // namespace tuner::space
