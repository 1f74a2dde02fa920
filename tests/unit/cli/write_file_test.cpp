#include "cli/write_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"

namespace tuner::cli {
namespace fs = std::filesystem;
namespace {

class WriteFile : public testing::Test {
 protected:
  WriteFile() {
    std::string pattern = (fs::temp_directory_path() / "tuner-write-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  ~WriteFile() override { fs::remove_all(root_); }
  std::string at(const std::string& name) const { return (root_ / name).string(); }
  static std::string text_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static mode_t mode_of(const std::string& path) {
    struct stat info {};
    EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
    return info.st_mode & 07777;
  }
  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(root_), fs::directory_iterator()); }

  fs::path root_;
};

TEST_F(WriteFile, FollowsLinksAndKeepsTheMode) {
  fs::create_directory(root_ / "far");
  write_file(at("far/file"), "first");
  ::chmod(at("far/file").c_str(), 0640);
  fs::create_symlink("far/link", root_ / "link");
  fs::create_symlink("file", root_ / "far/link");
  write_file(at("link"), "second");
  EXPECT_TRUE(fs::is_symlink(root_ / "link"));
  EXPECT_TRUE(fs::is_symlink(root_ / "far/link"));
  EXPECT_EQ(text_of(at("far/file")), "second");
  EXPECT_EQ(mode_of(at("far/file")), 0640U);
  EXPECT_EQ(files(), 2);
}

TEST_F(WriteFile, MakesWhatALinkToNothingNames) {
  fs::create_symlink(at("new"), root_ / "link");
  const mode_t mask = ::umask(027);
  write_file(at("link"), "text");
  ::umask(mask);
  EXPECT_TRUE(fs::is_symlink(root_ / "link"));
  EXPECT_EQ(text_of(at("new")), "text");
  EXPECT_EQ(mode_of(at("new")), 0640U);
  fs::create_symlink("round", root_ / "round");
  EXPECT_THROW(write_file(at("round"), "text"), MachineError);
}

TEST_F(WriteFile, WritesToAFifoAndToADescriptor) {
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = text_of(at("fifo")); });
  write_file(at("fifo"), "through");
  reader.join();
  EXPECT_EQ(read, "through");
  EXPECT_TRUE(fs::is_fifo(root_ / "fifo"));

  const int fd = ::open(at("log").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(::write(fd, "one ", 4), 4);
  write_file("/dev/fd/" + std::to_string(fd), "two");
  ::close(fd);
  EXPECT_EQ(text_of(at("log")), "one two");
}

TEST_F(WriteFile, SaysWhenADeviceIsFullAndStaysAway) {
  EXPECT_THROW(write_file("/dev/full", "text"), MachineError);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  write_file("/dev/null", "text");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(WriteFile, LeavesNothingBehindWhereItCannotWrite) {
  EXPECT_THROW(write_file(at("absent/file"), "text"), MachineError);
  fs::create_directory(root_ / "folder");
  EXPECT_THROW(write_file(at("folder"), "text"), MachineError);
  EXPECT_THROW(write_file("/dev/fd/999", "text"), MachineError);
  EXPECT_EQ(files(), 1);
}

// Each adds a line to what it read.
TEST_F(WriteFile, RewritesOfManyProcessesLoseNothing) {
  fs::create_symlink("lines", root_ / "link");
  constexpr int processes = 8;
  constexpr int lines = 25;
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int line = 0; line < lines; ++line)
        rewrite_file(at(i % 2 == 0 ? "lines" : "link"), [&] { return text_of(at("lines")) + "x\n"; });
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(text_of(at("lines")).size(), static_cast<std::size_t>(2 * processes * lines));
  EXPECT_EQ(files(), 2);
}

}  // namespace
}  // namespace tuner::cli
