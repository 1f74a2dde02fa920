#include <algorithm>
#include <fstream>
#include <iostream>

#include "cli/commands.h"
#include "core/error.h"
#include "core/suggest.h"

namespace tuner::cli {

int cmd_schema(const Context& context) {
  static const std::vector<std::string> kLanguages = {"manifest", "sweep"};
  const std::string language = context.arguments.required("LANGUAGE");
  if (std::find(kLanguages.begin(), kLanguages.end(), language) == kLanguages.end())
    throw UserError("there is no schema '" + language + "'", "LANGUAGE", did_you_mean(language, kLanguages));
  const std::string path = context.places.share + "/schemas/" + language + ".schema.json";
  std::ifstream file(path, std::ios::binary);
  if (!file) throw MachineError("the schema is missing", path, "reinstall tuner");
  std::cout << file.rdbuf();
  return 0;
}

}  // namespace tuner::cli
