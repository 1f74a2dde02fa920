#include "store/kept_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <map>
#include <mutex>
#include <utility>

namespace tuner::store {

int kept_descriptor(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::pair<dev_t, ino_t>, int> kept;  // an inode is not used again while a descriptor of it is open
  const std::lock_guard hold(mutex);
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    const auto known = kept.find({status.st_dev, status.st_ino});
    if (known != kept.end()) return known->second;
  }
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe would wait for its writer
  if (fd >= 0 && ::fstat(fd, &status) == 0) kept.emplace(std::pair(status.st_dev, status.st_ino), fd);
  return fd;
}

}  // namespace tuner::store
