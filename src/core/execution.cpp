#include "core/execution.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace tuner {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::pair<Role, std::string_view> role_names[] = {
    {Role::weight, "weight"},     {Role::activation, "activation"},   {Role::output, "output"},
    {Role::in_place, "in_place"}, {Role::accumulator, "accumulator"}, {Role::scratch, "scratch"},
    {Role::zeroed, "zeroed"}};
constexpr std::pair<Fill::Kind, std::string_view> fill_names[] = {{Fill::Kind::uniform, "uniform"},
                                                                  {Fill::Kind::normal, "normal"},
                                                                  {Fill::Kind::constant, "constant"},
                                                                  {Fill::Kind::iota, "iota"},
                                                                  {Fill::Kind::file, "file"}};
constexpr std::pair<ErrorBound::Kind, std::string_view> bound_names[] = {
    {ErrorBound::Kind::terms, "terms"}, {ErrorBound::Kind::exact, "exact"}, {ErrorBound::Kind::stated, "stated"}};
constexpr std::pair<ReferencePlan::Kind, std::string_view> reference_names[] = {{ReferencePlan::Kind::none, "none"},
                                                                                {ReferencePlan::Kind::gemv, "gemv"},
                                                                                {ReferencePlan::Kind::host, "host"},
                                                                                {ReferencePlan::Kind::kernel, "kernel"},
                                                                                {ReferencePlan::Kind::data, "data"}};

template <class T, std::size_t n>
std::string_view name_in(const std::pair<T, std::string_view> (&names)[n], T value) {
  for (const auto& [each, name] : names)
    if (each == value) return name;
  return "?";
}

template <class T, std::size_t n>
T value_in(const std::pair<T, std::string_view> (&names)[n], const Json& text) {
  for (const auto& [each, name] : names)
    if (name == text.get<std::string>()) return each;
  throw UserError("unknown word '" + text.get<std::string>() + "' in an execution");
}

}  // namespace

std::string_view to_text(Role role) { return name_in(role_names, role); }
bool is_read(Role role) { return role == Role::weight || role == Role::activation || role == Role::in_place; }
bool is_result(Role role) { return role == Role::output || role == Role::in_place || role == Role::accumulator; }
bool is_scratch(Role role) { return role == Role::scratch || role == Role::zeroed; }

std::int64_t Argument::parameter_bytes() const {
  if (is_buffer) return 8;
  return bytes_by_value.empty() ? size_of(type) : static_cast<std::int64_t>(bytes_by_value.size());
}

namespace {

Json hex_of(const std::string& bytes) {
  std::string text;
  for (const char c : bytes)
    for (const int shift : {4, 0}) text += "0123456789abcdef"[(static_cast<unsigned char>(c) >> shift) & 15];
  return text;
}

std::string bytes_of_hex(const std::string& text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes += static_cast<char>((digit(text[i]) << 4 | digit(text[i + 1])) & 255);
  return bytes;
}

// What is as usual is left out.
Json json_of(const Argument& a) {
  Json j{{"name", a.name}, {"type", to_text(a.type)}};
  if (!a.is_buffer) {
    j["value"] = a.value;
    if (a.real != 0) j["real"] = a.real;
    if (!a.bytes_by_value.empty()) j["bytes"] = hex_of(a.bytes_by_value);
    return j;
  }
  j["role"] = to_text(a.role);
  j["elements"] = a.elements;
  j["align"] = a.align_bytes;
  j["fill"] = name_in(fill_names, a.fill.kind);
  j["low"] = a.fill.low;
  j["high"] = a.fill.high;
  if (!a.fill.path.empty()) j["path"] = a.fill.path;
  if (a.fill.edge != 0) j["edge"] = a.fill.edge;
  if (a.given_fill) j["given"] = true;
  if (a.initial != 0) j["initial"] = a.initial;
  if (!a.symbol.empty()) j["symbol"] = a.symbol;
  return j;
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
    a.real = j.value("real", 0.0);
    a.bytes_by_value = bytes_of_hex(j.value("bytes", ""));
    return a;
  }
  a.role = value_in(role_names, j.at("role"));
  a.elements = j.at("elements");
  a.align_bytes = j.at("align");
  a.fill.kind = value_in(fill_names, j.at("fill"));
  a.fill.low = j.at("low");
  a.fill.high = j.at("high");
  a.fill.path = j.value("path", "");
  a.fill.edge = j.value("edge", 0.0);
  a.given_fill = j.value("given", false);
  a.initial = j.value("initial", 0.0);
  a.symbol = j.value("symbol", "");
  return a;
}

