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

}  // namespace

std::vector<std::string> telling_names(const std::vector<Config>& configs) {
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

}  // namespace tuner::report
