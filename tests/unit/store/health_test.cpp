#include "store/health.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "store/store.h"

namespace tuner::store {
namespace {

namespace fs = std::filesystem;

class HealthTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("tuner-health-test-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    path_ = (folder_ / "t.db").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  void make_good() const {
    Store store = Store::open(path_, Store::Mode::read_write);
    for (int i = 0; i < 100; ++i) store.keep_text("hash" + std::to_string(i), "source", "x", std::string(2000, 'x'));
  }
  Health health() const { return check_database(path_).health; }

  fs::path folder_;
  std::string path_;
};

TEST_F(HealthTest, EachStateIsTold) {
  EXPECT_EQ(health(), Health::absent);
  make_good();
  EXPECT_EQ(health(), Health::good);
  fs::resize_file(path_, fs::file_size(path_) / 2);
  EXPECT_EQ(health(), Health::damaged);
  std::ofstream(path_, std::ios::trunc) << "a diary";
  EXPECT_EQ(health(), Health::foreign);
}

TEST_F(HealthTest, PagesThatContradictEachOtherAreDamage) {
  make_good();
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  for (const int page : {5, 9, 12, 20}) {
    file.seekp(page * 4096);
    file << std::string(64, '\xff');
  }
  file.close();
  const Checked checked = check_database(path_);
  EXPECT_EQ(checked.health, Health::damaged);
  EXPECT_NE(checked.why.compare(0, 3, "***"), 0) << checked.why;
  EXPECT_NE(checked.why, "");
}

TEST_F(HealthTest, SetAsideTakesTheLogAlongAndOverwritesNothing) {
  for (int i = 0; i < 2; ++i) {
    std::ofstream(path_) << "file " << i;
    std::ofstream(path_ + "-wal") << "log " << i;
    const auto names = set_aside(path_);
    ASSERT_EQ(names.size(), 2u);
    EXPECT_EQ(names[0].rfind(path_ + ".aside-20", 0), 0u) << names[0];
    EXPECT_EQ(names[1], names[0] + "-wal");
    EXPECT_FALSE(fs::exists(path_));
    EXPECT_FALSE(fs::exists(path_ + "-wal"));
    std::string text;
    std::getline(std::ifstream(names[0]), text);
    EXPECT_EQ(text, "file " + std::to_string(i));
  }
}

}  // namespace
}  // namespace tuner::store
