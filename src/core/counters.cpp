#include "core/counters.h"

#include <nlohmann/json.hpp>

#include "core/error.h"

namespace tuner {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json object_of(const std::vector<std::pair<std::string, T>>& pairs) {
  Json object = Json::object();
  for (const auto& [name, value] : pairs) object[name] = value;
  return object;
}

template <class T>
void read_pairs(const Json& object, std::vector<std::pair<std::string, T>>& pairs) {
  const auto& all = object.get_ref<const Json::object_t&>();
  for (const auto& [name, value] : all) pairs.emplace_back(name, value.template get<T>());
}

}  // namespace

std::optional<double> LaunchCounters::find(std::string_view metric) const {
  for (const auto& [name, value] : values)
    if (name == metric) return value;
  return std::nullopt;
}

std::string to_json(const std::vector<LaunchCounters>& launches) {
  Json list = Json::array();
  for (const LaunchCounters& launch : launches)
    list.push_back(
        {{"entry", launch.entry}, {"values", object_of(launch.values)}, {"absent", object_of(launch.absent)}});
  return list.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<LaunchCounters> launch_counters_from_json(std::string_view text) {
  const Json list = Json::parse(text, nullptr, false);
  if (!list.is_array()) throw UserError("a list of counters is not a JSON array");
  try {
    std::vector<LaunchCounters> launches;
    for (const Json& item : list) {
      LaunchCounters& launch = launches.emplace_back();
      item.at("entry").get_to(launch.entry);
      read_pairs(item.at("values"), launch.values);
      read_pairs(item.at("absent"), launch.absent);
    }
    return launches;
  } catch (const Json::exception& fault) {
    throw UserError(std::string("a list of counters lacks a field: ") + fault.what());
  }
}

}  // namespace tuner
