// Two sweeps and eight readers on one database: nobody fails, no row is lost, and a look-up takes milliseconds. Ten
// minutes with TUNER_LONG_TESTS=1.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "core/statistics.h"
#include "helpers/tool.h"
#include "scale/many_trials.h"

namespace tuner {
namespace {

class Rows {
 public:
  explicit Rows(const std::string& path) { EXPECT_EQ(sqlite3_open(path.c_str(), &db_), SQLITE_OK); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  ~Rows() { sqlite3_close(db_); }
  std::string text(const std::string& sql) {
    std::string text;
    const auto keep = [](void* into, int, char** values, char**) {
      *static_cast<std::string*>(into) += values[0] != nullptr ? values[0] : "null";
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(db_, sql.c_str(), keep, &text, nullptr), SQLITE_OK) << sqlite3_errmsg(db_);
    return text;
  }

 private:
  sqlite3* db_ = nullptr;
};

// What a sweep said it stored: trial number and configuration.
using Said = std::map<std::int64_t, std::string>;

bool long_tests() { return std::getenv("TUNER_LONG_TESTS") != nullptr; }

class Soak {
 public:
  void start() { until_ = std::chrono::steady_clock::now() + length_; }

  void sweeper(const std::string& shape) {
    while (!over()) {
      const proc::Output output = tool_.run({"sweep", "--kernel", "example", "--shape", shape, "--device", "host",
                                             "--again", "--json", "--quiet", "--db", "soak.db"});
      if (!fine(output, "sweep")) return;
      const auto json = nlohmann::json::parse(output.out, nullptr, false);
      ASSERT_FALSE(json.is_discarded()) << output.out;
      const std::lock_guard hold(mutex_);
      ++sweeps_;
      for (const auto& trial : json["problems"][0]["trials"])
        said_[trial["trial"].get<std::int64_t>()] = trial["params"].dump();
    }
  }

  void reader(const std::vector<std::string>& words) {
    while (!over()) {
      if (!fine(tool_.run(words), words.front())) return;
      ++reads_;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }

  // A process that looks up through the library.
  void engine() {
    const proc::Output output =
        proc::run({TUNER_LOOK_UP_READER, tool_.path("soak.db"), tool_.path("share/kernel_templates"), "4096x14336",
                   "NVIDIA H200", std::to_string(length_.count())},
                  "", length_ + std::chrono::minutes{2}, {});
    if (!fine(output, "look-up")) return;
    std::istringstream lines(output.out);
    const std::lock_guard hold(mutex_);
    for (double wall = 0, processor = 0, queued = 0; lines >> wall >> processor >> queued;) {
      wall_ms_.push_back(wall);
      processor_ms_.push_back(processor);
      own_ms_.push_back(wall - queued);
    }
  }

  void check() {
    EXPECT_FALSE(failed_);
    Rows rows(tool_.path("soak.db"));
    EXPECT_EQ(rows.text("PRAGMA integrity_check"), "ok");
    const std::string of_sweeps = "run IN (SELECT id FROM runs WHERE emulated)";
    EXPECT_EQ(rows.text("SELECT count(*) FROM runs WHERE emulated AND outcome = 'done'"), std::to_string(sweeps_ + 1));
    EXPECT_EQ(rows.text("SELECT count(*) FROM results WHERE " + of_sweeps), std::to_string(sweeps_ + 1));
    EXPECT_EQ(rows.text("SELECT count(*) FROM trials WHERE status = 'started'"), "0");
    for (const auto& [id, params] : said_) {
      const auto stored =
          nlohmann::json::parse(rows.text("SELECT params FROM trials WHERE id = " + std::to_string(id)));
      EXPECT_EQ(stored.dump(), params) << "trial " << id;
    }
    EXPECT_GE(sweeps_, 2);
    EXPECT_GE(reads_, 4);
    const double p99 = quantile(own_ms_, 0.99);
    std::cout << sweeps_ << " sweeps, " << said_.size() << " trials, " << reads_ << " reads by commands, "
              << wall_ms_.size() << " look-ups: median " << median(wall_ms_) << " ms, p99 " << quantile(wall_ms_, 0.99)
              << " ms, " << p99 << " ms without waiting for a processor (" << quantile(processor_ms_, 0.99)
              << " ms of processor time)\n";
    EXPECT_GT(wall_ms_.size(), 100U);
    EXPECT_LT(p99, std::getenv("TUNER_LONG_TESTS") ? 10 : 30);  // other tests run beside the short one
  }

  Tool& tool() { return tool_; }

 private:
  bool over() const { return failed_ || std::chrono::steady_clock::now() >= until_; }
  bool fine(const proc::Output& output, const std::string& what) {
    if (output.status.exited && output.status.code == 0 && output.err.empty()) return true;
    failed_ = true;
    ADD_FAILURE() << what << ": " << output.status.text() << "\n" << output.err;
    return false;
  }

  Tool tool_{"soak"};
  const std::chrono::seconds length_{long_tests() ? 600 : 10};
  std::chrono::steady_clock::time_point until_;
  std::atomic<bool> failed_ = false;
  std::atomic<int> reads_ = 0;
  std::mutex mutex_;
  int sweeps_ = 0;
  Said said_;
  // Of look-ups; `own`: without what they waited for a processor.
  std::vector<double> wall_ms_, processor_ms_, own_ms_;
};

TEST(Soak, TwoSweepsAndEightReadersLoseNothing) {
  Soak soak;
  // The readers have something to read from the first moment on.
  scale::make_many_trials(soak.tool().path("soak.db"), 5000);
  ASSERT_EQ(soak.tool()
                .run({"sweep", "--kernel", "example", "--shape", "8x8", "--device", "host", "--db", "soak.db"})
                .status.code,
            0);
  soak.start();
  std::vector<std::thread> threads;
  for (const char* shape : {"8x8", "8x24"}) threads.emplace_back([&soak, shape] { soak.sweeper(shape); });
  const std::vector<std::vector<std::string>> readers{
      {"best", "--kernel", "example", "--shape", "8x8", "--device", "host", "--json", "--db", "soak.db"},
      {"list", "--device", "host", "--json", "--db", "soak.db"},
      {"explain", "1", "--db", "soak.db"}};
  for (const auto& words : readers) threads.emplace_back([&soak, &words] { soak.reader(words); });
  for (int i = 0; i < 5; ++i) threads.emplace_back([&soak] { soak.engine(); });
  for (std::thread& thread : threads) thread.join();
  soak.check();
}

}  // namespace
}  // namespace tuner
