#include "cli/write_file.h"

#include <filesystem>
#include <fstream>
#include <iostream>

#include "core/error.h"

namespace tuner::cli {

void write_file(const std::string& path, const std::string& text) {
  if (path.empty() || path == "-") {
    std::cout << text;
    return;
  }
  const std::string part = path + ".part";
  std::ofstream file(part, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(part, path, error);
  if (!file || error) {
    std::filesystem::remove(part, error);
    throw MachineError("the file could not be written", path, "is the folder there and writable?");
  }
}

}  // namespace tuner::cli
