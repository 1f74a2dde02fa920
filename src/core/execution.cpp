#include "core/execution.h"

#include <nlohmann/json.hpp>

#include "core/error.h"

namespace tuner {

using Json = nlohmann::ordered_json;

std::string_view to_text(Role role) {
  switch (role) {
    case Role::weight:
      return "weight";
    case Role::activation:
      return "activation";
    case Role::output:
      return "output";
    case Role::scratch:
      return "scratch";
  }
  return "?";
}

namespace {

Role role_from_text(const std::string& text) {
  for (Role role : {Role::weight, Role::activation, Role::output, Role::scratch})
    if (to_text(role) == text) return role;
  throw UserError("unknown role '" + text + "'");
}

Json json_of(const Argument& a) {
  if (!a.is_buffer) return {{"name", a.name}, {"type", to_text(a.type)}, {"value", a.value}};
  return {{"name", a.name},          {"type", to_text(a.type)},
          {"role", to_text(a.role)}, {"elements", a.elements},
          {"align", a.align_bytes},  {"fill", a.fill.kind == Fill::Kind::uniform ? "uniform" : "constant"},
          {"low", a.fill.low},       {"high", a.fill.high}};
}

Argument argument_of(const Json& j) {
  Argument a;
  a.name = j.at("name");
  const auto type = type_from_text(j.at("type").get<std::string>());
  if (!type) throw UserError("unknown type in an execution");
  a.type = *type;
  a.is_buffer = j.contains("role");
  if (!a.is_buffer) {
    a.value = j.at("value");
    return a;
  }
  a.role = role_from_text(j.at("role"));
  a.elements = j.at("elements");
  a.align_bytes = j.at("align");
  a.fill.kind = j.at("fill") == "uniform" ? Fill::Kind::uniform : Fill::Kind::constant;
  a.fill.low = j.at("low");
  a.fill.high = j.at("high");
  return a;
}

Json json_of(const Dim3& d) { return Json::array({d.x, d.y, d.z}); }
Dim3 dim3_of(const Json& j) { return {j.at(0), j.at(1), j.at(2)}; }

Json json_of(const Step& s) {
  if (s.kind == Step::Kind::memset) return {{"memset", s.argument}, {"byte", s.byte}};
  return {{"launch", s.entry}, {"grid", json_of(s.grid)}, {"block", json_of(s.block)}, {"shared", s.shared_bytes}};
}

Step step_of(const Json& j) {
  Step s;
  if (j.contains("memset")) {
    s.kind = Step::Kind::memset;
    s.argument = j.at("memset");
    s.byte = j.at("byte");
    return s;
  }
  s.entry = j.at("launch");
  s.grid = dim3_of(j.at("grid"));
  s.block = dim3_of(j.at("block"));
  s.shared_bytes = j.at("shared");
  return s;
}

template <class F>
auto reading(std::string_view text, const char* what, F&& read) {
  const Json object = Json::parse(text, nullptr, false);
  if (object.is_discarded()) throw UserError(std::string(what) + " is not JSON");
  try {
    return read(object);
  } catch (const nlohmann::json::exception& fault) {
    throw UserError(std::string(what) + " lacks a field: " + fault.what());
  }
}

template <class T>
Json array_of(const std::vector<T>& items) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(json_of(item));
  return list;
}

}  // namespace

std::string to_json(const std::vector<Step>& steps) { return array_of(steps).dump(); }

std::vector<Step> steps_from_json(std::string_view text) {
  return reading(text, "a list of steps", [](const Json& j) {
    std::vector<Step> steps;
    for (const auto& item : j) steps.push_back(step_of(item));
    return steps;
  });
}

std::string to_json(const Execution& execution) {
  return Json{{"arguments", array_of(execution.arguments)}, {"steps", array_of(execution.steps)}}.dump();
}

Execution execution_from_json(std::string_view text) {
  return reading(text, "an execution", [](const Json& j) {
    Execution execution;
    for (const auto& item : j.at("arguments")) execution.arguments.push_back(argument_of(item));
    for (const auto& item : j.at("steps")) execution.steps.push_back(step_of(item));
    return execution;
  });
}

std::string to_json(const Workload& w) {
  return Json{{"kernel", w.kernel},
              {"dims", w.dims},
              {"arguments", array_of(w.arguments)},
              {"reference", w.reference},
              {"batch", w.batch},
              {"row_stride", w.row_stride},
              {"misalign", w.misalign_elements},
              {"bytes_read", w.bytes_read},
              {"bytes_written", w.bytes_written},
              {"flops", w.flops}}
      .dump();
}

Workload workload_from_json(std::string_view text) {
  return reading(text, "a workload", [](const Json& j) {
    Workload w;
    w.kernel = j.at("kernel");
    w.dims = j.at("dims").get<std::vector<std::int64_t>>();
    for (const auto& item : j.at("arguments")) w.arguments.push_back(argument_of(item));
    w.reference = j.at("reference");
    w.batch = j.at("batch");
    w.row_stride = j.at("row_stride");
    w.misalign_elements = j.at("misalign");
    w.bytes_read = j.at("bytes_read");
    w.bytes_written = j.at("bytes_written");
    w.flops = j.at("flops");
    return w;
  });
}

}  // namespace tuner
