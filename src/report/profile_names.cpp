#include "report/profile_names.h"

#include <set>

namespace tuner::report {
namespace {

// In the order in which they first stand in a configuration.
std::vector<std::string> parameters_of(const std::vector<Config>& configs) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const Config& config : configs)
    for (const auto& [name, value] : config.params)
      if (known.insert(name).second) names.push_back(name);
  return names;
}

std::string word(const Config& config, const std::string& name) {
  const Value* value = config.find(name);
  return value != nullptr ? name + "=" + to_text(*value) : std::string();
}

bool differs(const std::vector<Config>& configs, const std::string& name) {
  for (const Config& config : configs)
    if (word(config, name) != word(configs.front(), name)) return true;
  return false;
}

// Whether they are names, and no two are equal.
bool tell(const std::vector<std::string>& names) {
  const std::set<std::string> different(names.begin(), names.end());
  return different.size() == names.size() && different.count("") == 0;
}

// As telling_names, with parameters and values.
std::vector<std::string> pairs_of(const std::vector<Config>& configs) {
  std::vector<std::string> names(configs.size());
  for (const std::string& parameter : parameters_of(configs)) {
    if (tell(names)) return names;
    if (!differs(configs, parameter)) continue;
    for (std::size_t i = 0; i < configs.size(); ++i)
      if (const std::string text = word(configs[i], parameter); !text.empty())
        names[i] += (names[i].empty() ? "" : " ") + text;
  }
  if (tell(names)) return names;
  for (std::size_t i = 0; i < configs.size(); ++i) names[i] = configs[i].label();
  return names;
}

}  // namespace

TellingNames telling_names(const std::vector<Config>& configs) {
  TellingNames telling{{}, pairs_of(configs)};
  if (configs.size() < 2) return telling;
  const std::string parameter = telling.names.front().substr(0, telling.names.front().find('='));
  std::vector<std::string> values;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const Value* value = configs[i].find(parameter);
    if (value == nullptr || !std::holds_alternative<Name>(*value)) return telling;
    if (telling.names[i] != parameter + "=" + to_text(*value)) return telling;
    values.push_back(to_text(*value));
  }
  if (tell(values)) telling = {parameter, values};
  return telling;
}

}  // namespace tuner::report
