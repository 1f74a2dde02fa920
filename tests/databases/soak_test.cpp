// Two sweeps and four readers on one database: nobody fails and no row is lost. 60 s with TUNER_LONG_TESTS=1.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "helpers/tool.h"

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

class Soak {
 public:
  Soak() : until_(std::chrono::steady_clock::now() + std::chrono::seconds(std::getenv("TUNER_LONG_TESTS") ? 60 : 10)) {}

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
    }
  }

  void check() {
    EXPECT_FALSE(failed_);
    Rows rows(tool_.path("soak.db"));
    EXPECT_EQ(rows.text("PRAGMA integrity_check"), "ok");
    EXPECT_EQ(rows.text("SELECT count(*) FROM runs WHERE outcome = 'done'"), std::to_string(sweeps_ + 1));
    EXPECT_EQ(rows.text("SELECT count(*) FROM results"), std::to_string(sweeps_ + 1));
    EXPECT_EQ(rows.text("SELECT count(*) FROM trials WHERE status = 'started'"), "0");
    for (const auto& [id, params] : said_) {
      const auto stored =
          nlohmann::json::parse(rows.text("SELECT params FROM trials WHERE id = " + std::to_string(id)));
      EXPECT_EQ(stored.dump(), params) << "trial " << id;
    }
    EXPECT_GE(sweeps_, 2);
    EXPECT_GE(reads_, 4);
    std::cout << sweeps_ << " sweeps, " << said_.size() << " trials, " << reads_ << " reads\n";
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
  std::chrono::steady_clock::time_point until_;
  std::atomic<bool> failed_ = false;
  std::atomic<int> reads_ = 0;
  std::mutex mutex_;
  int sweeps_ = 0;
  Said said_;
};

TEST(Soak, TwoSweepsAndFourReadersLoseNothing) {
  Soak soak;
  // The readers have something to read from the first moment on.
  ASSERT_EQ(soak.tool()
                .run({"sweep", "--kernel", "example", "--shape", "8x8", "--device", "host", "--db", "soak.db"})
                .status.code,
            0);
  std::vector<std::thread> threads;
  for (const char* shape : {"8x8", "8x24"}) threads.emplace_back([&soak, shape] { soak.sweeper(shape); });
  const std::vector<std::vector<std::string>> readers{
      {"best", "--kernel", "example", "--shape", "8x8", "--device", "host", "--json", "--db", "soak.db"},
      {"list", "--device", "host", "--json", "--db", "soak.db"},
      {"explain", "1", "--db", "soak.db"},
      {"best", "--kernel", "example", "--shape", "8x16", "--device", "host", "--db", "soak.db"}};
  for (const auto& words : readers) threads.emplace_back([&soak, &words] { soak.reader(words); });
  for (std::thread& thread : threads) thread.join();
  soak.check();
}

}  // namespace
}  // namespace tuner
