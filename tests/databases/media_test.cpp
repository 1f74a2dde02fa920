// Databases on a read-only mount, on a full disk and in other hands. Where no file system can be mounted, the failing
// VFS of tests/unit/store stands for the first two.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/file.h>

#include <fstream>
#include <thread>

#include "helpers/tool.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> small_sweep{"sweep", "--kernel", "example", "--shape", "24x32", "--device", "host"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// A prefix that mounts a tmpfs of this size at `at`, copies `file` into it and runs `then` before the command.
std::vector<std::string> mounted(const std::string& at, const std::string& size, const std::string& file,
                                 const std::string& then) {
  return {"unshare",
          "-m",
          "sh",
          "-ec",
          "mount -t tmpfs -o size=" + size + " tmpfs \"$1\"\n" + "cp \"$2\" \"$1\"/a.db\n" + then +
              "\nshift 2\nexec \"$@\"",
          "sh",
          at,
          file};
}

bool can_mount() {
  return proc::run({"unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"}, "", std::chrono::seconds{10}, {})
             .status.code == 0;
}

std::string query(const std::string& path, const std::string& sql) {
  sqlite3* db = nullptr;
  std::string text;
  const auto keep = [](void* into, int, char** values, char**) {
    *static_cast<std::string*>(into) += values[0] != nullptr ? values[0] : "";
    return 0;
  };
  if (sqlite3_open(path.c_str(), &db) != SQLITE_OK || sqlite3_exec(db, sql.c_str(), keep, &text, nullptr) != SQLITE_OK)
    text = sqlite3_errmsg(db);
  sqlite3_close(db);
  return text;
}

TEST(ReadOnlyMount, AnswersAndTakesNoRow) {
  if (!can_mount()) return;
  const Tool tool("readonly");
  ASSERT_EQ(tool.run(with(small_sweep, {"--db", "made.db"})).status.code, 0);
  fs::create_directory(tool.path("mount"));
  const auto prefix = mounted(tool.path("mount"), "8m", tool.path("made.db"), "mount -o remount,ro \"$1\"");
  const std::vector<std::string> database{"--db", "mount/a.db"};

  const proc::Output best =
      tool.run(with({"best", "--kernel", "example", "--shape", "24x32", "--device", "host"}, database), prefix);
  EXPECT_EQ(best.status.code, 0) << best.err;
  EXPECT_EQ(best.err.rfind("note: the host device verified example 24x32", 0), 0U) << best.err;
  const proc::Output explain = tool.run(with({"explain", "1"}, database), prefix);
  EXPECT_EQ(explain.status.code, 0) << explain.err;
  EXPECT_NE(explain.out.find("trial 1: example 24x32"), std::string::npos) << explain.out;

  const proc::Output sweep = tool.run(with(small_sweep, with({"--again"}, database)), prefix);
  EXPECT_EQ(sweep.status.code, 1);
  EXPECT_EQ(sweep.err,
            "error: 'mount/a.db' cannot be written: Read-only file system\n"
            "  at mount/a.db\n"
            "  hint: name another file with --db\n");
  // A new one cannot be made there either.
  const proc::Output fresh = tool.run(with(small_sweep, {"--db", "mount/b.db"}), prefix);
  EXPECT_EQ(fresh.status.code, 1);
  EXPECT_EQ(fresh.err,
            "error: 'mount/b.db.lock' cannot be written: Read-only file system\n"
            "  at mount/b.db.lock\n"
            "  hint: use a database in a folder you may write to, with --db\n");
}

TEST(FullDisk, EndsASweepWith1AndKeepsWhatWasCommitted) {
  if (!can_mount()) return;
  const Tool tool("full");
  ASSERT_EQ(tool.run(with(small_sweep, {"--db", "made.db"})).status.code, 0);
  const std::string before = query(tool.path("made.db"), "SELECT count(*) FROM trials");
  ASSERT_NE(before, "0");
  {
    std::ofstream sweep(tool.path("many.yaml"));
    sweep << "tuner: 1\nkernels: [{kernel: example, params: {variant: naive}}]\nshapes: [";
    for (int m = 1; m <= 40; ++m) sweep << (m > 1 ? ", " : "") << m << "x16";
    sweep << "]\n";
  }
  fs::create_directory(tool.path("mount"));
  // What is left on the disk after the sweep is copied out, so that it can be looked at.
  auto prefix = mounted(tool.path("mount"), "420k", tool.path("made.db"), "");
  prefix[4] =
      "mount -t tmpfs -o size=420k tmpfs \"$1\"\ncp \"$2\" \"$1\"/a.db\nshift 2\nrc=0\n\"$@\" || rc=$?\n"
      "cp mount/a.db left.db\nif [ -e mount/a.db-wal ]; then cp mount/a.db-wal left.db-wal; fi\nexit $rc";
  const proc::Output sweep = tool.run({"sweep", "many.yaml", "--device", "host", "--db", "mount/a.db"}, prefix);
  EXPECT_EQ(sweep.status.code, 1);
  const std::string error = sweep.err.substr(std::min(sweep.err.size(), sweep.err.find("error: ")));
  EXPECT_EQ(error,
            "error: no space left to write 'mount/a.db'\n"
            "  at mount/a.db\n"
            "  hint: free some space, or use another --db\n")
      << sweep.err;
  EXPECT_EQ(query(tool.path("left.db"), "PRAGMA integrity_check"), "ok");
  // Every problem that the sweep said it finished is there, and so is what was there before.
  int finished = 0;
  for (std::size_t at = 0; (at = sweep.out.find("verified,", at)) != std::string::npos; ++at) ++finished;
  EXPECT_GE(std::stoi(query(tool.path("left.db"), "SELECT count(*) FROM results")), finished + 1);
  EXPECT_GE(std::stoi(query(tool.path("left.db"), "SELECT count(*) FROM trials")), std::stoi(before));
  EXPECT_LT(finished, 40);
}

TEST(HeldDatabase, EndsASweepAfterTenSecondsAndDoesNotDelayALookUp) {
  const Tool tool("held");
  ASSERT_EQ(tool.run(with(small_sweep, {"--db", "a.db"})).status.code, 0);
  const int lock = ::open(tool.path("a.db.lock").c_str(), O_RDWR | O_CREAT, 0644);
  ASSERT_GE(lock, 0);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  proc::Output sweep;
  const auto began = std::chrono::steady_clock::now();
  std::thread waiting([&] { sweep = tool.run(with(small_sweep, {"--again", "--db", "a.db"})); });
  const proc::Output best =
      tool.run({"best", "--kernel", "example", "--shape", "24x32", "--device", "host", "--db", "a.db"});
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds{9});
  EXPECT_EQ(best.status.code, 0) << best.err;
  waiting.join();
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::seconds{10});
  ::close(lock);
  EXPECT_EQ(sweep.status.code, 1);
  EXPECT_EQ(sweep.err,
            "error: 'a.db.lock' is locked by another process\n"
            "  at a.db.lock\n"
            "  hint: wait for it to end, or use another --db\n");
  EXPECT_EQ(query(tool.path("a.db"), "PRAGMA integrity_check"), "ok");
}

}  // namespace
}  // namespace tuner
