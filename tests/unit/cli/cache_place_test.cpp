#include "cli/cache_place.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

class CachePlaceTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("tuner-cache-place-test-" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "tmp");
    std::ofstream(folder_ / "file") << "no folder";
    temporary_ = (folder_ / "tmp").string();
    ours_ = temporary_ + "/tuner-" + std::to_string(::geteuid());
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string unusable() const { return (folder_ / "file" / "cache").string(); }

  fs::path folder_;
  std::string temporary_, ours_;
};

TEST_F(CachePlaceTest, TheUsualOneWhereItCanBeWritten) {
  const CachePlace place = find_cache_place((folder_ / "a" / "b").string(), temporary_);
  EXPECT_EQ(place.folder, (folder_ / "a" / "b").string());
  EXPECT_EQ(place.warning, "");
}

TEST_F(CachePlaceTest, ATemporaryOneOfOursElse) {
  for (int i = 0; i < 2; ++i) {
    const CachePlace place = find_cache_place(unusable(), temporary_);
    EXPECT_EQ(place.folder, ours_);
    EXPECT_EQ(place.warning, "the cache " + unusable() + " cannot be written; " + ours_ + " is used");
  }
  struct stat info {};
  ASSERT_EQ(::stat(ours_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  EXPECT_EQ(find_cache_place("", temporary_).warning,
            "there is no place for the cache: neither HOME nor XDG_CACHE_HOME is set; " + ours_ + " is used");
}

TEST_F(CachePlaceTest, OneThatOthersMayWriteToOrALinkIsNotUsed) {
  fs::create_directory(ours_);
  fs::permissions(ours_, fs::perms::all);
  const CachePlace open = find_cache_place(unusable(), temporary_);
  EXPECT_NE(open.folder, ours_);
  EXPECT_EQ(open.folder.rfind(temporary_ + "/tuner-", 0), 0u);
  fs::remove(ours_);
  fs::create_directory_symlink(folder_ / "tmp", ours_);
  EXPECT_NE(find_cache_place(unusable(), temporary_).folder, ours_);
}

TEST_F(CachePlaceTest, NoneWhereNothingCanBeWritten) {
  const CachePlace place = find_cache_place(unusable(), unusable());
  EXPECT_EQ(place.folder, "");
  EXPECT_EQ(place.warning,
            "the cache " + unusable() + " cannot be written, nor can " + unusable() + "; nothing is kept");
}

}  // namespace
}  // namespace tuner::cli
