// What an import added.
#pragma once

#include <string>
#include <vector>

#include "report/style.h"
#include "store/import.h"

namespace tuner::report {

struct ImportedPath {
  std::string path;
  store::Imported done;
};

std::string import_text(const std::vector<ImportedPath>& paths, const Style& style);
std::string import_json(const std::vector<ImportedPath>& paths, const std::string& database);

}  // namespace tuner::report
