// A whole sweep where paths and locale are unusual.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "proc/child.h"

namespace tuner::golden {
namespace {

namespace fs = std::filesystem;

class UnusualPlaces : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(base_);
    fs::create_directories(home_);
    fs::create_directories(home_ / "share");
    for (const char* part : {"kernel_templates", "configs"})
      fs::copy(fs::path(TUNER_SOURCE_DIR) / part, home_ / "share" / part, fs::copy_options::recursive);
    fs::copy(fs::path(TUNER_SOURCE_DIR) / "tests/golden/kernels", home_ / "my kernels");
  }
  void TearDown() override { fs::remove_all(base_); }

  proc::Output tuner(const std::vector<std::string>& words) const {
    std::vector<std::string> argv{"/usr/bin/env", "-C", home_.string()};
    for (const char* name :
         {"TUNER_DB", "TUNER_CACHE", "TUNER_RESULTS", "TUNER_SITE", "TUNER_KERNELS", "XDG_DATA_HOME", "XDG_CACHE_HOME"})
      argv.insert(argv.end(), {"-u", name});
    argv.insert(argv.end(), {"HOME=" + home_.string(), "TMPDIR=" + home_.string(), "LC_ALL=de_DE.UTF-8",
                             "TUNER_SHARE=" + (home_ / "share").string(), TUNER_PROGRAM});
    argv.insert(argv.end(), words.begin(), words.end());
    argv.insert(argv.end(), {"--device", "host", "--kernels", (home_ / "my kernels").string()});
    return proc::run(argv, "", std::chrono::minutes{5}, {});
  }

  fs::path base_ = fs::temp_directory_path() / ("tuner-unusual-" + std::to_string(::getpid()));
  fs::path home_ = base_ / "a \"b\" 'c' $d; ä ж %s\\";
};

TEST_F(UnusualPlaces, AWholeSweepRunsInThem) {
  const auto swept = tuner({"sweep", "--kernel", "example", "--shape", "16x16", "--quiet"});
  EXPECT_EQ(swept.status.code, 0) << swept.err;
  EXPECT_EQ(swept.err, "");
  EXPECT_NE(swept.out.find("verified"), std::string::npos) << swept.out;
  EXPECT_TRUE(fs::exists(home_ / ".local/share/tuner/tuner.db"));
  EXPECT_TRUE(fs::exists(home_ / ".cache/tuner/host"));
  EXPECT_EQ(tuner({"list"}).status.code, 0);
  const auto ran = tuner({"run", "example", "--shape", "16x16", "variant=naive"});
  EXPECT_EQ(ran.status.code, 0) << ran.err;
}

}  // namespace
}  // namespace tuner::golden
