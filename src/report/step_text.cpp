#include "report/step_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace tuner::report {

std::string launch_extras(const Step& step) {
  std::string text;
  if (step.cluster != Dim3{}) text += fmt::format(" cluster {}x{}x{}", step.cluster.x, step.cluster.y, step.cluster.z);
  if (step.cooperative) text += " cooperative";
  if (!step.arguments.empty()) text += fmt::format(" args {}", fmt::join(step.arguments, ","));
  for (const auto& [name, value] : step.values) text += fmt::format(" {}={}", name, value);
  return text;
}

std::string launch_extras_json(const Step& step) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (step.cluster != Dim3{}) json["cluster"] = {step.cluster.x, step.cluster.y, step.cluster.z};
  if (step.cooperative) json["cooperative"] = true;
  if (!step.arguments.empty()) json["arguments"] = step.arguments;
  for (const auto& [name, value] : step.values) json["values"][name] = value;
  return json.dump();
}

std::vector<StepRun> runs_of(const std::vector<Step>& steps) {
  std::vector<StepRun> runs;
  for (const Step& step : steps) {
    if (!runs.empty()) {
      Step same = runs.back().step;
      same.values = step.values;
      if (same == step) {
        if (runs.back().step.values != step.values) runs.back().step.values.clear();
        ++runs.back().times;
        continue;
      }
    }
    runs.push_back({step, 1});
  }
  return runs;
}

}  // namespace tuner::report
