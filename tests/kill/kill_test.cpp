// A sweep that is killed at random moments, or its worker, or both, and one that is told to stop. The database stays
// whole, nothing is left running, and the same command goes on: it repeats no finished problem and names what was in
// flight.
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <thread>

#include "proc/child.h"
#include "proc/pool.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

std::string setting(const char* name, const std::string& fallback) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : fallback;
}
std::string program() { return setting("TUNER_KILL_PROGRAM", TUNER_PROGRAM); }
std::string device() { return setting("TUNER_KILL_DEVICE", "host"); }
int rounds() { return std::atoi(setting("TUNER_KILL_ROUNDS", std::getenv("TUNER_LONG_TESTS") ? "10" : "2").c_str()); }

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Processes whose environment holds `mark`.
std::vector<int> marked(const std::string& mark) {
  std::vector<int> pids;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (contents(entry.path() / "environ").find(mark) != std::string::npos) pids.push_back(std::stoi(name));
  }
  return pids;
}

// The worker among the children of `pid`; 0 where there is none now.
int worker_of(int pid, const std::string& mark) {
  for (const int each : marked(mark)) {
    const std::string words = contents("/proc/" + std::to_string(each) + "/cmdline");
    if (each != pid && words.find(std::string("\0worker\0", 8)) != std::string::npos) return each;
  }
  return 0;
}

// Rows of the first two columns.
std::vector<std::pair<std::string, std::string>> query(const fs::path& path, const std::string& sql) {
  std::vector<std::pair<std::string, std::string>> rows;
  sqlite3* db = nullptr;
  EXPECT_EQ(sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READWRITE, nullptr), SQLITE_OK);
  sqlite3_busy_timeout(db, 10000);
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  const auto text = [&](int column) {
    const unsigned char* bytes = sqlite3_column_text(statement, column);
    return std::string(bytes != nullptr ? reinterpret_cast<const char*>(bytes) : "");
  };
  while (sqlite3_step(statement) == SQLITE_ROW)
    rows.emplace_back(text(0), sqlite3_column_count(statement) > 1 ? text(1) : "");
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return rows;
}

enum class Victim { tool, worker, both };

class Disturbed : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("tuner-kill-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    const std::string file = setting("TUNER_KILL_SWEEP", "");
    if (!file.empty())
      fs::copy_file(file, folder_ / "sweep.yaml");
    else
      std::ofstream(folder_ / "sweep.yaml") << "tuner: 1\nkernels: [example]\n"
                                               "shapes: [64x64, 65x130, 96x256, 33x77, 128x64]\n";
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::vector<std::string> argv(const fs::path& db) const {
    return {program(), "sweep",    (folder_ / "sweep.yaml").string(), "--device", device(), "--any-gpu",
            "--db",    db.string()};
  }
  proc::Child::Options options() const {
    proc::Child::Options options;
    options.environment = {mark_, "TUNER_CACHE=" + (folder_ / "cache").string(),
                           "TUNER_KERNELS=" + setting("TUNER_KILL_KERNELS", TUNER_SOURCE_DIR "/tests/golden/kernels")};
    return options;
  }
  proc::Child::Options without_pipes() const {
    proc::Child::Options inherited = options();
    inherited.capture_stdout = inherited.capture_stderr = false;
    return inherited;
  }
  proc::Output sweep(const fs::path& db) const { return proc::run(argv(db), "", std::chrono::minutes(5), options()); }
  // Starts a sweep, kills the victim after `when`, and waits for the end of the tool.
  void kill_one(const fs::path& db, Victim victim, milliseconds when) const {
    std::thread assassin([&] {
      std::this_thread::sleep_for(when);
      const auto all = marked(mark_);
      int tool = 0;
      for (const int pid : all)
        if (contents("/proc/" + std::to_string(pid) + "/cmdline").find(std::string("\0sweep\0", 7)) !=
            std::string::npos)
          tool = pid;
      const int worker = worker_of(tool, mark_);
      if (victim != Victim::tool && worker > 0) ::kill(worker, SIGKILL);
      if (victim != Victim::worker && tool > 0) ::kill(tool, SIGKILL);
    });
    const proc::Output output = sweep(db);
    assassin.join();
    if (victim == Victim::worker) {
      EXPECT_TRUE(output.status.exited && output.status.code == 0) << output.err;
    }
  }
  void expect_nothing_running() const {
    for (int waited = 0; waited < 100 && !marked(mark_).empty(); ++waited)
      std::this_thread::sleep_for(milliseconds(50));
    EXPECT_TRUE(marked(mark_).empty());
  }

  fs::path folder_;
  std::string mark_ = "TUNER_KILL_MARK=" + std::to_string(::getpid());
};

