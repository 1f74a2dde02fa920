#include "store/overrules_file.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/error.h"
#include "store/gpu_choice.h"
#include "store/json_scan.h"
#include "store/results_file.h"
#include "store/results_folder.h"
#include "store/spaced_json.h"
#include "store/time_text.h"

namespace tuner::store {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* edited = "`tuner pin`, `unpin` and `forbid` with --to write such a file";

bool same_blind(const std::string& a, const std::string& b) {
  return a.size() == b.size() && (a.empty() || contains_blind(a, b));
}

auto key(const Pin& pin) {
  return std::tuple(pin.problem.kernel, pin.problem.dims, facts_key(pin.problem.facts), pin.regime, pin.gpu);
}
auto key(const Forbid& forbid) { return std::tuple(forbid.kernel, forbid.gpu, to_json(forbid.params)); }

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json json_of(const Pin& pin) {
  return {{"kernel", pin.problem.kernel},
          {"shape", pin.problem.dims},
          {"facts", Json::parse(to_json(pin.problem.facts))},
          {"regime", pin.regime},
          {"gpu", text_or_null(pin.gpu)},
          {"params", Json::parse(to_json(pin.config))},
          {"why", pin.why},
          {"unverified", pin.unverified},
          {"made_at", pin.made_at}};
}

Json json_of(const Forbid& forbid) {
  return {{"kernel", text_or_null(forbid.kernel)},
          {"gpu", text_or_null(forbid.gpu)},
          {"params", Json::parse(to_json(forbid.params))},
          {"why", forbid.why},
          {"made_at", forbid.made_at}};
}

template <class Rule>
std::string list(std::vector<Rule>& rules) {
  std::stable_sort(rules.begin(), rules.end(), [](const Rule& a, const Rule& b) { return key(a) < key(b); });
  std::string text = "[";
  for (const Rule& rule : rules) {
    text += text.size() == 1 ? "\n  " : ",\n  ";
    text += spaced_json(entry_json(rule));
  }
  return text + (rules.empty() ? "]" : "\n ]");
}

const Json& at(const Json& json, const char* name) {
  if (!json.is_object()) throw UserError("it is not an object");
  const auto found = json.find(name);
  if (found == json.end()) throw UserError("'" + std::string(name) + "' is missing");
  return *found;
}

std::string text_at(const Json& json, const char* name) {
  const Json& value = at(json, name);
  if (!value.is_string()) throw UserError("'" + std::string(name) + "' is not a text");
  return value.get<std::string>();
}

std::string text_or_nothing(const Json& json, const char* name) {
  return at(json, name).is_null() ? std::string() : text_at(json, name);
}

std::vector<std::int64_t> shape_at(const Json& json) {
  std::vector<std::int64_t> dims;
  const Json& list = at(json, "shape");
  for (const Json& dim : list) {
    if (!list.is_array() || !dim.is_number_integer()) throw UserError("'shape' is not a list of whole numbers");
    dims.push_back(dim.get<std::int64_t>());
  }
  if (dims.empty() || *std::min_element(dims.begin(), dims.end()) < 1) throw UserError("a dimension is less than 1");
  parse_shape(shape_text(dims), {});  // throws where they are too large together
  return dims;
}

std::string reason_at(const Json& json) {
  std::string why = text_at(json, "why");
  if (why.empty()) throw UserError("it says no why");
  return why;
}

Config params_at(const Json& json) {
  Config config = config_from_json(at(json, "params").dump());
  if (config.params.empty()) throw UserError("it names no parameter");
  return config;
}

std::string time_at(const Json& json) {
  std::string time = text_at(json, "made_at");
  if (!is_time_text(time)) throw UserError("'made_at' is '" + time + "', not a time such as 2026-11-30T10:00:00Z");
  return time;
}

Pin pin_of(const Json& json) {
  Pin pin;
  pin.problem.kernel = text_at(json, "kernel");
  pin.problem.dims = shape_at(json);
  pin.problem.facts = facts_from_json(at(json, "facts").dump());
  pin.regime = text_at(json, "regime");
  pin.gpu = text_or_nothing(json, "gpu");
  pin.config = params_at(json);
  pin.why = reason_at(json);
  if (!at(json, "unverified").is_boolean()) throw UserError("'unverified' is not true or false");
  pin.unverified = at(json, "unverified").get<bool>();
  pin.made_at = time_at(json);
  return pin;
}

Forbid forbid_of(const Json& json) {
  Forbid forbid;
  forbid.kernel = text_or_nothing(json, "kernel");
  forbid.gpu = text_or_nothing(json, "gpu");
  forbid.params = params_at(json);
  forbid.why = reason_at(json);
  forbid.made_at = time_at(json);
  return forbid;
}

template <class Rule>
std::vector<Rule> read_list(const Json& json, const char* name, const std::string& path, Rule (*read)(const Json&)) {
  std::vector<Rule> rules;
  if (!json.contains(name)) return rules;
  if (!json[name].is_array()) throw UserError("'" + std::string(name) + "' is not a list", path, edited);
  for (std::size_t i = 0; i < json[name].size(); ++i) {
    const std::string where = path + ", " + name + " " + std::to_string(i + 1);
    try {
      rules.push_back(read(json[name].at(i)));
      rules.back().source = path;
    } catch (const UserError& error) {
      throw UserError(error.what(), where, edited);
    }
  }
  return rules;
}

template <class Rule>
void put_in(std::vector<Rule>& rules, Rule rule) {
  if (rule.made_at.empty()) rule.made_at = now_text();
  const auto same = [&rule](const Rule& other) { return same_place(rule, other); };
  rules.erase(std::remove_if(rules.begin(), rules.end(), same), rules.end());
  rules.push_back(std::move(rule));
}

}  // namespace

