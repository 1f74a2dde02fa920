#include "core/json_values.h"

#include <nlohmann/json.hpp>

namespace tuner {

std::string json_string(std::string_view text) {
  return nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_text(const Value& value) {
  if (const auto* name = std::get_if<Name>(&value)) return json_string(name->text);
  return to_text(value);
}

}  // namespace tuner
