// The arguments of a manifest: buffers, scalars, structs and constant symbols.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "core/suggest.h"
#include "spec/fills.h"
#include "spec/manifest_reader.h"
#include "spec/vector_types.h"

namespace tuner::spec {
namespace {

constexpr std::size_t kMaxArgs = 64;
constexpr std::size_t kMaxFields = 256;
constexpr const char* kScalarValue = "'value'";

bool is_written_number(const Cursor& at) {
  if (at.is_list() || at.is_map()) return false;
  const std::string& text = at.text();
  return text.find_first_of(".eE") != std::string::npos &&
         text.find_first_not_of("+-.0123456789eE") == std::string::npos;
}

}  // namespace

void ManifestReader::args() {
  const Cursor all = root_.at("args");
  for (const Cursor& body : all.items()) attempt([&] { arg(body); });
  if (all.items().empty()) all.fail("'args' is empty");
  if (kernel_.args.size() > kMaxArgs) all.fail("there are more than 64 arguments");
}

void ManifestReader::arg(const Cursor& body) {
  ArgSpec arg;
  if (!body.find("name")) keys(body, body.find("fields") ? "struct" : body.find("value") ? "scalar" : "buffer");
  arg.name = body.at("name").name();
  for (const ArgSpec& other : kernel_.args)
    if (other.name == arg.name) body.at("name").fail("the argument '" + arg.name + "' stands twice");
  const int kinds = (body.find("size") ? 1 : 0) + (body.find("value") ? 1 : 0) + (body.find("fields") ? 1 : 0);
  if (kinds != 1)
    body.fail("the argument '" + arg.name +
              "' needs one of 'size' (a buffer), 'value' (a scalar) and 'fields' (a struct by value)");
  body.find("size") ? buffer(arg, body) : scalar(arg, body);
  if (!arg.when && !kernel_.args.empty() && kernel_.args.back().when)
    body.fail("'" + arg.name + "' comes behind '" + kernel_.args.back().name + "', which some configurations lack",
              "move what has 'when' to the end");
  kernel_.args.push_back(std::move(arg));
}

std::string ManifestReader::element_type(const Cursor& at) {
  std::string type = at.name();
  if (type_from_text(type)) return type;
  std::vector<std::string> known = type_names();
  bool found = false;
  for (const auto& [name, expression] : kernel_.facts) {
    if (!type_from_text(expression.text())) continue;
    known.push_back(name);
    found |= name == type;
  }
  if (!found && facts_whole_)
    at.fail("'" + type + "' is neither an element type nor a fact that holds one", did_you_mean(type, known));
  return type;
}

void ManifestReader::buffer(ArgSpec& arg, const Cursor& body) {
  keys(body, "buffer");
  attempt([&] {
    const Cursor type = body.at("type");
    if (const auto vector = vector_type(type.text())) {
      arg.type = std::string(to_text(vector->type));
      arg.lanes = vector->lanes;
    } else {
      arg.type = element_type(type);
    }
  });
  const bool role_known = attempt([&] {
    static const std::vector<std::string> kRoles = {"weight",      "activation", "output", "in_place",
                                                    "accumulator", "scratch",    "zeroed"};
    const Cursor role = body.at("role");
    const auto found = std::find(kRoles.begin(), kRoles.end(), role.text());
    if (found == kRoles.end()) role.fail("unknown role '" + role.text() + "'", did_you_mean(role.text(), kRoles));
    arg.role = static_cast<Role>(found - kRoles.begin());
  });
  attempt([&] { hot(arg, body, role_known); });
  // The sizes of everything but scratch belong to the problem: they are the same for all candidates.
  Allowed allowed = Allowed::everything("the size of '" + arg.name + "'");
  if (role_known && !is_scratch(arg.role)) allowed.params = 0;
  arg.size = expression(body, "size", allowed);
  if (!arg.size) arg.size.emplace();  // a buffer all the same
  arg.align = expression(body, "align", Allowed::everything("'align'"));
  if (const auto fill = body.find("fill"))
    attempt([&] {
      if (role_known && !is_read(arg.role))
        fill->fail("'fill' is for buffers that are read: weight, activation, in_place");
      arg.fill = fill_at(*fill);
      arg.given_fill = true;
    });
  if (role_known) attempt([&] { filled(arg, body); });
  if (const auto edges = body.find("edges"))
    attempt([&] {
      if (role_known && !is_read(arg.role)) edges->fail("'edges' is for buffers that are read");
      const auto type = type_from_text(arg.type);
      if (type && (!is_floating(*type) || arg.lanes != 1)) edges->fail("'edges' is for buffers of a floating type");
      if (arg.fill.kind == Fill::Kind::file) edges->fail("a file says itself what stands at the edges of rows");
      arg.fill.edge = edges->real();
      if (arg.fill.edge == 0) edges->fail("what stands at the edges of rows must show: 0 does not");
    });
  if (role_known) attempt([&] { accumulated(arg, body); });
  arg.when = expression(body, "when", Allowed::everything("'when'"));
  if (role_known && arg.when && !is_scratch(arg.role))
    body.at("when").fail("every configuration has '" + arg.name + "': 'when' is for scratch and zeroed");
  if (const auto symbol = body.find("symbol"))
    attempt([&] {
      if (role_known && arg.role != Role::weight && arg.role != Role::activation)
        symbol->fail("a __constant__ symbol is read: its role is weight or activation");
      arg.symbol = symbol->text();
    });
}

void ManifestReader::hot(ArgSpec& arg, const Cursor& body, bool role_known) {
  const auto field = body.find("hot");
  if (!field) return;
  if (role_known && arg.role != Role::weight)
    field->fail("'hot' is for weights only", "an activation is hot, and what is written is cold");
  Allowed allowed = Allowed::problem("'hot'");
  allowed.gpu = allowed.lets = false;
  arg.hot = expression(body, "hot", allowed);
}

void ManifestReader::filled(const ArgSpec& arg, const Cursor& body) {
  const auto fill = body.find("fill");
  if (fill && !arg.given_fill) return;  // it is none
  auto type = type_from_text(arg.type);
  for (const auto& [name, expression] : kernel_.facts)
    if (!type && name == arg.type) type = type_from_text(expression.text());
  const auto zero = type ? nothing_but_zero(arg, *type) : std::nullopt;
  if (zero) (fill ? *fill : body).fail(zero->what, zero->hint);
}

void ManifestReader::accumulated(ArgSpec& arg, const Cursor& body) {
  for (const char* key : {"set", "timed"})
    if (const auto field = body.find(key); field && arg.role != Role::accumulator)
      field->fail(fmt::format("'{}' is for accumulators only", key));
  if (const auto set = body.find("set")) arg.initial = set->real();
  if (const auto timed = body.find("timed")) arg.set_timed = timed->truth();
  if (arg.set_timed && arg.initial != 0)
    body.at("timed").fail("only an accumulator that is set to 0 can be set inside the timed part",
                          "leave 'timed' out, or set it in a launch of your own");
}

ScalarSpec ManifestReader::scalar_at(const Cursor& body, const std::string& place) {
  ScalarSpec scalar;
  scalar.type = element_type(body.at("type"));
  const Cursor value = body.at("value");
  const auto type = type_from_text(scalar.type);
  if (type && (*type == Type::i4 || *type == Type::u4))
    body.at("type").fail("a scalar cannot be packed: i4 and u4 are for buffers");
  if (type && is_floating(*type) && is_written_number(value)) {
    scalar.real = value.real();
    return scalar;
  }
  Allowed allowed = Allowed::everything(place);
  allowed.any_index = place == kScalarValue;
  scalar.value = expression(body, "value", allowed);
  return scalar;
}

void ManifestReader::scalar(ArgSpec& arg, const Cursor& body) {
  for (const char* key : {"role", "align", "fill", "edges", "set", "timed", "symbol", "when"})
    if (const auto field = body.find(key)) field->fail(fmt::format("'{}' is for buffers only", key));
  const auto fields = body.find("fields");
  if (!fields) {
    keys(body, "scalar");
    arg.fields.push_back(scalar_at(body, kScalarValue));
    arg.type = arg.fields.front().type;
    return;
  }
  keys(body, "struct");
  arg.is_struct = true;
  arg.type = "u8";
  for (const Cursor& field : fields->items()) {
    attempt([&] {
      keys(field, "field");
      arg.fields.push_back(scalar_at(field, "a field of a struct"));
    });
  }
  if (fields->items().empty()) fields->fail("a struct without fields");
  if (arg.fields.size() > kMaxFields) fields->fail("a struct of more than 256 fields");
}

}  // namespace tuner::spec
