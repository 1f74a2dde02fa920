#include "spec/beside.h"

#include <filesystem>

namespace tuner::spec {

std::string existing_file(const Cursor& at) {
  namespace fs = std::filesystem;
  if (at.text().empty()) at.fail("names no file");
  const std::string path = (fs::absolute(at.file()).parent_path() / at.text()).lexically_normal().string();
  std::error_code fault;
  if (!fs::is_regular_file(path, fault))
    at.fail("the file '" + path + "' does not exist", "its path is relative to the manifest's folder");
  return path;
}

}  // namespace tuner::spec
