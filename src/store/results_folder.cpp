#include "store/results_folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/error.h"

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

namespace {

constexpr std::size_t max_bytes = std::size_t{256} << 20;

// What waits for a writer must not be opened, and a folder has no text.
void refuse_irregular(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) throw UserError("'" + path + "' is a folder, no results file", path);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw UserError("'" + path + "' is no regular file", path, "a pipe or a device holds no results");
}

}  // namespace

std::string read_results_text(const std::string& path) {
  refuse_irregular(path);
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto bytes = static_cast<std::streamoff>(file.tellg());
  if (!file || bytes < 0) throw MachineError("'" + path + "' cannot be read", path, "check its permissions");
  if (static_cast<std::size_t>(bytes) > max_bytes) throw UserError("'" + path + "' is larger than 256 MiB", path);
  std::string text(static_cast<std::size_t>(bytes), '\0');
  if (!file.seekg(0).read(text.data(), bytes)) throw MachineError("'" + path + "' cannot be read", path);
  return text;
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
