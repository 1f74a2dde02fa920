#include "store/results_folder.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "store/results_parse.h"

namespace tuner::store {
namespace fs = std::filesystem;

std::vector<std::string> results_files(const std::string& folder) {
  if (folder.empty()) return {};
  const auto fail = [&folder](const std::error_code& error) {
    throw MachineError("the results folder '" + folder + "' cannot be listed: " + error.message(), folder,
                       "what it pins and forbids cannot be told; check its permissions");
  };
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (status.type() == fs::file_type::none) fail(error);
  if (!fs::is_directory(status)) return {};
  std::vector<std::string> files;
  fs::directory_iterator file(folder, error);
  for (const fs::directory_iterator end; !error && file != end; file.increment(error))
    if (file->path().extension() == ".json") files.push_back(file->path().string());
  if (error) fail(error);
  std::sort(files.begin(), files.end());
  return files;
}

bool may_overrule(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return false;
  if (fs::path(path).filename() == "overrules.json") return true;
  try {
    const std::string text = read_results_text(path);
    const auto says = [&text](const char* key) { return text.find(key) != std::string::npos; };
    return says("\"forbids\"") || says("\"pins\"");
  } catch (const Error&) {
    return true;
  }
}

}  // namespace tuner::store
