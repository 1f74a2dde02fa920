// Cache files of Kernel Tuner: a line a configuration, times in milliseconds, failures as a word in the place of a
// time.
#include <nlohmann/json.hpp>

#include "search/recording_formats.h"

namespace tuner::search {
namespace {

using Json = nlohmann::ordered_json;

// A number, or a list of them: "4096x4096".
std::string size_text(const Json& size) {
  if (!size.is_array()) return size.is_string() ? size.get<std::string>() : size.dump();
  std::string text;
  for (const Json& one : size) text += (text.empty() ? "" : "x") + one.dump();
  return text;
}

double cached_seconds(const Json& row) {
  double ms = 0;
  for (const char* key : {"compile_time", "verification_time", "benchmark_time", "framework_time"})
    if (row.contains(key) && row.at(key).is_number()) ms += row.at(key).get<double>();
  return ms / 1e3;
}

}  // namespace

Recording parse_kernel_tuner(std::string_view text) {
  try {
    const Json root = Json::parse(text);
    const auto names = root.at("tune_params_keys").get<std::vector<std::string>>();
    const std::string objective = root.value("objective", "time");
    if (objective != "time") throw BadRecording("what was measured is '" + objective + "', not the time");
    RecordingBuilder builder(names);
    for (const auto& [key, row] : root.at("cache").items()) {
      std::vector<std::string> values;
      for (const std::string& name : names) values.push_back(row.at(name).dump());
      const Json& time = row.at("time");
      builder.add(values, time.is_number() ? time.get<double>() * 1e3 : 0, cached_seconds(row));
    }
    Recording recording;
    recording.about = root.at("kernel_name").get<std::string>() + " " + size_text(root.at("problem_size")) + " on " +
                      root.at("device_name").get<std::string>();
    builder.finish(recording);
    return recording;
  } catch (const Json::exception& fault) {
    throw BadRecording(std::string("it is no whole cache file of Kernel Tuner: ") + fault.what());
  }
}

}  // namespace tuner::search
