#include "store/results_at.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "core/error.h"
#include "store/kept_file.h"
#include "store/results_file.h"

namespace tuner::store {
namespace fs = std::filesystem;

bool is_database(const std::string& path) {
  std::string start(16, '\0');
  const int fd = kept_descriptor(path);  // it may be the one that is open already
  return fd >= 0 && ::pread(fd, start.data(), start.size(), 0) == 16 && start == std::string("SQLite format 3\0", 16);
}

std::vector<std::string> json_files(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& file : fs::directory_iterator(folder))
    if (file.path().extension() == ".json") files.push_back(file.path().string());
  std::sort(files.begin(), files.end());
  if (files.empty())
    throw UserError("there is no results file in '" + folder + "'", folder, "`tuner export` writes one");
  return files;
}

std::vector<Entry> results_at(const std::string& path) {
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  if (!folder && is_database(path)) return export_results(Store::open(path, Store::Mode::read_only));
  std::vector<Entry> entries;
  for (const std::string& file : folder ? json_files(path) : std::vector{path}) {
    std::vector<Entry> more = read_results(file);
    std::move(more.begin(), more.end(), std::back_inserter(entries));
  }
  return entries;
}

}  // namespace tuner::store
