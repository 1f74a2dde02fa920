// A sweep that is killed at random moments, or its worker, or both, and one that is told to stop. The database stays
// whole, nothing is left running, and the same command goes on: it repeats no finished problem and names what was in
// flight.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "helpers/marked_processes.h"
#include "helpers/query.h"
#include "proc/child.h"

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

// The worker among the children of `pid`; 0 where there is none now.
int worker_of(int pid, const std::string& mark) {
  for (const int each : marked(mark)) {
    const std::string words = command_of(each);
    if (each != pid && words.find(std::string("\0worker\0", 8)) != std::string::npos) return each;
  }
  return 0;
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
        if (command_of(pid).find(std::string("\0sweep\0", 7)) != std::string::npos) tool = pid;
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
  void expect_nothing_running() const { EXPECT_TRUE(still_running(mark_).empty()); }

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
    EXPECT_EQ(query(db, "PRAGMA integrity_check").front().front(), "ok");
    const auto before = query(db, finished);
    const proc::Output rest = sweep(db);
    EXPECT_TRUE(rest.status.exited && rest.status.code == 0) << rest.err;
    const auto after = query(db, finished);
    EXPECT_EQ(after.size(), problems);
    for (const auto& problem : after) EXPECT_EQ(problem[1], "1") << problem[0] << " was repeated";
    for (const auto& trial : in_flight) {
      EXPECT_NE(rest.err.find("while trial " + trial[0] + " was in flight"), std::string::npos) << rest.err;
      ++named;
    }
    EXPECT_EQ(query(db, "PRAGMA integrity_check").front().front(), "ok");
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
  // What was not reached has a row in the run that was stopped, and another in the one that went on.
  constexpr const char* verdicts =
      "SELECT status || coalesce(reason, ''), count(*) FROM trials WHERE status <> 'compiled' GROUP BY 1 ORDER BY 1";
  EXPECT_EQ(query(db, verdicts), query(folder_ / "timed.db", verdicts));
  std::printf("%d of %d sweeps stopped\n", stopped, 3 * rounds());
}

INSTANTIATE_TEST_SUITE_P(Of, Kill, testing::Values(Victim::tool, Victim::worker, Victim::both),
                         [](const auto& of) -> std::string {
                           return of.param == Victim::tool ? "tool" : of.param == Victim::worker ? "worker" : "both";
                         });

}  // namespace
}  // namespace tuner
