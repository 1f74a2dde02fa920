// Problems: dims and facts, checked and filled in.
#include <algorithm>

#include "core/error.h"
#include "core/suggest.h"
#include "spec/names.h"
#include "spec/resolve.h"

namespace tuner::spec {
namespace {

std::string dims_text(const KernelSpec& kernel) {
  std::string text;
  for (const std::string& dim : kernel.dims) text += (text.empty() ? "" : "x") + dim;
  return text;
}

space::Scope dims_scope(const KernelSpec& kernel, const std::vector<std::int64_t>& dims) {
  space::Scope scope;
  for (const std::string& type : type_names()) scope.set(type, Name{type});
  for (std::size_t i = 0; i < dims.size(); ++i) scope.set(kernel.dims[i], dims[i]);
  return scope;
}

bool is_type(const Value& value) {
  const auto* name = std::get_if<Name>(&value);
  return name != nullptr && type_from_text(name->text).has_value();
}

void check_kind(const std::string& name, const Value& value, const Value& usual, const std::string& where) {
  const std::string got = "'" + name + "' cannot be '" + to_text(value) + "'";
  if (is_type(usual)) {
    if (!is_type(value))
      throw UserError(got + ": it is an element type", where, did_you_mean(to_text(value), type_names()));
  } else if (value.index() != usual.index()) {
    static constexpr const char* kKinds[] = {"an integer", "true or false", "a name"};
    throw UserError(got + ": it is " + kKinds[usual.index()], where, "by default it is " + to_text(usual));
  }
  const auto* number = std::get_if<std::int64_t>(&value);
  const std::int64_t least = name == "batch" ? 1 : 0;
  if (number != nullptr && *number < least) throw UserError(got + ": at least " + std::to_string(least), where);
}

Facts filled_in(const KernelSpec& kernel, const std::vector<std::int64_t>& dims, const Facts& given,
                const std::string& where) {
  std::vector<std::string> known;
  for (const auto& fact : kernel.facts) known.push_back(fact.first);
  for (const auto& [name, value] : given)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UserError("'" + kernel.name + "' has no fact '" + name + "'", where,
                      known.empty() ? "it has none" : did_you_mean(name, known));
  const space::Scope scope = dims_scope(kernel, dims);
  Facts facts;
  for (const auto& [name, expression] : kernel.facts) {
    Value value = expression.evaluate(scope);
    for (const auto& [other, wanted] : given) {
      if (other != name) continue;
      check_kind(name, wanted, value, where);
      value = wanted;
    }
    facts.emplace_back(name, std::move(value));
  }
  return facts;
}

// An argument whose size or value the problem alone decides must fit, so that a hopeless shape fails here.
void check_arguments(const KernelSpec& kernel, const Problem& problem, const std::string& where) {
  space::Scope scope = dims_scope(kernel, problem.dims);
  for (const auto& [name, value] : problem.facts) scope.set(name, value);
  for (const ArgSpec& arg : kernel.args) {
    const auto open = [&](const std::optional<space::Expr>& expression) {
      return expression && !expression->bind(scope).names().empty();
    };
    if (open(arg.size) ||
        std::any_of(arg.fields.begin(), arg.fields.end(), [&](const ScalarSpec& field) { return open(field.value); }))
      continue;
    try {
      argument_of(arg, problem, scope);
    } catch (const space::ExprError& fault) {
      throw UserError("shape " + shape_text(problem.dims) + ": " + fault.what(), where.empty() ? fault.where() : where,
                      fault.hint());
    } catch (const UserError& fault) {
      throw UserError(fault.what(), where, fault.hint());
    }
  }
}

}  // namespace

Problem make_problem(const KernelSpec& kernel, const std::vector<std::int64_t>& dims, const Facts& given,
                     std::string_view where) {
  const std::string place(where);
  const std::string shape = shape_text(dims);
  if (dims.size() != kernel.dims.size())
    throw UserError("'" + kernel.name + "' has " + std::to_string(kernel.dims.size()) + " dimensions (" +
                        dims_text(kernel) + "), the shape " + shape + " has " + std::to_string(dims.size()),
                    place);
  Problem problem{kernel.name, dims, filled_in(kernel, dims, given, place)};
  const Value* stride = problem.fact("row_stride");
  const auto* length = stride == nullptr ? nullptr : std::get_if<std::int64_t>(stride);
  if (length != nullptr && *length < dims.back())
    throw UserError("row_stride " + std::to_string(*length) + " is less than the row: shape " + shape +
                        " has rows of " + std::to_string(dims.back()),
                    place, "row_stride counts elements from one row to the next");
  check_arguments(kernel, problem, place);
  return problem;
}

}  // namespace tuner::spec
