// Which files a Store opens, and that it leaves alone what it does not.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <thread>

#include "core/error.h"
#include "store/database.h"
#include "store/migrations.h"
#include "store/process_mark.h"
#include "store/store.h"
#include "unit/store/fixtures.h"

namespace tuner::store::test {
namespace {

void run_sql(const std::string& path, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  char* message = nullptr;
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
      << (message != nullptr ? message : "");
  sqlite3_close(db);
}

void make_database(const std::string& path) {
  Store store = Store::open(path, Store::Mode::read_write);
  const auto run = store.begin_run(run_on(gpu_named("NVIDIA H200")));
  std::vector<Trial> trials;
  for (int i = 0; i < 200; ++i) trials.push_back(measured(gemv(64, 64), config_of("vec", i), {3.0F}));
  store.save_all(run, trials);
  store.end_run(run, "done");
}

// Both ways of opening refuse it in these words and change nothing.
void expect_refused(const std::string& path, const std::string& words) {
  const std::string before = read_file(path);
  for (const auto mode : {Store::Mode::read_only, Store::Mode::read_write}) {
    try {
      Store::open(path, mode);
      FAIL() << "opened";
    } catch (const UserError& error) {
      EXPECT_EQ(error.what(), "'" + path + "' " + words);
      EXPECT_EQ(error.where(), path);
      EXPECT_NE(error.hint(), "");
    }
    EXPECT_EQ(read_file(path), before);
  }
}

TEST(Opening, RefusesWhatIsNoDatabase) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.db");
  write_file(path, "to whom it may concern\n");
  expect_refused(path, "is not a tuner database");
  EXPECT_FALSE(std::filesystem::exists(path + ".lock"));
}

TEST(Opening, RefusesAnotherProgramsDatabase) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.db");
  run_sql(path, "CREATE TABLE trials (id INTEGER); INSERT INTO trials VALUES (7)");
  expect_refused(path, "is not a tuner database");
}

TEST(Opening, RefusesAFileThatIsCutOff) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.db");
  make_database(path);
  const std::string whole = read_file(path);
  ASSERT_GT(whole.size(), 8192U);
  for (const std::size_t size : {std::size_t{50}, std::size_t{4096}, whole.size() - 1}) {
    write_file(path, whole.substr(0, size));
    expect_refused(path, "is damaged");
  }
}

TEST(Opening, RefusesPagesOfNoise) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.db");
  make_database(path);
  std::string bytes = read_file(path);
  for (std::size_t i = 100; i < 4096; ++i) bytes[i] = static_cast<char>(i * 37);
  write_file(path, bytes);
  expect_refused(path, "is damaged");
}

TEST(Opening, RefusesANewerDatabase) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.db");
  make_database(path);
  run_sql(path, "PRAGMA journal_mode = DELETE; UPDATE schema_info SET min_reader = 99; PRAGMA user_version = 99");
  expect_refused(path, "was written by a newer tuner");
}

TEST(Opening, ReadsANewerDatabaseThatAllowsIt) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.db");
  make_database(path);
  run_sql(path, "ALTER TABLE trials ADD COLUMN later TEXT; PRAGMA user_version = 99");
  const Store store = Store::open(path, Store::Mode::read_only);
  EXPECT_EQ(store.trials(gpu_named("NVIDIA H200"), gemv(64, 64), "plain").size(), 200U);
  EXPECT_THROW(Store::open(path, Store::Mode::read_write), UserError);
}

TEST(Opening, AnEmptyFileIsANewDatabase) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.db");
  write_file(path, "");
  EXPECT_THROW(Store::open(path, Store::Mode::read_only), UserError);
  make_database(path);
  EXPECT_EQ(Store::open(path, Store::Mode::read_only).runs().size(), 1U);
}

TEST(Opening, NamesAFileThatIsMissing) {
  const ScratchFolder folder;
  const std::string path = folder.file("none.db");
  try {
    Store::open(path, Store::Mode::read_only);
    FAIL() << "opened";
  } catch (const UserError& error) {
    EXPECT_EQ(error.what(), "'" + path + "' does not exist");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Opening, ReadsWithoutWritingAnything) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.db");
  make_database(path);
  const std::string before = read_file(path);
  {
    const Store store = Store::open(path, Store::Mode::read_only);
    EXPECT_EQ(store.trials(gpu_named("NVIDIA H200"), gemv(64, 64), "plain").size(), 200U);
  }
  EXPECT_EQ(read_file(path), before);
}

