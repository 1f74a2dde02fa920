#include "cli/repair.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "compile/cache.h"
#include "store/health.h"

namespace tuner::cli {
namespace fs = std::filesystem;
namespace {

void look_at_database(const Places& places, bool repair, std::vector<std::string>& found) {
  if (places.database.empty()) return;
  const store::Checked checked = store::check_database(places.database);
  const std::string what = "the database cannot be used: " + checked.why;
  if (checked.health == store::Health::newer || checked.health == store::Health::unusable) {
    found.push_back(what);
  } else if (checked.health == store::Health::damaged || checked.health == store::Health::foreign) {
    if (!repair || places.database_named) {
      found.push_back(places.database_named ? what + " (it was named, so it is left alone)" : what);
      return;
    }
    std::string names;
    for (const std::string& name : store::set_aside(places.database)) names += (names.empty() ? "" : ", ") + name;
    found.push_back(what + "; set aside as " + names);
  }
}

// A lock that nobody holds harms nobody; it goes under its own lock, so that nobody who is just taking it is fooled.
bool nobody_holds(const fs::path& path, bool remove) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return false;
  const bool free = ::flock(fd, LOCK_EX | LOCK_NB) == 0;
  if (free && remove) ::unlink(path.c_str());
  ::close(fd);
  return free;
}

void look_at_locks(const Places& places, bool repair, std::vector<std::string>& found) {
  std::error_code error;
  for (const std::string& folder : places.lock_folders)
    for (fs::directory_iterator file(folder, error), end; !error && file != end; file.increment(error)) {
      const std::string name = file->path().filename().string();
      const bool lock = name.rfind("tuner-GPU-", 0) == 0 || name.rfind("tuner-MIG-", 0) == 0;
      if (!lock || file->path().extension() != ".lock") continue;
      if (nobody_holds(file->path(), repair))
        found.push_back("a lock that nobody holds: " + file->path().string() + (repair ? "; removed" : ""));
    }
}

// Modules of a host device whose process was killed; a sweep that runs for a day is not one of them.
void look_at_temporary(bool repair, std::vector<std::string>& found) {
  constexpr std::chrono::hours age{24};
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  for (fs::directory_iterator file(folder, error), end; !error && file != end; file.increment(error)) {
    struct stat info {};
    if (file->path().filename().string().rfind("tuner-host-", 0) != 0 || ::lstat(file->path().c_str(), &info) != 0)
      continue;
    const auto since = std::chrono::system_clock::now() - std::chrono::system_clock::from_time_t(info.st_mtime);
    if (!S_ISDIR(info.st_mode) || info.st_uid != ::geteuid() || since < age) continue;
    std::error_code gone;
    if (repair) fs::remove_all(file->path(), gone);
    found.push_back("a folder of a process that has ended: " + file->path().string() + (repair ? "; removed" : ""));
  }
}

}  // namespace

std::vector<std::string> look_for_damage(const Places& places, bool repair) {
  std::vector<std::string> found;
  look_at_database(places, repair, found);
  look_at_locks(places, repair, found);
  look_at_temporary(repair, found);
  const std::int64_t files = places.cache.empty() ? 0 : compile::Cache::leftovers(places.cache, repair);
  if (files > 0)
    found.push_back(std::to_string(files) + " unfinished files in the cache " + places.cache +
                    (repair ? "; removed" : ""));
  return found;
}

}  // namespace tuner::cli
