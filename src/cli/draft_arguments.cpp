#include "cli/draft_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/cpp_types.h"
#include "cli/draft_templates.h"
#include "compile/code_pieces.h"
#include "compile/struct_fields.h"
#include "core/identifier.h"
#include "core/value.h"
#include "spec/integer_fill.h"
#include "spec/vector_types.h"

namespace tuner::cli {
namespace {

bool is_integer(const std::string& type) {
  const auto known = type_from_text(type);
  return known && !is_floating(*known) && *known != Type::boolean;
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string field_type(const compile::DeclaredParameter& field) {
  return manifest_type(compile::bare_type(field.type));
}

// As C lays them out: a vector is aligned to all of itself, its parts alone are not.
bool lie_as_scalars(const std::vector<compile::DeclaredParameter>& fields) {
  std::int64_t offset = 0, widest = 1;
  for (const compile::DeclaredParameter& field : fields) {
    const std::string type = field_type(field);
    if (type.empty()) return false;
    const auto vector = spec::vector_type(type);
    const std::int64_t element = size_of(vector ? vector->type : *type_from_text(type));
    const std::int64_t align = vector && vector->lanes != 3 ? vector->lanes * element : element;
    offset = (offset + element - 1) / element * element;
    if (offset % align != 0) return false;
    offset += element * (vector ? vector->lanes : 1);
    widest = std::max(widest, align);
  }
  return widest <= 8 || offset % widest == 0;
}

// The lanes of a vector `name`; `front` stands before them in the source.
std::vector<DraftField> lanes_of(const spec::VectorType& vector, const std::string& front, const std::string& name) {
  std::vector<DraftField> all;
  for (int lane = 0; lane < vector.lanes; ++lane)
    all.push_back({std::string(to_text(vector.type)), front + "xyzw"[lane], name + "_" + "xyzw"[lane]});
  return all;
}

// One scalar each.
std::vector<DraftField> scalars_of(const std::vector<compile::DeclaredParameter>& fields) {
  std::vector<DraftField> all;
  for (const compile::DeclaredParameter& field : fields) {
    const std::string type = field_type(field);
    if (const auto vector = spec::vector_type(type))
      for (DraftField& lane : lanes_of(*vector, field.name + ".", field.name)) all.push_back(std::move(lane));
    else
      all.push_back({type, field.name, field.name});
  }
  return all;
}

bool has_enum(std::string_view code, std::string_view name) {
  for (const std::string_view start : {"enum ", "enum class ", "enum struct "})
    for (std::size_t at = code.find(start); at != std::string_view::npos; at = code.find(start, at + 1))
      if (find_word(code, name, at) == at + start.size()) return true;
  return false;
}

DraftArgument by_value(DraftArgument argument, const std::string& source) {
  const std::string bare = compile::bare_type(argument.type);
  if (const auto vector = spec::vector_type(manifest_type(bare))) {
    argument.is_struct = true;
    argument.fields = lanes_of(*vector, "", argument.name);
  } else if (manifest_type(bare).empty()) {
    const auto fields = compile::struct_fields(source, unqualified(bare));
    const std::string code = compile::plain_code(source);
    argument.is_enum = has_enum(code, unqualified(bare));
    argument.is_struct =
        fields.has_value() || code.find("struct " + std::string(unqualified(bare))) != std::string::npos;
    if (fields && lie_as_scalars(*fields)) argument.fields = scalars_of(*fields);
  }
  return argument;
}

DraftLine struct_line(const DraftArgument& argument, const std::vector<std::string>& dims) {
  const std::string bare = compile::bare_type(argument.type);
  if (argument.fields.empty())
    return {fmt::format("  - {{name: {}, fields: [{{type: f32, value: 1}}]}}", argument.name),
            fmt::format("its fields ({} in the source): scalars, in the order of its members; a struct that holds a "
                        "pointer cannot be passed",
                        bare)};
  std::vector<std::string> fields, open;
  for (const DraftField& field : argument.fields) {
    const bool dim = holds(dims, field.name) && is_integer(field.type);
    fields.push_back(fmt::format("{{type: {}, value: {}}}", field.type, dim ? field.name : "1"));
    if (!dim) open.push_back(field.member);
  }
  return {fmt::format("  - {{name: {}, fields: [{}]}}", argument.name, fmt::join(fields, ", ")),
          open.empty() ? "" : fmt::format("the values of {}", fmt::join(open, ", "))};
}

DraftLine buffer_line(const DraftArgument& argument, const std::string& type, const std::string& unknown,
                      const std::string& size) {
  const bool read = compile::is_pointer_to_const(argument.type);
  const std::string fill = read ? fill_of(type) : std::string();
  const std::string role =
      read ? "its size; a weight, or an activation?" : "its size; an output, or in_place, accumulator, scratch?";
  return {fmt::format("  - {{name: {}, type: {}, size: {}, role: {}{}}}", argument.name, type, size,
                      read ? "weight" : "output", fill.empty() ? "" : ", fill: \"" + fill + "\""),
          unknown + role + (fill.empty() ? "" : " its fill: an index must stay within what it indexes")};
}

}  // namespace

std::string fill_of(const std::string& type) {
  const auto vector = spec::vector_type(type);
  const auto element = vector ? std::optional(vector->type) : type_from_text(type);
  return element && !is_floating(*element) ? std::string(spec::integer_fill(*element)) : std::string();
}

std::vector<DraftArgument> draft_arguments(const std::vector<compile::DeclaredParameter>& parameters,
                                           const std::string& source, const std::map<std::string, std::string>& types) {
  std::vector<DraftArgument> arguments;
  for (const compile::DeclaredParameter& parameter : parameters) {
    DraftArgument argument;
    argument.name = parameter.name.empty() ? "argument" + std::to_string(arguments.size() + 1) : parameter.name;
    argument.type = with_types(parameter.type, types);
    arguments.push_back(compile::is_pointer(argument.type) ? argument : by_value(std::move(argument), source));
  }
  return arguments;
}

std::vector<std::string> integer_names(const std::vector<DraftArgument>& arguments) {
  std::vector<std::string> names, taken;
  for (const DraftArgument& argument : arguments) taken.push_back(argument.name);
  for (const DraftArgument& argument : arguments) {
    if (compile::is_pointer(argument.type)) continue;
    if (is_integer(manifest_type(compile::bare_type(argument.type)))) names.push_back(argument.name);
    for (const DraftField& field : argument.fields)
      if (is_integer(field.type) && is_identifier(field.name) && !holds(taken, field.name)) {
        names.push_back(field.name);
        taken.push_back(field.name);
      }
  }
  return names;
}

DraftLine argument_line(const DraftArgument& argument, const std::vector<std::string>& dims, const std::string& size) {
  if (argument.is_struct) return struct_line(argument, dims);
  const std::string bare = compile::bare_type(argument.type);
  const std::string known = manifest_type(bare);
  const std::string type = !known.empty() ? known : argument.is_enum ? "i32" : "f32";
  const std::string unknown = known.empty() ? "its type (" + bare + " in the source), " : "";
  if (compile::is_pointer(argument.type)) return buffer_line(argument, type, unknown, size);
  const bool dim = holds(dims, argument.name);
  return {fmt::format("  - {{name: {}, type: {}, value: {}}}", argument.name, type, dim ? argument.name : "1"),
          dim ? "" : unknown + "its value"};
}

}  // namespace tuner::cli
