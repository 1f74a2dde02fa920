// Sweeps that are disturbed in every way we know: kills of the worker, of the tool and of the launcher, pauses, device
// errors, cut and garbled frames. No finished trial is lost, nobody is charged who is not at fault, nothing is left
// running, and no run lasts longer than it may. 1,000 runs with TUNER_LONG_TESTS=1, or
// TUNER_FAULTS_RUNS; TUNER_FAULTS_SEED repeats them.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "helpers/marked_processes.h"
#include "helpers/query.h"
#include "helpers/tool.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

bool long_tests() { return std::getenv("TUNER_LONG_TESTS") != nullptr; }

int runs_wanted() {
  const char* given = std::getenv("TUNER_FAULTS_RUNS");
  return given != nullptr ? std::atoi(given) : long_tests() ? 1000 : 24;
}

std::uint64_t seed() {
  const char* given = std::getenv("TUNER_FAULTS_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
}

// What happens to a run.
struct Disturbance {
  std::string kind;      // a name of the two lists below
  std::string launcher;  // "none", "relay", "shell", "session"
  double when = 0;       // of a run's usual length
  int at = 0;            // the frame that is harmed
  int times = 1;         // how often the worker is killed
  std::uint64_t seed = 0;

  std::string text() const {
    return kind + " through " + launcher + ", at frame " + std::to_string(at) + " or after " + std::to_string(when) +
           " of the usual time, " + std::to_string(times) + " times";
  }
};

const std::vector<std::string> done_to_processes{"kill_worker", "kill_tool", "kill_launcher", "end_tool",
                                                 "pause_worker"};
const std::vector<std::string> done_to_frames{"cut", "garbage", "sticky", "gone", "request"};
const std::vector<std::string> hangs{"stop_worker", "deaf"};  // each costs a deadline

Disturbance draw(std::mt19937_64& random) {
  const auto one_of = [&](const std::vector<std::string>& all) { return all[random() % all.size()]; };
  Disturbance one;
  one.seed = random();
  one.when = static_cast<double>(random() % 1100) / 1000;
  one.at = static_cast<int>(random() % 30);
  one.times = 1 + static_cast<int>(random() % 4);
  const bool frames = random() % 2 == 0;
  one.kind = long_tests() && random() % 50 == 0 ? one_of(hangs) : one_of(frames ? done_to_frames : done_to_processes);
  const bool needs_relay = std::count(done_to_frames.begin(), done_to_frames.end(), one.kind) > 0 || one.kind == "deaf";
  const bool needs_launcher = needs_relay || one.kind == "kill_launcher";
  one.launcher = one.kind == "stop_worker" ? "none"
                 : needs_launcher          ? one_of({"relay", "shell", "session"})
                                           : one_of({"none", "relay", "shell", "session"});
  return one;
}

// The runs of one database, one after another.
class Stream {
 public:
  Stream(int number, std::uint64_t seed) : tool_("faults-" + std::to_string(number)), random_(seed) {
    fs::create_directory(tool_.path("relay"));
  }

  // The run that nobody disturbs says how long one takes.
  void warm_up() {
    const auto begin = std::chrono::steady_clock::now();
    ++runs_;
    run({"none", "relay"}, "warm.db");
    usual_ = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin);
  }

  // A fresh database, some disturbed runs, and one that is not. Returns how many.
  int one_case() {
    database_ = "case" + std::to_string(cases_++) + ".db";
    const int disturbed = 1 + static_cast<int>(random_() % 4);
    for (int i = 0; i < disturbed; ++i) {
      const Disturbance one = draw(random_);
      SCOPED_TRACE(database_ + ", run " + std::to_string(i + 1) + ": " + one.text());
      history_ += (i > 0 ? "; " : "") + one.text();
      disturb(one);
      ++counts_[one.kind];
    }
    SCOPED_TRACE(database_ + " after " + history_);
    history_.clear();
    finish();
    fs::remove(tool_.path(database_));
    return disturbed + 1;
  }

  const std::map<std::string, int>& counts() const { return counts_; }

 private:
  std::string mark() const { return "TUNER_FAULTS_MARK=" + tool_.path("") + std::to_string(runs_) + ";"; }

  std::vector<std::string> command(const Disturbance& one, const std::string& database) const {
    std::vector<std::string> words{"sweep",     "--kernel",           "faulty", "--shape", "8x8",    "--device", "host",
                                   "--kernels", TUNER_FAULTS_KERNELS, "--db",   database,  "--quiet"};
    const bool harms = std::count(done_to_processes.begin(), done_to_processes.end(), one.kind) == 0;
    const std::string relay = std::string(TUNER_FAULTS_RELAY) + " " + tool_.path("relay") + " " +
                              (harms ? one.kind : "none") + " " + std::to_string(one.at) + " " +
                              std::to_string(one.seed);
    // Some launchers leave a process behind that holds the output open; it goes with their group, unless the tool
    // itself is killed.
    const std::string helper = one.kind == "kill_tool" ? "" : "sleep 300 & ";
    const std::map<std::string, std::string> launchers{
        {"relay", relay},
        {"shell", "sh -c '" + helper + "\"$@\"; exit $?' sh " + relay + " {}"},
        {"session", "setsid --wait " + relay}};
    if (one.launcher != "none") words.insert(words.end(), {"--launcher", launchers.at(one.launcher)});
    return tool_.argv(words, {mark()});
  }

  proc::Output run(const Disturbance& one, const std::string& database) {
    std::ofstream(tool_.path("relay/fault")) << "once\n";
    fs::remove(tool_.path("relay/passed"));
    const bool hangs_on = std::count(hangs.begin(), hangs.end(), one.kind) > 0;
    // A worker has 30 s for a candidate, 60 s for a workload; what is not a hang is noticed at once.
    const proc::Output output = proc::run(command(one, database), "", std::chrono::seconds(hangs_on ? 90 : 25), {});
    EXPECT_FALSE(output.timed_out) << "it lasted longer than it may\n" << output.err;
    EXPECT_TRUE(still_running(mark()).empty()) << "something is left running";
    return output;
  }

  void disturb(const Disturbance& one) {
    const auto before = trials();
    ++runs_;
    std::thread hand([&] { act(one); });
    const proc::Output output = run(one, database_);
    hand.join();
    const bool tool_itself = one.kind == "kill_tool" || one.kind == "end_tool";
    // A worker that does not come up is the machine's failure, said as such.
    const bool may_fail = one.launcher != "none" || one.kind == "stop_worker";
    if (!tool_itself) {
      EXPECT_TRUE(output.status.exited && (output.status.code == 0 || (may_fail && output.status.code == 1)))
          << output.status.text() << "\n"
          << output.err;
    }
    if (output.status.code == 1) ++counts_["(no worker came up)"];
    check(before);
  }

  // Of this run: "worker", "tool" or "launcher".
  std::vector<int> processes(const std::string& whom) const {
    std::vector<int> found;
    for (const int pid : marked(mark())) {
      const std::string words = command_of(pid);
      const bool tool = words.rfind(std::string(TUNER_PROGRAM) + '\0', 0) == 0;
      const bool worker = tool && words.find(std::string("\0worker\0", 8)) != std::string::npos;
      const bool sweep = tool && words.find(std::string("\0sweep\0", 7)) != std::string::npos;
      if (whom == "worker" ? worker : whom == "tool" ? sweep : !tool && !words.empty()) found.push_back(pid);
    }
    return found;
  }

  void signal_one(const std::string& whom, int signal, const Disturbance& one) const {
    const std::vector<int> found = processes(whom);
    if (!found.empty()) ::kill(found[one.seed % found.size()], signal);
  }

  // The next ones soon after they have started: most often while they look at the same candidate.
  void kill_workers(const Disturbance& one) const {
    int last = 0;
    for (int killed = 0, looks = 0; killed < one.times && looks < 100; ++looks) {
      const std::vector<int> found = processes("worker");
      if (!found.empty() && found.front() != last) {
        if (last != 0) std::this_thread::sleep_for(milliseconds(one.seed / 16 % 64));
        ::kill(last = found.front(), SIGKILL);
        ++killed;
      }
      std::this_thread::sleep_for(milliseconds(5));
    }
  }

  // Runs beside the sweep.
  void act(const Disturbance& one) const {
    std::this_thread::sleep_for(one.when * usual_);
    if (one.kind == "kill_worker") kill_workers(one);
    if (one.kind == "kill_tool") signal_one("tool", SIGKILL, one);
    if (one.kind == "end_tool") signal_one("tool", SIGTERM, one);
    if (one.kind == "kill_launcher") signal_one("launcher", SIGKILL, one);
    if (one.kind == "stop_worker" || one.kind == "pause_worker") signal_one("worker", SIGSTOP, one);
    if (one.kind != "pause_worker") return;
    std::this_thread::sleep_for(0.5 * usual_);
    for (const int pid : marked(mark())) ::kill(pid, SIGCONT);
  }

  struct Row {
    std::string params, status, reason, kind;
    bool finished() const { return status == "verified" || status == "rejected"; }
  };
  std::map<std::int64_t, Row> trials() const {
    std::map<std::int64_t, Row> rows;
    if (!fs::exists(tool_.path(database_))) return rows;
    for (const auto& row :
         query(tool_.path(database_), "SELECT id, params, status, reason, json_extract(params, '$.kind') FROM trials"))
      rows[std::stoll(row[0])] = {row[1], row[2], row[3], row[4]};
    return rows;
  }

  // Candidates whose verdict was passed on, and the tool had gone on to the next request.
  std::set<std::string> answered() const {
    std::ifstream passed(tool_.path("relay/passed"));
    std::set<std::string> all;
    std::string latest, what, request, module;
    for (std::string line; std::getline(passed, line);) {
      std::istringstream words(line);
      words >> what;
      if (what == "answered") {
        words >> latest;
      } else if (!latest.empty()) {
        all.insert(latest);
        latest.clear();
      }
    }
    return all;
  }

  void check(const std::map<std::int64_t, Row>& before) {
    const auto after = trials();
    if (after.empty()) {
      EXPECT_TRUE(before.empty());
      EXPECT_TRUE(answered().empty()) << "a finished trial is lost";
      return;
    }
    EXPECT_EQ(query(tool_.path(database_), "PRAGMA integrity_check"), (std::vector<std::vector<std::string>>{{"ok"}}));
    std::set<std::string> finished;
    bool in_flight = false;
    for (const auto& [id, row] : after) {
      if (row.finished()) finished.insert(row.params);
      in_flight = in_flight || row.status == "started";  // it may have been verified before, and be looked at again
    }
    EXPECT_GE(finished.size() + (in_flight ? 1 : 0), answered().size()) << "a finished trial is lost";
    int again = 0;
    for (const auto& [id, row] : before) {
      const auto now = after.find(id);
      ASSERT_TRUE(now != after.end()) << "trial " << id << " is lost";
      EXPECT_EQ(now->second.params, row.params);
      if (row.finished() && !now->second.finished()) ++again;  // it was looked at once more
    }
    EXPECT_LE(again, 1) << "finished trials are lost";
    for (const auto& [id, row] : after)
      EXPECT_FALSE(row.kind == "right" && row.status == "rejected") << "trial " << id << ": " << row.reason;
  }

  // What stands in the end is what each configuration deserves.
  void finish() {
    const auto before = trials();
    ++runs_;
    const proc::Output output = run({"none", "relay"}, database_);
    EXPECT_TRUE(output.status.exited && output.status.code == 0) << output.err;
    check(before);
    std::map<std::string, Row> last;
    for (const auto& [id, row] : trials()) last[row.params] = row;
    EXPECT_EQ(last.size(), 10U);
    for (const auto& [params, row] : last) {
      EXPECT_EQ(row.status, row.kind == "right" ? "verified" : "rejected") << params << ": " << row.reason;
      EXPECT_EQ(row.reason, row.kind == "right" ? "" : row.kind == "wrong" ? "wrong_result" : "worker_lost") << params;
    }
    EXPECT_EQ(query(tool_.path(database_), "SELECT count(*) FROM results").front().front(), "1");
  }

  Tool tool_;
  std::mt19937_64 random_;
  milliseconds usual_{0};
  std::string database_, history_;
  int runs_ = 0, cases_ = 0;
  std::map<std::string, int> counts_;
};

TEST(Faults, NothingIsLostChargedWronglyOrLeftRunning) {
  const int wanted = runs_wanted();
  const std::uint64_t first = seed();
  std::cout << "TUNER_FAULTS_SEED=" << first << "\n";
  std::mutex mutex;
  int runs = 0;
  std::map<std::string, int> counts;
  std::vector<std::thread> threads;
  for (int number = 0; number < 2; ++number)
    threads.emplace_back([&, number] {
      Stream stream(number, first + static_cast<std::uint64_t>(number));
      stream.warm_up();
      for (bool more = true; more;) {
        const int done = testing::Test::HasFailure() ? wanted : stream.one_case();
        const std::lock_guard hold(mutex);
        more = (runs += done) < wanted;
      }
      const std::lock_guard hold(mutex);
      for (const auto& [kind, count] : stream.counts()) counts[kind] += count;
    });
  for (std::thread& thread : threads) thread.join();
  std::cout << runs << " runs:";
  for (const auto& [kind, count] : counts) std::cout << " " << kind << " " << count;
  std::cout << "\n";
}

}  // namespace
}  // namespace tuner
