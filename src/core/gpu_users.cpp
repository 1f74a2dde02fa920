#include "core/gpu_users.h"

#include <nlohmann/json.hpp>

namespace tuner {

std::string to_json(const GpuUsers& users) {
  nlohmann::json json{{"utilization_percent", users.utilization_percent}, {"mps", users.mps}};
  json["processes"] = nlohmann::json::array();
  for (const GpuProcess& process : users.processes)
    json["processes"].push_back({{"pid", process.pid}, {"name", process.name}, {"memory_bytes", process.memory_bytes}});
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

GpuUsers gpu_users_from_json(std::string_view text) {
  const auto json = nlohmann::json::parse(text);
  GpuUsers users;
  users.utilization_percent = json.at("utilization_percent");
  users.mps = json.at("mps");
  for (const auto& process : json.at("processes"))
    users.processes.push_back({process.at("pid"), process.at("name"), process.at("memory_bytes")});
  return users;
}

}  // namespace tuner