class Kill : public Disturbed, public testing::WithParamInterface<Victim> {};
using Stop = Disturbed;

constexpr const char* finished =
    "SELECT p.kernel || ' ' || p.shape, count(*) FROM results r JOIN problems p ON p.id = r.problem GROUP BY r.problem";

TEST_P(Kill, TheSameCommandGoesOn) {
  const proc::Output whole = sweep(folder_ / "whole.db");  // fills the cache
  ASSERT_TRUE(whole.status.exited && whole.status.code == 0) << whole.err;
  const auto begin = std::chrono::steady_clock::now();
  sweep(folder_ / "timed.db");
  const auto length = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin);
  const auto problems = query(folder_ / "timed.db", finished).size();
  std::mt19937 random(std::random_device{}());
  int named = 0;
  for (int round = 0; round < rounds(); ++round) {
    const fs::path db = folder_ / ("round" + std::to_string(round) + ".db");
    const milliseconds when(std::uniform_int_distribution<std::int64_t>(length.count() / 20, length.count())(random));
    SCOPED_TRACE("killed after " + std::to_string(when.count()) + " ms of " + std::to_string(length.count()));
    kill_one(db, GetParam(), when);
    expect_nothing_running();
    if (!fs::exists(db)) continue;  // before it was made
    const auto in_flight = query(db, "SELECT id FROM trials WHERE status = 'started'");
    EXPECT_EQ(query(db, "PRAGMA integrity_check").front().first, "ok");
    const auto before = query(db, finished);
    const proc::Output rest = sweep(db);
    EXPECT_TRUE(rest.status.exited && rest.status.code == 0) << rest.err;
    const auto after = query(db, finished);
    EXPECT_EQ(after.size(), problems);
    for (const auto& [problem, count] : after) EXPECT_EQ(count, "1") << problem << " was repeated";
    for (const auto& [id, unused] : in_flight) {
      EXPECT_NE(rest.err.find("while trial " + id + " was in flight"), std::string::npos) << rest.err;
      ++named;
    }
    EXPECT_EQ(query(db, "PRAGMA integrity_check").front().first, "ok");
    expect_nothing_running();
  }
  std::printf("%d rounds, %d times a trial was in flight\n", rounds(), named);
}

// As timeout(1) does: SIGTERM to its child and, at once, to its child's group.
TEST_F(Stop, ChargesNobodyAndTheSameCommandGoesOn) {
  const proc::Output whole = sweep(folder_ / "whole.db");
  ASSERT_TRUE(whole.status.exited && whole.status.code == 0) << whole.err;
  const auto begin = std::chrono::steady_clock::now();
  sweep(folder_ / "timed.db");
  const auto length = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin);
  const fs::path db = folder_ / "stopped.db";
  std::mt19937 random(std::random_device{}());
  int stopped = 0;
  for (int round = 0; round < 3 * rounds(); ++round) {
    const milliseconds when(std::uniform_int_distribution<std::int64_t>(length.count() / 20, length.count())(random));
    SCOPED_TRACE("stopped after " + std::to_string(when.count()) + " ms of " + std::to_string(length.count()));
    proc::Child child = proc::Child::spawn(argv(db), without_pipes());
    std::this_thread::sleep_for(when);
    ::kill(child.pid(), SIGTERM);
    ::kill(-child.pid(), SIGTERM);
    const auto status = child.wait_until(proc::Clock::now() + std::chrono::seconds(10));
    ASSERT_TRUE(status.has_value());
    stopped += status->exited && status->code == 130 ? 1 : 0;
    expect_nothing_running();
    if (!fs::exists(db)) continue;
    EXPECT_TRUE(query(db, "SELECT id FROM trials WHERE status = 'started'").empty());
    if (query(db, finished).size() == query(folder_ / "timed.db", finished).size()) fs::remove(db);
  }
  EXPECT_GT(stopped, 0);
  const proc::Output rest = sweep(db);
  EXPECT_TRUE(rest.status.exited && rest.status.code == 0) << rest.err;
  constexpr const char* verdicts = "SELECT status || reason, count(*) FROM trials GROUP BY 1 ORDER BY 1";
  EXPECT_EQ(query(db, verdicts), query(folder_ / "timed.db", verdicts));
  std::printf("%d of %d sweeps stopped\n", stopped, 3 * rounds());
}

INSTANTIATE_TEST_SUITE_P(Of, Kill, testing::Values(Victim::tool, Victim::worker, Victim::both),
                         [](const auto& of) -> std::string {
                           return of.param == Victim::tool ? "tool" : of.param == Victim::worker ? "worker" : "both";
                         });

}  // namespace
}  // namespace tuner
