// Any text: parsed, evaluated, bound and printed, or refused with a UserError.
#include <cstdint>
#include <cstdlib>
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Scope scope = known();
  static const Scope with_time = timed();
  as_metric({reinterpret_cast<const char*>(data), size}, with_time);
  try {
    const Expr expression = Expr::parse(std::string_view(reinterpret_cast<const char*>(data), size));
    (void)expression.names();
    (void)expression.to_cpp([](std::string_view name) { return std::string(name); });
    (void)expression.bind(Scope{});
    compare(expression, scope);
  } catch (const UserError&) {
  }
  return 0;
}
