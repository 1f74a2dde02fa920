#include "cli/temp_folder.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "core/error.h"

namespace tuner::cli {
namespace fs = std::filesystem;

TempFolder::TempFolder(const std::string& name) {
  std::string pattern = (fs::temp_directory_path() / ("tuner-" + name + "-XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr) throw MachineError("no temporary folder can be made", pattern);
  path_ = pattern;
}

TempFolder::~TempFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

std::string TempFolder::write(const std::string& name, const std::string& text) const {
  const fs::path path = fs::path(path_) / name;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  return path.string();
}

}  // namespace tuner::cli