TEST(Opening, FailsAsTheMachineInAFolderThatCannotBe) {
  const ScratchFolder folder;
  write_file(folder.file("plain"), "x");
  EXPECT_THROW(Store::open(folder.file("plain/a.db"), Store::Mode::read_write), Error);
  EXPECT_THROW(Store::open("/proc/none/a.db", Store::Mode::read_write), MachineError);
}

TEST(Opening, AReaderSeesWhatAWriterCommits) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.db");
  Store writer = Store::open(path, Store::Mode::read_write);
  const Store reader = Store::open(path, Store::Mode::read_only);
  EXPECT_TRUE(reader.runs().empty());
  writer.begin_run(run_on(gpu_named("NVIDIA H200")));
  EXPECT_EQ(reader.runs().size(), 1U);
}

// What another process sees of the locks on a file that this one has a writer on.
bool locked_for_others(const std::string& path) {
  const pid_t child = fork();
  if (child == 0) {
    const int fd = ::open(path.c_str(), O_RDONLY);
    struct flock lock {};
    lock.l_whence = SEEK_SET;
    lock.l_start = 0x40000002;  // SQLite's shared bytes
    lock.l_len = 510;
    lock.l_type = F_WRLCK;
    _exit(::fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Closing any descriptor of a file drops all locks of the process on it: nobody may look at a database beside SQLite
// and close it again. Without its locks another process would take the log away.
TEST(Opening, LookingAtAFileLeavesTheLocksOfAWriterAlone) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.db");
  make_database(path);
  Store writer = Store::open(path, Store::Mode::read_write);
  writer.begin_run(run_on(gpu_named("NVIDIA H200")));
  ASSERT_TRUE(locked_for_others(path));
  EXPECT_TRUE(read_header(path).present);
  { const Store reader = Store::open(path, Store::Mode::read_only); }
  EXPECT_TRUE(locked_for_others(path));
}

TEST(Opening, KnowsWhoseProcessStillRuns) {
  EXPECT_TRUE(is_running(this_process()));
  std::string other = this_process();
  other.back() = other.back() == '1' ? '2' : '1';  // the same id, started at another time
  EXPECT_FALSE(is_running(other));
  EXPECT_FALSE(is_running(""));
}

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
  for (int round = 0; round < 10; ++round) {
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
        const bool opened = read(gate[0], &byte, 1) == 0;  // all begin when the other end is closed
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
  make_database(folder.file("a.db"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("a.db")));
  EXPECT_TRUE(read_header(folder.file("far.db")).present);
  write_file(folder.file("empty.db"), "");
  ASSERT_EQ(chmod(folder.file("empty.db").c_str(), 0640), 0);
  make_database(folder.file("empty.db"));
  struct stat status {};
  ASSERT_EQ(stat(folder.file("empty.db").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST(Writing, AKilledWriterLeavesWhatItCommitted) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.db");
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    Store store = Store::open(path, Store::Mode::read_write);
    const auto run = store.begin_run(run_on(gpu_named("NVIDIA H200")));
    for (int i = 0;; ++i) {
      store.save(run, measured(gemv(64, 64), config_of("vec", i), {3.0F}));
      const char byte = 1;
      if (i == 50 && write(ready[1], &byte, 1) != 1) _exit(1);
    }
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
  const Store store = Store::open(path, Store::Mode::read_write);
  EXPECT_GE(store.trials(gpu_named("NVIDIA H200"), gemv(64, 64), "plain").size(), 51U);
}

TEST(Schema, EveryTableIsStrict) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.db");
  make_database(path);
  Connection db(path, Connection::Access::read);
  EXPECT_EQ(db.scalar("SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
                      " AND name NOT LIKE 'sqlite_%' AND strict = 0"),
            0);
  EXPECT_EQ(db.scalar("PRAGMA user_version"), static_cast<std::int64_t>(migrations().size()));
  EXPECT_EQ(db.scalar("PRAGMA application_id"), application_id);
}

}  // namespace
}  // namespace tuner::store::test
