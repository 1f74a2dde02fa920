// Results in the T4 format of the autotuning community: times in milliseconds, `invalidity` says what was no good.
#include <nlohmann/json.hpp>

#include "search/recording_formats.h"

namespace tuner::search {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* objective_of_time = "time";

double result_seconds(const Json& times) {
  double ms = 0;
  for (const auto& [key, time] : times.items()) {
    if (time.is_number()) ms += time.get<double>();
    if (key != "runtimes" || !time.is_array()) continue;
    for (const Json& one : time) ms += one.is_number() ? one.get<double>() : 0;
  }
  return ms / 1e3;
}

double time_of(const Json& row) {
  if (row.at("invalidity").get<std::string>() != "correct") return 0;
  const auto objectives = row.value("objectives", std::vector<std::string>{objective_of_time});
  if (objectives != std::vector<std::string>{objective_of_time})
    throw BadRecording("what was measured is '" + (objectives.empty() ? "" : objectives.front()) + "', not the time");
  for (const Json& measured : row.at("measurements"))
    if (measured.at("name") == objective_of_time) return measured.at("value").get<double>() * 1e3;
  return 0;
}

}  // namespace

Recording parse_t4(std::string_view text) {
  try {
    const Json root = Json::parse(text);
    const Json& results = root.at("results");
    if (results.empty()) throw BadRecording("it has no results");
    std::vector<std::string> names;
    for (const auto& [name, value] : results.front().at("configuration").items()) names.push_back(name);
    RecordingBuilder builder(names);
    for (const Json& row : results) {
      const Json& configuration = row.at("configuration");
      if (configuration.size() != names.size())
        throw BadRecording("its configurations do not all have the same parameters");
      std::vector<std::string> values;
      for (const std::string& name : names) values.push_back(configuration.at(name).dump());
      builder.add(values, time_of(row), result_seconds(row.at("times")));
    }
    Recording recording;
    const Json metadata = root.value("metadata", Json::object());
    if (metadata.contains("device")) recording.about = "on " + metadata.at("device").dump();
    builder.finish(recording);
    return recording;
  } catch (const Json::exception& fault) {
    throw BadRecording(std::string("it is no file of results in the T4 format: ") + fault.what());
  }
}

}  // namespace tuner::search
