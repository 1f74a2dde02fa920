// A disk that fills up, or a medium that takes no more writes: a SQLite VFS over the default one that fails writes.
#pragma once

#include <cstdint>

namespace tuner::store::test {

// While it lives it is the default of connections that are opened; they must be closed before it goes. One at a time.
class FailingVfs {
 public:
  // After `bytes` more, writes fail with `code`: SQLITE_FULL, SQLITE_READONLY, SQLITE_IOERR_WRITE.
  FailingVfs();
  FailingVfs(const FailingVfs&) = delete;
  FailingVfs& operator=(const FailingVfs&) = delete;
  ~FailingVfs();
  void fail_after(std::int64_t bytes, int code);
  void heal();
};

}  // namespace tuner::store::test
