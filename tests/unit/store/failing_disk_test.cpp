// What a Store does when the disk does not take a write: it says so, and keeps what was committed.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "core/error.h"
#include "store/sqlite.h"
#include "store/store.h"
#include "unit/store/failing_vfs.h"
#include "unit/store/fixtures.h"

namespace tuner::store::test {
namespace {

struct Case {
  const char* name;
  int code;
  const char* before;  // the path
  const char* after;
  const char* hint;
};

class FailingDisk : public testing::TestWithParam<Case> {};

Trial trial_of(int i) { return measured(gemv(64, 64), config_of("vec", i), std::vector<float>(60, 3.0F)); }

TEST_P(FailingDisk, IsNamedAndLosesNothingThatWasCommitted) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.db");
  int kept = 0;
  {
    FailingVfs vfs;
    {
      Store store = Store::open(path, Store::Mode::read_write);
      const auto run = store.begin_run(run_on(gpu_named("NVIDIA H200")));
      vfs.fail_after(200000, GetParam().code);
      try {
        for (; kept < 1000; ++kept) store.save(run, trial_of(kept));
        ADD_FAILURE() << "every row was written";
      } catch (const MachineError& error) {
        EXPECT_EQ(error.what(), GetParam().before + ("'" + path + "'") + GetParam().after);
        EXPECT_EQ(error.where(), path);
        EXPECT_EQ(error.hint(), GetParam().hint);
      }
      // The store goes on when there is room again.
      vfs.heal();
      store.save(run, trial_of(kept));
    }
  }
  EXPECT_GT(kept, 10);
  Connection db(path, Connection::Access::read);
  EXPECT_EQ(db.scalar("SELECT count(*) FROM trials"), kept + 1);
  EXPECT_EQ(db.scalar_text("PRAGMA integrity_check"), "ok");
}

INSTANTIATE_TEST_SUITE_P(
    Codes, FailingDisk,
    testing::Values(Case{"full", SQLITE_FULL, "no space left to write ", "", "free some space, or use another --db"},
                    Case{"read_only", SQLITE_READONLY, "", " cannot be written: attempt to write a readonly database",
                         "check its permissions, or use another --db"},
                    Case{"broken", SQLITE_IOERR_WRITE, "", " cannot be read or written: disk I/O error",
                         "check the disk"}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace tuner::store::test
