// A tuner database file: recognised before SQLite touches it, migrated, and written only under its lock.
#pragma once

#include <memory>
#include <string>

#include "store/file_lock.h"
#include "store/sqlite.h"

namespace tuner::store {

// What the first 100 bytes say. Throws UserError for a file that is not ours or cut off; reads nothing else.
struct FileHeader {
  bool present = false;  // false: no file, or an empty one
  int user_version = 0;
};
FileHeader read_header(const std::string& path);

// WAL needs shared memory of one host.
bool on_network(const std::string& path);

class Database {
 public:
  // Creates, migrates. As Store::open.
  static std::unique_ptr<Database> open_to_write(const std::string& path);
  static std::unique_ptr<Database> open_to_read(const std::string& path);
  ~Database();

  const std::string& path() const { return path_; }
  Connection& connection() { return *connection_; }

  // Runs `work` in one transaction under the lock. With `durable`, the commit reaches the disk before this returns.
  template <class F>
  void write(bool durable, F&& work) {
    const Locked held(writable());
    connection_->execute(durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
    Transaction transaction(*connection_);
    work();
    transaction.commit();
  }

 private:
  explicit Database(std::string path) : path_(std::move(path)) {}
  FileLock& writable();

  std::string path_;
  std::unique_ptr<FileLock> lock_;  // null when read-only
  std::unique_ptr<Connection> connection_;
};

}  // namespace tuner::store
