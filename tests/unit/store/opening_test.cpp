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
#include "store/health.h"
#include "store/migrations.h"
#include "store/process_mark.h"
#include "store/rows.h"
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

TEST(Opening, RefusesAVersionThatNoTunerWrites) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.db");
  for (const char* version : {"-1", "-2147483648", "0"}) {
    std::filesystem::remove(path);
    make_database(path);
    run_sql(path, "PRAGMA journal_mode = DELETE; PRAGMA user_version = " + std::string(version));
    expect_refused(path, "is damaged");
    EXPECT_EQ(check_database(path).health, Health::damaged) << version;
  }
}

TEST(Opening, AnAbsurdVersionIsANewerOne) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.db");
  make_database(path);
  run_sql(path, "PRAGMA journal_mode = DELETE; PRAGMA user_version = 2147483647");
  EXPECT_THROW(Store::open(path, Store::Mode::read_write), UserError);
  EXPECT_EQ(Store::open(path, Store::Mode::read_only).runs().size(), 1U);
}

TEST(Opening, AMissingTableIsDamage) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.db");
  make_database(path);
  run_sql(path, "PRAGMA journal_mode = DELETE; DROP TABLE schema_info");
  EXPECT_THROW(Store::open(path, Store::Mode::read_only), UserError);
  EXPECT_EQ(check_database(path).health, Health::damaged);
}

TEST(Opening, AValueOfAnotherTypeNamesFileAndRow) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.db");
  make_database(path);
  run_sql(path, "UPDATE runs SET facts = json_set(facts, '$.warp_size', 0)");
  try {
    Store::open(path, Store::Mode::read_only).runs();
    FAIL() << "read";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "a GPU's 'warp_size' is impossible");
    EXPECT_EQ(error.where(), path + ", run 1");
    EXPECT_FALSE(error.hint().empty());
  }
  EXPECT_THROW(ceiling_from_json("{\"probe_us\": \"fast\"}"), UserError);
  EXPECT_THROW(baselines_from_json("[{\"name\": 1}]"), UserError);
  EXPECT_THROW(baselines_from_json("[1]"), UserError);
  EXPECT_THROW(ids_from_json("[\"1\"]"), UserError);
  EXPECT_THROW(conditions_from_json("{\"power_w\": \"hot\"}"), UserError);
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
