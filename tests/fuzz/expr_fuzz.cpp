// Any text: parsed, evaluated, bound and printed, or refused with a UserError. Text that begins with '@' says, a byte a
// choice, how an expression is made of the language's parts: most of any text is no expression at all.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "space/expr.h"
#include "space/scope.h"

namespace {

using tuner::Name;
using tuner::UserError;
using tuner::Value;
using tuner::space::Expr;
using tuner::space::Scope;

Scope known() {
  Scope scope;
  scope.set("M", std::int64_t{4096});
  scope.set("N", std::int64_t{INT64_MAX});
  scope.set("b", true);
  scope.set("vec", Name{"vec"});
  scope.set("variant", Name{"vec"});
  scope.set_inactive("unroll");
  scope.set_let("rows", Expr::parse("M // 3 + 1"));
  return scope;
}

// Of a metric: the time is a real number.
Scope timed() {
  Scope scope = known();
  scope.set_let("time_us", Expr::real_constant(12.5));
  return scope;
}

// What is bound to all names has the value of the whole, or both fail.
void compare(const Expr& expression, const Scope& scope) {
  Value value;
  try {
    value = expression.evaluate(scope);
  } catch (const UserError&) {
    return;
  }
  try {
    if (expression.bind(scope).evaluate(scope) != value) std::abort();
  } catch (const tuner::space::InactiveError&) {
    // a part that was not reached uses an inactive parameter
  }
}

// As a metric: a finite number, or refused.
void as_metric(std::string_view text, const Scope& scope) {
  try {
    const double value = Expr::parse(text, {"m.yaml", 1, 1}, tuner::space::Numbers::reals).real(scope);
    if (value - value != 0) std::abort();
  } catch (const UserError&) {
  }
}

// An expression of which each byte chooses a part; functions have any number of arguments.
class Grown {
 public:
  explicit Grown(std::string_view choices) : choices_(choices) {}
  std::string text(int depth = 0) {
    const unsigned choice = next();
    if (depth > 8 || choice < 96) return leaf(choice);
    if (choice < 128) return function(choice, depth);
    if (choice < 144) return (choice % 2 ? "!" : "-") + text(depth + 1);
    if (choice < 160) return "(" + text(depth + 1) + ")";
    const std::string left = text(depth + 1);
    if (choice < 168) return left + " ? " + text(depth + 1) + " : " + text(depth + 1);
    if (choice < 176) return left + " in " + list(depth);
    static constexpr const char* kSymbols[] = {"+",  "-", "*",  "//", "%",  "/",  "<",
                                               "<=", ">", ">=", "==", "!=", "&&", "||"};
    return left + " " + kSymbols[choice % std::size(kSymbols)] + " " + text(depth + 1);
  }

 private:
  unsigned next() {
    if (choices_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(choices_.front());
    choices_.remove_prefix(1);
    return byte;
  }
  static std::string leaf(unsigned choice) {
    static constexpr const char* kLeaves[] = {
        "M",      "N",       "b",     "vec",   "variant",    "rows",
        "unroll", "time_us", "0",     "1",     "2",          "3",
        "62",     "63",      "64",    "1e308", "4294967296", "4611686018427387904",
        "-1",     "true",    "false", "nope",  "0.5",        "9223372036854775807"};
    return kLeaves[choice % std::size(kLeaves)];
  }
  std::string function(unsigned choice, int depth) {
    static constexpr const char* kFunctions[] = {"ceil_div", "min", "max", "pow2", "log2"};
    return kFunctions[choice % std::size(kFunctions)] + list(depth);
  }
  // One argument or two, as most have.
  std::string list(int depth) {
    const unsigned choice = next(), more = choice < 224 ? choice % 2 : choice % 5;
    std::string items = "(" + text(depth + 1);
    for (unsigned i = 0; i < more; ++i) items += ", " + text(depth + 1);
    return items + ")";
  }

  std::string_view choices_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Scope scope = known();
  static const Scope with_time = timed();
  const std::string_view given(reinterpret_cast<const char*>(data), size);
  const std::string text(given.substr(0, 1) == "@" ? Grown(given.substr(1)).text() : given);
  as_metric(text, with_time);
  try {
    const Expr expression = Expr::parse(text);
    (void)expression.names();
    (void)expression.to_cpp([](std::string_view name) { return std::string(name); });
    (void)expression.bind(Scope{});
    compare(expression, scope);
  } catch (const UserError&) {
  }
  return 0;
}
