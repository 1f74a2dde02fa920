// Which problems a kernel refuses before any configuration is looked at (spec::make_problem), as C++.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "export/code_parts.h"
#include "export/kernel_code.h"
#include "space/scope.h"

namespace tuner::exporting {
namespace {

enum class Kind { integer, boolean, word, type, unsure };  // as the header's `fill` counts them

// What a fact's default is at a shape that nothing divides by zero at.
Kind kind_of(const spec::KernelSpec& kernel, const space::Expr& usual) {
  space::Scope scope;
  for (const std::string& dim : kernel.dims) scope.set(dim, std::int64_t{4096});
  for (const std::string& name : usual.names())
    if (type_from_text(name)) scope.set(name, Name{name});
  try {
    const Value value = usual.evaluate(scope);
    if (const auto* name = std::get_if<Name>(&value)) return type_from_text(name->text) ? Kind::type : Kind::word;
    return std::holds_alternative<bool>(value) ? Kind::boolean : Kind::integer;
  } catch (const UserError&) {
    return Kind::unsure;
  }
}

// The least and greatest integer of a type; nothing to check for others.
std::optional<std::pair<std::string, std::string>> range_of(Type type) {
  if (is_floating(type) || type == Type::boolean) return std::nullopt;
  const std::int64_t bits = bits_of(type);
  if (!is_signed(type))
    return std::pair(std::string("0ll"), fmt::format("{}ll", bits >= 64 ? INT64_MAX : (std::int64_t{1} << bits) - 1));
  if (bits >= 64) return std::nullopt;
  const std::int64_t half = std::int64_t{1} << (bits - 1);
  return std::pair(fmt::format("{}ll", -half), fmt::format("{}ll", half - 1));
}

}  // namespace

bool KernelCode::is_of_problem(const space::Expr& expression) const {
  const auto names = expression.names();
  return std::all_of(names.begin(), names.end(), [this](const std::string& name) {
    const auto is_fact = [&name](const auto& fact) { return fact.first == name; };
    return std::find(kernel_.dims.begin(), kernel_.dims.end(), name) != kernel_.dims.end() ||
           std::any_of(kernel_.facts.begin(), kernel_.facts.end(), is_fact) || type_from_text(name);
  });
}

std::string KernelCode::sized(const space::Expr& expression) {
  const auto is_truth = [this](std::string_view name) {
    return std::any_of(kernel_.facts.begin(), kernel_.facts.end(), [&](const auto& fact) {
      return fact.first == name && (fact.second.text() == "true" || fact.second.text() == "false");
    });
  };
  return expression.to_cpp([&](std::string_view name) {
    const std::string text = named(name, false);
    if (is_truth(name)) return "(" + text + " != 0)";
    return text.compare(0, 2, "q.") == 0 ? "tuner_expr::Sized{" + text + "}" : text;
  });
}

// The most elements of this type that 64 bits count the bytes of.
std::string KernelCode::most_elements(const std::string& type, std::int64_t lanes) const {
  const auto most = [lanes](Type known) {
    const std::int64_t bytes = bits_of(known) < 8 ? 1 : bits_of(known) / 8;
    return std::to_string(INT64_MAX / bytes / lanes) + "ll";
  };
  if (const auto known = type_from_text(type)) return most(*known);
  std::string text;
  for (std::size_t i = 0; i < words_.size(); ++i)
    if (const auto known = type_from_text(words_[i]))
      text += fmt::format("q.{} == {} ? {} : ", field_name(type), word_name(i), most(*known));
  return text + most(Type::f64);  // a type that nothing here speaks of
}

std::string KernelCode::argument_rule(const spec::ArgSpec& arg) {
  const auto refuse = [](const std::string& value, const std::string& low, const std::string& high) {
    return fmt::format("    if (!tuner_expr::is_between({}, {}, {})) return false;\n", value, low, high);
  };
  if (arg.size)
    return is_of_problem(*arg.size) ? refuse(sized(*arg.size), "0ll", most_elements(arg.type, arg.lanes)) : "";
  std::string out;
  if (!std::all_of(arg.fields.begin(), arg.fields.end(),
                   [this](const auto& field) { return !field.value || is_of_problem(*field.value); }))
    return out;
  for (const spec::ScalarSpec& field : arg.fields) {
    const auto type = type_from_text(field.type);
    const auto range = type ? range_of(*type) : std::nullopt;
    if (field.value && range) out += refuse(sized(*field.value), range->first, range->second);
  }
  return out;
}

std::string KernelCode::problem_rules_code() {
  std::vector<std::string> kinds;
  std::string rules;
  for (const auto& [name, usual] : kernel_.facts) {
    const Kind kind = kind_of(kernel_, usual);
    kinds.push_back(std::to_string(static_cast<int>(kind)));
    if (kind != Kind::integer) continue;
    rules += fmt::format("    if (q.{} < {}) return false;\n", field_name(name), name == "batch" ? 1 : 0);
    if (name == "row_stride")
      rules += fmt::format("    if (q.{} < q.{}) return false;\n", field_name(name), field_name(kernel_.dims.back()));
  }
  for (const spec::ArgSpec& arg : kernel_.args) rules += argument_rule(arg);
  return "  // 0: a whole number, 1: true or false, 2: a word, 3: an element type, 4: any.\n" +
         switch_of("int", "fact_kind", "", kinds, "4") +
         "  // Whether sizes and arguments fit, whatever configuration.\n  " +
         hd("static bool possible(const Problem& q) {") + "\n    (void)q;\n" + rules + "    return true;\n  }\n";
}

}  // namespace tuner::exporting
