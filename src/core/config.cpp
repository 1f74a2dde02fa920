#include "core/config.h"

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json_values.h"

namespace tuner {

const Value* Config::find(std::string_view name) const {
  for (const auto& [key, value] : params)
    if (key == name) return &value;
  return nullptr;
}

std::string Config::label() const {
  std::string text;
  for (const auto& [key, value] : params) {
    if (!text.empty()) text += ' ';
    text += key + "=" + to_text(value);
  }
  return text;
}

std::string to_json(const Config& config) {
  std::string text = "{";
  for (const auto& [key, value] : config.params) {
    if (text.size() > 1) text += ',';
    text += json_string(key) + ":" + json_text(value);
  }
  return text + "}";
}

Config config_from_json(std::string_view text) {
  const auto object = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!object.is_object()) throw UserError("a configuration must be a JSON object", {}, "e.g. {\"block_size\": 256}");
  Config config;
  for (const auto& [key, value] : object.items()) {
    if (value.is_boolean()) {
      config.params.emplace_back(key, Value{value.get<bool>()});
    } else if (value.is_number_integer()) {
      config.params.emplace_back(key, Value{value.get<std::int64_t>()});
    } else if (value.is_string()) {
      config.params.emplace_back(key, Value{Name{value.get<std::string>()}});
    } else {
      throw UserError("parameter '" + key + "' must be an integer, a boolean or a string");
    }
  }
  return config;
}

}  // namespace tuner
