#include "cli/cache_place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>

namespace tuner::cli {
namespace fs = std::filesystem;
namespace {

bool can_hold_files(const std::string& folder) {
  std::error_code error;
  if (!folder.empty()) fs::create_directories(folder, error);
  return fs::is_directory(folder, error) && ::access(folder.c_str(), W_OK | X_OK) == 0;
}

// A folder of that name may be another user's, who would then choose what code we run: it must be ours, and ours alone.
bool is_ours_alone(const std::string& folder) {
  struct stat info {};
  return ::lstat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid() &&
         (info.st_mode & 077) == 0;
}

}  // namespace

CachePlace find_cache_place(const std::string& wanted, const std::string& temporary) {
  if (can_hold_files(wanted)) return {wanted, {}};
  const std::string why = wanted.empty() ? "there is no place for the cache: neither HOME nor XDG_CACHE_HOME is set"
                                         : "the cache " + wanted + " cannot be written";
  std::string folder = temporary + "/tuner-" + std::to_string(::geteuid());
  const bool made = ::mkdir(folder.c_str(), 0700) == 0;
  if (!made && !is_ours_alone(folder)) {
    folder = temporary + "/tuner-XXXXXX";
    if (::mkdtemp(folder.data()) == nullptr) return {{}, why + ", nor can " + temporary + "; nothing is kept"};
  }
  return {folder, why + "; " + folder + " is used"};
}

std::string cache_folder(const Context& context) {
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  const CachePlace place = find_cache_place(context.places.cache, error ? "/tmp" : temporary.string());
  if (!place.warning.empty()) std::cerr << context.notes.text("warning: " + place.warning) << "\n";
  return place.folder;
}

}  // namespace tuner::cli
