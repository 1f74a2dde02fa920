// tuner's own format, written and read.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/json_values.h"
#include "search/recorded_sweep.h"
#include "search/recording_formats.h"

namespace tuner::search {
namespace {

using Json = nlohmann::ordered_json;

constexpr int format_version = 1;

// The values that occur, in order of size where all are whole numbers, else as they come.
std::vector<Axis> axes_of(const std::vector<Trial>& trials) {
  std::vector<Axis> axes;
  for (const Trial& trial : trials)
    for (const auto& [name, value] : trial.config.params) {
      auto axis = std::find_if(axes.begin(), axes.end(), [&name = name](const Axis& a) { return a.name == name; });
      if (axis == axes.end()) axis = axes.insert(axes.end(), Axis{name, {}});
      if (std::find(axis->values.begin(), axis->values.end(), value) == axis->values.end())
        axis->values.push_back(value);
    }
  for (Axis& axis : axes) {
    const std::vector<int> ranks = axis.ranks();
    std::vector<Value> sorted = axis.values;
    for (std::size_t i = 0; i < ranks.size(); ++i) sorted[static_cast<std::size_t>(ranks[i])] = axis.values[i];
    axis.values = std::move(sorted);
  }
  return axes;
}

std::string outcome_of(const Trial& trial) {
  if (trial.reason != Reason::none) return std::string(to_text(trial.reason));
  return std::string(to_text(trial.status));
}

std::string row_of(const Trial& trial, const std::vector<Axis>& axes) {
  const auto point = point_of(axes, trial.config);
  std::string row = "[";
  for (const int place : *point) row += place == inactive ? "null," : std::to_string(place) + ",";
  const double time = trial.cost > 0 ? trial.cost : trial.time_us;
  return row +
         fmt::format("{},{:.6g},{:.2g},{:.3g}]", json_string(outcome_of(trial)), time, trial.spread, trial.seconds);
}

bool was_tried(const Trial& trial) {
  return trial.reason != Reason::none || (trial.time_us > 0 && trial.status != Status::compiled);
}

// What stands between its quotes or brackets, by parameter.
std::vector<std::vector<std::string>> values_in(const Json& parameters) {
  std::vector<std::vector<std::string>> values;
  for (const Json& parameter : parameters) {
    auto& of = values.emplace_back();
    for (const Json& value : parameter.at("values")) of.push_back(value.dump());
  }
  return values;
}

void add_row(const Json& row, const std::vector<std::vector<std::string>>& known, RecordingBuilder& builder) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < known.size(); ++i)
    values.push_back(row.at(i).is_null() ? "null" : known[i].at(row.at(i).get<std::size_t>()));
  const std::string outcome = row.at(known.size()).get<std::string>();
  const bool good = !reason_from_text(outcome).has_value();
  builder.add(values, good ? row.at(known.size() + 1).get<double>() : 0, row.at(known.size() + 3).get<double>());
}

}  // namespace

std::string recorded_text(const RecordedSweep& sweep) {
  const std::vector<Axis> axes = axes_of(sweep.trials);
  std::string text = fmt::format("{{\"tuner_replay\":{},\n", format_version);
  const auto line = [&text](const char* key, const std::string& json) {
    text += fmt::format("\"{}\":{},\n", key, json);
  };
  line("kernel", json_string(sweep.problem.kernel));
  line("shape", json_string(shape_text(sweep.problem.dims)));
  line("facts", to_json(sweep.problem.facts));
  line("regime", json_string(sweep.regime));
  line("objective", json_string(sweep.objective));
  line("gpu", json_string(sweep.gpu.name));
  line("arch", json_string(arch_text(sweep.gpu.arch)));
  line("driver", json_string(sweep.gpu.driver));
  line("nvrtc", json_string(sweep.nvrtc));
  line("recorded_at", json_string(sweep.recorded_at));
  text += "\"parameters\":[";
  for (const Axis& axis : axes) {
    std::string values;
    for (const Value& value : axis.values) values += (values.empty() ? "" : ",") + json_text(value);
    text += fmt::format("{}\n{{\"name\":{},\"values\":[{}]}}", &axis == &axes.front() ? "" : ",",
                        json_string(axis.name), values);
  }
  text += "],\n\"columns\":[\"parameters...\",\"outcome\",\"time_us\",\"spread\",\"seconds\"],\n\"trials\":[";
  bool first = true;
  for (const Trial& trial : sweep.trials) {
    if (!was_tried(trial)) continue;
    text += (first ? "\n" : ",\n") + row_of(trial, axes);
    first = false;
  }
  return text + "]}\n";
}

Recording parse_own(std::string_view text) {
  try {
    const Json root = Json::parse(text);
    if (root.at("tuner_replay") != format_version)
      throw BadRecording("it is of version " + root.at("tuner_replay").dump() + ", known is " +
                         std::to_string(format_version));
    std::vector<std::string> names;
    for (const Json& parameter : root.at("parameters")) names.push_back(parameter.at("name").get<std::string>());
    RecordingBuilder builder(names);
    const auto known = values_in(root.at("parameters"));
    for (const Json& row : root.at("trials")) add_row(row, known, builder);
    Recording recording;
    recording.about = root.at("kernel").get<std::string>() + " " + root.at("shape").get<std::string>() + " on " +
                      root.at("gpu").get<std::string>();
    builder.finish(recording);
    return recording;
  } catch (const Json::exception& fault) {
    throw BadRecording(std::string("it is no whole recording: ") + fault.what());
  } catch (const std::out_of_range&) {
    throw BadRecording("it is no whole recording: a trial has a value that its parameter has not");
  }
}

}  // namespace tuner::search
