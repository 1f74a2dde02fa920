// Template arguments of a kernel that somebody has, as its first manifest gives them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/source_numbers.h"

namespace tuner::cli {

struct DraftTemplates {
  std::vector<std::string> values;  // of the manifest's `template`
  std::vector<std::pair<std::string, std::string>>
      params;                                // among them that the manifest makes parameters, and their value
  std::vector<std::string> open;             // what is not known of them
  std::map<std::string, std::string> types;  // "float" of T
};

// `declared` is "typename T", "int N = 2"; `given` what the program launches it with, which may be less or nothing.
// Names of `taken` are those of arguments.
DraftTemplates draft_templates(const std::vector<std::string>& declared, const std::vector<std::string>& given,
                               const NamedNumbers& numbers, const std::vector<std::string>& taken);

// With the types in the place of their names.
std::string with_types(const std::string& type, const std::map<std::string, std::string>& types);

}  // namespace tuner::cli