Json json_of(const Dim3& d) { return Json::array({d.x, d.y, d.z}); }
Dim3 dim3_of(const Json& j) { return {j.at(0), j.at(1), j.at(2)}; }

Json json_of(const Step& s) {
  if (s.kind == Step::Kind::memset) return {{"memset", s.argument}, {"byte", s.byte}};
  Json j{{"launch", s.entry}, {"grid", json_of(s.grid)}, {"block", json_of(s.block)}, {"shared", s.shared_bytes}};
  if (s.cluster != Dim3{}) j["cluster"] = json_of(s.cluster);
  if (s.cooperative) j["cooperative"] = true;
  if (!s.arguments.empty()) j["arguments"] = s.arguments;
  for (const auto& [name, value] : s.values) j["values"][name] = value;
  return j;
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
  if (j.contains("cluster")) s.cluster = dim3_of(j.at("cluster"));
  s.cooperative = j.value("cooperative", false);
  if (j.contains("arguments")) s.arguments = j.at("arguments").get<std::vector<std::string>>();
  if (j.contains("values"))
    for (const auto& [name, value] : j.at("values").items()) s.values.emplace_back(name, value.get<std::int64_t>());
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

bool takes(const Step& launch, const Argument& argument) {
  if (launch.arguments.empty()) return argument.symbol.empty();
  return std::find(launch.arguments.begin(), launch.arguments.end(), argument.name) != launch.arguments.end();
}

std::string to_json(const Execution& execution) {
  return Json{{"arguments", array_of(execution.arguments)},
              {"steps", array_of(execution.steps)},
              {"dependent", execution.dependent}}
      .dump();
}

Execution execution_from_json(std::string_view text) {
  return reading(text, "an execution", [](const Json& j) {
    Execution execution;
    for (const auto& item : j.at("arguments")) execution.arguments.push_back(argument_of(item));
    for (const auto& item : j.at("steps")) execution.steps.push_back(step_of(item));
    execution.dependent = j.value("dependent", false);
    return execution;
  });
}

namespace {

Json json_of(const ReferencePlan& r) {
  Json expected = Json::object();
  for (const auto& [name, path] : r.expected) expected[name] = path;
  return {{"kind", name_in(reference_names, r.kind)},
          {"function", r.function},
          {"file", r.file},
          {"steps", array_of(r.steps)},
          {"expected", expected},
          {"bound", name_in(bound_names, r.bound.kind)},
          {"relative", r.bound.relative},
          {"absolute", r.bound.absolute},
          {"exact_integers", r.exact_integers}};
}

ReferencePlan reference_of(const Json& j) {
  ReferencePlan r;
  r.kind = value_in(reference_names, j.at("kind"));
  r.function = j.at("function");
  r.file = j.at("file");
  for (const auto& item : j.at("steps")) r.steps.push_back(step_of(item));
  for (const auto& [name, path] : j.at("expected").items()) r.expected.emplace_back(name, path.get<std::string>());
  r.bound = {value_in(bound_names, j.at("bound")), j.at("relative"), j.at("absolute")};
  r.exact_integers = j.at("exact_integers");
  return r;
}

}  // namespace

std::string to_json(const Workload& w) {
  return Json{{"kernel", w.kernel},
              {"dims", w.dims},
              {"arguments", array_of(w.arguments)},
              {"reference", json_of(w.reference)},
              {"terms", w.terms},
              {"batch", w.batch},
              {"row_stride", w.row_stride},
              {"misalign", w.misalign_elements},
              {"feeds", w.feeds},
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
    w.reference = reference_of(j.at("reference"));
    w.terms = j.at("terms");
    w.batch = j.at("batch");
    w.row_stride = j.at("row_stride");
    w.misalign_elements = j.at("misalign");
    w.feeds = j.at("feeds").get<decltype(w.feeds)>();
    w.bytes_read = j.at("bytes_read");
    w.bytes_written = j.at("bytes_written");
    w.flops = j.at("flops");
    return w;
  });
}

}  // namespace tuner
