#include "unit/store/failing_vfs.h"

#include <sqlite3.h>

#include <limits>
#include <new>

namespace tuner::store::test {
namespace failing {
namespace {

struct File {
  sqlite3_file base;
  sqlite3_file* real;  // behind this one, in the same allocation
};

std::int64_t left = std::numeric_limits<std::int64_t>::max();
int failure = SQLITE_OK;
sqlite3_vfs* under = nullptr;

sqlite3_file* real(sqlite3_file* file) { return reinterpret_cast<File*>(file)->real; }

int write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 at) {
  if (left < count) return failure;
  left -= count;
  return real(file)->pMethods->xWrite(real(file), bytes, count, at);
}

int map(sqlite3_file* file, int page, int size, int extend, void volatile** into) {
  return real(file)->pMethods->xShmMap(real(file), page, size, extend, into);
}

const sqlite3_io_methods methods{
    2,
    [](sqlite3_file* f) { return real(f)->pMethods->xClose(real(f)); },
    [](sqlite3_file* f, void* into, int count, sqlite3_int64 at) {
      return real(f)->pMethods->xRead(real(f), into, count, at);
    },
    write,
    [](sqlite3_file* f, sqlite3_int64 size) { return real(f)->pMethods->xTruncate(real(f), size); },
    [](sqlite3_file* f, int flags) { return real(f)->pMethods->xSync(real(f), flags); },
    [](sqlite3_file* f, sqlite3_int64* size) { return real(f)->pMethods->xFileSize(real(f), size); },
    [](sqlite3_file* f, int level) { return real(f)->pMethods->xLock(real(f), level); },
    [](sqlite3_file* f, int level) { return real(f)->pMethods->xUnlock(real(f), level); },
    [](sqlite3_file* f, int* out) { return real(f)->pMethods->xCheckReservedLock(real(f), out); },
    [](sqlite3_file* f, int what, void* with) { return real(f)->pMethods->xFileControl(real(f), what, with); },
    [](sqlite3_file* f) { return real(f)->pMethods->xSectorSize(real(f)); },
    [](sqlite3_file* f) { return real(f)->pMethods->xDeviceCharacteristics(real(f)); },
    map,
    [](sqlite3_file* f, int at, int count, int flags) {
      return real(f)->pMethods->xShmLock(real(f), at, count, flags);
    },
    [](sqlite3_file* f) { real(f)->pMethods->xShmBarrier(real(f)); },
    [](sqlite3_file* f, int remove) { return real(f)->pMethods->xShmUnmap(real(f), remove); },
    nullptr,
    nullptr,
};

int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
  auto* mine = reinterpret_cast<File*>(file);
  mine->base.pMethods = nullptr;
  mine->real = reinterpret_cast<sqlite3_file*>(mine + 1);
  const int rc = under->xOpen(under, name, mine->real, flags, out);
  if (rc == SQLITE_OK) mine->base.pMethods = &methods;
  return rc;
}

sqlite3_vfs over{};

}  // namespace
}  // namespace failing

FailingVfs::FailingVfs() {
  failing::under = sqlite3_vfs_find(nullptr);
  failing::over = *failing::under;
  failing::over.zName = "failing";
  failing::over.szOsFile = static_cast<int>(sizeof(failing::File)) + failing::under->szOsFile;
  failing::over.xOpen = failing::open;
  heal();
  sqlite3_vfs_register(&failing::over, 1);
}

FailingVfs::~FailingVfs() {
  sqlite3_vfs_unregister(&failing::over);
  sqlite3_vfs_register(failing::under, 1);
}

void FailingVfs::fail_after(std::int64_t bytes, int code) {
  failing::left = bytes;
  failing::failure = code;
}

void FailingVfs::heal() { fail_after(std::numeric_limits<std::int64_t>::max(), SQLITE_OK); }

}  // namespace tuner::store::test
