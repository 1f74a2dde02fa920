#include "store/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "core/error.h"

namespace tuner::store {

FileLock::FileLock(std::string path) : path_(std::move(path)) {
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  // A lock needs no write access: a database shared by several users has a lock file of one of them.
  const int why = errno;
  if (fd_ < 0 && (why == EACCES || why == EISDIR)) fd_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) {
    throw MachineError("'" + path_ + "' cannot be written: " + std::strerror(why), path_,
                       "use a database in a folder you may write to, with --db");
  }
}

FileLock::~FileLock() { ::close(fd_); }

void FileLock::lock(std::chrono::milliseconds wait) {
  const auto deadline = std::chrono::steady_clock::now() + wait;
  while (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) throw MachineError("'" + path_ + "' cannot be locked: " + std::strerror(errno), path_);
    if (std::chrono::steady_clock::now() >= deadline) {
      throw MachineError("'" + path_ + "' is locked by another process", path_,
                         "wait for it to end, or use another --db");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void FileLock::unlock() { ::flock(fd_, LOCK_UN); }

}  // namespace tuner::store