std::string entry_json(const Pin& pin) { return json_of(pin).dump(-1, ' ', false, Json::error_handler_t::replace); }
std::string entry_json(const Forbid& forbid) {
  return json_of(forbid).dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool same_place(const Pin& a, const Pin& b) {
  return a.problem.kernel == b.problem.kernel && a.problem.dims == b.problem.dims && a.regime == b.regime &&
         facts_key(a.problem.facts) == facts_key(b.problem.facts) && same_blind(a.gpu, b.gpu);
}

bool same_place(const Forbid& a, const Forbid& b) {
  const auto sorted = [](const Config& config) { return facts_key(config.params); };
  return a.kernel == b.kernel && same_blind(a.gpu, b.gpu) && sorted(a.params) == sorted(b.params);
}

void put(Overrules& overrules, Pin pin) { put_in(overrules.pins, std::move(pin)); }
void put(Overrules& overrules, Forbid forbid) { put_in(overrules.forbids, std::move(forbid)); }

std::string overrules_lists(Overrules overrules) {
  return " \"pins\": " + list(overrules.pins) + ",\n \"forbids\": " + list(overrules.forbids);
}

std::string write_overrules(Overrules overrules) {
  return "{\n \"tuner\": 1,\n" + overrules_lists(std::move(overrules)) + "\n}\n";
}

Overrules parse_overrules(std::string_view object, const std::string& path) {
  const Json json = nested_too_deeply(object) ? Json() : Json::parse(object, nullptr, false);
  if (!json.is_object() || !json.contains("tuner") || (!json.contains("pins") && !json.contains("forbids")))
    throw UserError("'" + path + "' is not a file of pins and forbids", path, edited);
  if (json["tuner"] != 1) throw UserError("'" + path + "' was written by a newer tuner", path, "update tuner");
  Overrules overrules{read_list(json, "pins", path, pin_of), read_list(json, "forbids", path, forbid_of)};
  std::stable_sort(overrules.pins.begin(), overrules.pins.end(),
                   [](const Pin& a, const Pin& b) { return a.made_at < b.made_at; });
  return overrules;
}

void check_overrules(const std::string& folder) {
  for (const std::string& path : results_files(folder)) {
    if (!may_overrule(path)) continue;
    try {
      read_folder_file(path);
    } catch (const UserError& damage) {
      throw UserError("what '" + path + "' forbids and pins cannot be told: " + damage.what(),
                      damage.where().empty() ? path : damage.where(),
                      "nothing is run, pinned or exported before it is mended, or taken out of this folder");
    }
  }
}

Overrules read_overrules(const std::string& path) {
  std::error_code error;
  if (std::filesystem::status(path, error).type() == std::filesystem::file_type::not_found) return {};
  const std::string text = read_results_text(path);
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_object() && json.contains("results"))
    throw UserError("'" + path + "' holds results, which `tuner export` writes", path, "name another file with --to");
  return parse_overrules(text, path);
}

}  // namespace tuner::store
