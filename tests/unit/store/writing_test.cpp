// Several processes that write one database, and the lock they take turns with.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <thread>

#include "core/error.h"
#include "store/database.h"
#include "store/store.h"
#include "unit/store/fixtures.h"
#include "unit/store/killed_writer.h"

namespace tuner::store::test {
namespace {

TEST(FileLock, IsExclusiveBetweenHoldersAndSaysSo) {
  const ScratchFolder folder;
  FileLock first(folder.file("x.lock"));
  FileLock second(folder.file("x.lock"));
  const Locked held(first);
  try {
    second.lock(std::chrono::milliseconds(30));
    FAIL() << "locked twice";
  } catch (const MachineError& error) {
    EXPECT_NE(std::string(error.what()).find("is locked by another process"), std::string::npos);
  }
}

TEST(Writing, WaitsForTheLockOfAnother) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.db");
  Store store = Store::open(path, Store::Mode::read_write);
  FileLock other(path + ".lock");
  other.lock(std::chrono::milliseconds(100));
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    other.unlock();
  });
  const auto begin = std::chrono::steady_clock::now();
  store.begin_run(run_on(gpu_named("NVIDIA H200")));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(150));
  later.join();
}

TEST(Writing, ManyProcessesAtOnceLoseNothing) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.db");
  constexpr int processes = 4;
  constexpr int each = 60;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    const pid_t child = fork();
    if (child == 0) {
      try {
        Store store = Store::open(path, Store::Mode::read_write);
        const auto run = store.begin_run(run_on(gpu_named("NVIDIA H200")));
        for (int i = 0; i < each; ++i) store.save(run, measured(gemv(64, 64), config_of("vec", i), {3.0F}));
        store.end_run(run, "done");
      } catch (const std::exception&) {
        _exit(1);
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  Connection db(path, Connection::Access::read);
  EXPECT_EQ(db.scalar("SELECT count(*) FROM trials"), processes * each);
  EXPECT_EQ(db.scalar_text("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(db.scalar_text("PRAGMA journal_mode"), on_network(path) ? "delete" : "wal");
}

// Who looks at a database that is just being made sees none or all of it.
TEST(Writing, AFirstUseByManyProcessesAtOnceIsRefusedToNone) {
  for (int round = 0; round < 4; ++round) {
    const ScratchFolder folder;
    const std::string path = folder.file("a.db");
    std::array<int, 2> gate{};
    ASSERT_EQ(pipe(gate.data()), 0);
    std::vector<pid_t> children;
    for (int p = 0; p < 8; ++p) {
      const pid_t child = fork();
      if (child == 0) {
        char byte = 0;
        close(gate[1]);
        const bool opened = ::read(gate[0], &byte, 1) == 0;  // all begin when the other end is closed
        try {
          while (p > 1 && !std::filesystem::exists(path)) {  // the others make it
          }
          if (p > 1) Store::open(path, Store::Mode::read_only);
          Store::open(path, Store::Mode::read_write);
        } catch (const std::exception&) {
          _exit(1);
        }
        _exit(opened ? 0 : 2);
      }
      children.push_back(child);
    }
    close(gate[0]);
    close(gate[1]);
    for (const pid_t child : children) {
      int status = -1;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      EXPECT_EQ(status, 0);
    }
    EXPECT_FALSE(std::filesystem::exists(path + ".new"));
  }
}

TEST(Writing, ANewDatabaseIsMadeWhereALinkLeadsAndWithTheModeThatIsThere) {
  const ScratchFolder folder;
  std::filesystem::create_symlink("far.db", folder.file("a.db"));
  Store::open(folder.file("a.db"), Store::Mode::read_write);
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("a.db")));
  EXPECT_TRUE(read_header(folder.file("far.db")).present);
  write_file(folder.file("empty.db"), "");
  ASSERT_EQ(chmod(folder.file("empty.db").c_str(), 0640), 0);
  Store::open(folder.file("empty.db"), Store::Mode::read_write);
  struct stat status {};
  ASSERT_EQ(stat(folder.file("empty.db").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST(Writing, AKilledWriterLeavesWhatItCommitted) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.db");
  kill_when_ready([&path](const std::function<void()>& ready) {
    Store store = Store::open(path, Store::Mode::read_write);
    const auto run = store.begin_run(run_on(gpu_named("NVIDIA H200")));
    for (int i = 0;; ++i) {
      store.save(run, measured(gemv(64, 64), config_of("vec", i), {3.0F}));
      if (i == 50) ready();
    }
  });
  const Store store = Store::open(path, Store::Mode::read_write);
  EXPECT_GE(store.trials(gpu_named("NVIDIA H200"), gemv(64, 64), "plain").size(), 51U);
}

}  // namespace
}  // namespace tuner::store::test
