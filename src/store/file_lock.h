// An exclusive advisory lock between processes, on a file beside the database or on a folder.
#pragma once

#include <chrono>
#include <string>

namespace tuner::store {

class FileLock {
 public:
  // Creates the file, where no folder has this name. Throws MachineError when it cannot.
  explicit FileLock(std::string path);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

  // Throws MachineError when another holds it for longer than `wait`.
  void lock(std::chrono::milliseconds wait);
  void unlock();

 private:
  std::string path_;
  int fd_ = -1;
};

// Held for a scope.
class Locked {
 public:
  explicit Locked(FileLock& lock, std::chrono::milliseconds wait = std::chrono::seconds(10)) : lock_(lock) {
    lock_.lock(wait);
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() { lock_.unlock(); }

 private:
  FileLock& lock_;
};

}  // namespace tuner::store
