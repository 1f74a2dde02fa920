#include "compile/host_objects.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "core/error.h"

namespace tuner::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t limit_bytes = std::int64_t{256} << 20;

}  // namespace

const std::string& passing_folder() {
  struct Folder {
    Folder() {
      std::string pattern = (fs::temp_directory_path() / "tuner-host-XXXXXX").string();
      if (::mkdtemp(pattern.data()) == nullptr)
        throw MachineError("cannot make a folder for what compilers write", pattern);
      path = pattern;
    }
    ~Folder() {
      std::error_code error;
      fs::remove_all(path, error);
    }
    std::string path;
  };
  static const Folder folder;
  return folder.path;
}

HostObjects::HostObjects(const Cache* cache) : lasting_(cache != nullptr && cache->writable()) {
  if (!lasting_) {
    folder_ = passing_folder();
    return;
  }
  folder_ = (fs::path(cache->folder()) / "host").string();
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) {
    lasting_ = false;
    folder_ = passing_folder();
  }
}

std::string HostObjects::path_for(const std::string& hash) const { return folder_ + "/" + hash + ".so"; }

std::string HostObjects::unfinished(const std::string& path) { return fmt::format("{}.{}", path, ::getpid()); }

bool HostObjects::finish(const std::string& path) {
  std::error_code error;
  fs::rename(unfinished(path), path, error);
  if (error) return false;
  in_use_.insert(path);
  if (lasting_) trim();
  return true;
}

bool HostObjects::use(const std::string& path) {
  if (::access(path.c_str(), R_OK) != 0) return false;
  ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  in_use_.insert(path);
  return true;
}

HostObjectFiles host_object_files(const std::string& cache_folder) {
  HostObjectFiles files;
  std::error_code error;
  for (fs::directory_iterator file(fs::path(cache_folder) / "host", error), end; !error && file != end;
       file.increment(error)) {
    std::error_code gone;
    const auto bytes = static_cast<std::int64_t>(file->file_size(gone));
    if (gone) continue;
    ++files.count;
    files.bytes += bytes;
  }
  return files;
}

void clear_host_objects(const std::string& cache_folder) {
  std::error_code error;
  fs::remove_all(fs::path(cache_folder) / "host", error);
}

// The least recently used go first.
void HostObjects::trim() const {
  struct Object {
    fs::path path;
    std::int64_t bytes = 0;
    fs::file_time_type used;
  };
  std::vector<Object> objects;
  std::int64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator file(folder_, error), end; !error && file != end; file.increment(error)) {
    std::error_code gone;
    const auto bytes = static_cast<std::int64_t>(file->file_size(gone));
    const auto used = gone ? fs::file_time_type{} : file->last_write_time(gone);
    if (gone) continue;
    total += bytes;
    if (in_use_.count(file->path().string()) == 0) objects.push_back({file->path(), bytes, used});
  }
  std::sort(objects.begin(), objects.end(), [](const Object& a, const Object& b) { return a.used < b.used; });
  for (const Object& object : objects) {
    if (total <= limit_bytes) return;
    fs::remove(object.path, error);
    total -= object.bytes;
  }
}

}  // namespace tuner::compile
