#include "tune/claim.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "core/error.h"

namespace tuner::tune {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

struct Waits : Observer {
  void on_wait(const WaitEvent& event) override { events.push_back(event); }
  void on_warning(const std::string& text) override { warnings.push_back(text); }
  std::vector<WaitEvent> events;
  std::vector<std::string> warnings;
};

class ClaimTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("tuner-claim-test-" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "a");
    fs::create_directories(folder_ / "b");
    gpu_.name = "Fake GPU";
    gpu_.uuid = "GPU-01";
    options_.lock_folders = {(folder_ / "a").string(), (folder_ / "b").string()};
    options_.command = "tuner sweep x.yaml";
    options_.between_looks = milliseconds(2);
    options_.between_working_looks = milliseconds(1);
    options_.grace = milliseconds(0);
  }
  void TearDown() override { fs::remove_all(folder_); }

  GpuLock claim() {
    return claim_gpu(
        gpu_, [this] { return ++looks_ <= busy_looks_ ? users_ : after_; }, options_, waits_);
  }

  std::string failure() {
    try {
      claim();
    } catch (const MachineError& error) {
      return std::string(error.what()) + "\n" + error.where() + "\n" + error.hint();
    }
    return "free";
  }
  fs::path lock_path(const char* part) const { return folder_ / part / GpuLock::file_name(gpu_.uuid); }

  fs::path folder_;
  GpuFacts gpu_;
  ClaimOptions options_;
  GpuUsers users_, after_;
  int busy_looks_ = 1000000;
  int looks_ = 0;
  Waits waits_;
};

constexpr const char* busy_hint =
    "\nFake GPU\n--wait 30min waits until it is free; --shared runs all the same, and its rows answer only where "
    "nothing better is known";

TEST_F(ClaimTest, AFreeGpuIsTaken) {
  const GpuLock lock = claim();
  EXPECT_TRUE(lock.held());
  EXPECT_TRUE(waits_.events.empty());
  EXPECT_TRUE(waits_.warnings.empty());
}

TEST_F(ClaimTest, ABusyGpuIsRefusedWithWho) {
  users_.processes = {{4242, "python3", std::int64_t{12} << 30}};
  EXPECT_EQ(failure(), std::string("the GPU is busy (python3, pid 4242, 12.0 GiB)") + busy_hint);
  users_.processes = {{7, "", 0}, {8, "x", 1}};
  EXPECT_EQ(failure(),
            std::string("the GPU is busy (another process (not visible from here), pid 7; and 1 more)") + busy_hint);
}

TEST_F(ClaimTest, SteadyWorkOfNobodySeenIsBusyAndAPassingOneIsNot) {
  users_.utilization_percent = 87;
  EXPECT_EQ(failure(),
            std::string("the GPU is busy (another process (not visible from here), 87 % at work)") + busy_hint);
  busy_looks_ = looks_ + 5;
  EXPECT_EQ(failure(), "free");
}

TEST_F(ClaimTest, SharedRunsBesideOthers) {
  users_.processes = {{4242, "python3", 0}};
  options_.shared = true;
  EXPECT_EQ(failure(), "free");
}

TEST_F(ClaimTest, OneThatIsJustEndingIsWaitedFor) {
  users_.processes = {{4242, "tuner", 0}};
  busy_looks_ = 4;
  options_.grace = milliseconds(500);
  EXPECT_EQ(failure(), "free");
  EXPECT_TRUE(waits_.events.empty());
}

TEST_F(ClaimTest, AWaitEndsWhenItIsFreeOrTimeIsUp) {
  users_.processes = {{4242, "python3", 0}};
  options_.wait_s = 5;
  busy_looks_ = 4;
  EXPECT_EQ(failure(), "free");
  ASSERT_FALSE(waits_.events.empty());
  EXPECT_EQ(waits_.events.front().why, "the GPU is busy (python3, pid 4242)");
  EXPECT_EQ(waits_.events.front().limit_s, 5);
  busy_looks_ = 1000000;
  options_.wait_s = 0.02;
  EXPECT_EQ(failure(), std::string("the GPU is busy (python3, pid 4242), still so after 0 s") + busy_hint);
}

TEST_F(ClaimTest, AStopEndsAWait) {
  users_.processes = {{4242, "python3", 0}};
  options_.wait_s = 600;
  options_.stop = [this] { return looks_ > 3; };
  EXPECT_THROW(claim(), Interrupted);
}

TEST_F(ClaimTest, AServiceOfOthersIsRefusedUnlessAllowed) {
  users_.mps = true;
  EXPECT_EQ(failure(),
            "a Multi-Process Service (MPS) serves this GPU: a faulty candidate would end its clients' work\nFake "
            "GPU\nstop it, or accept that with --allow-mps");
  options_.allow_mps = true;
  EXPECT_EQ(failure(), "free");
}

TEST_F(ClaimTest, ASecondSweepIsToldOfTheFirst) {
  const GpuLock first = claim();
  const std::string who = "another sweep is on this GPU (pid " + std::to_string(::getpid());
  const std::string refused = failure();
  EXPECT_EQ(refused.substr(0, who.size()), who);
  EXPECT_NE(refused.find(": tuner sweep x.yaml)\n" + lock_path("a").string() + "\n--wait 30min waits for its end"),
            std::string::npos)
      << refused;
  options_.shared = true;
  EXPECT_NE(failure(), "free") << "its numbers would be spoilt, and they are not marked";
  gpu_.uuid = "GPU-02";
  EXPECT_EQ(failure(), "free");
}

TEST_F(ClaimTest, TheLockGoesWithItsHolder) {
  { const GpuLock first = claim(); }
  EXPECT_EQ(failure(), "free");
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const GpuLock lock = claim();
    if (::write(ready[1], "x", 1) == 1) ::pause();
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_NE(failure().find("pid " + std::to_string(child)), std::string::npos);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(failure(), "free");
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(ClaimTest, WhoMayNotWriteIntoTheFirstFolderMeetsTheOthersInTheSecond) {
  const GpuLock first = claim();
  options_.lock_folders = {(folder_ / "none").string(), (folder_ / "b").string()};
  EXPECT_NE(failure(), "free");
}

TEST_F(ClaimTest, EveryUserCanLockTheFileAndALinkIsNotFollowed) {
  const mode_t before = ::umask(077);
  {
    const GpuLock first = claim();
    ::umask(before);
    struct stat info {};
    ASSERT_EQ(::stat(lock_path("a").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0666u);
  }
  EXPECT_FALSE(fs::exists(lock_path("a")));
  for (const char* part : {"a", "b"}) {
    fs::remove(lock_path(part));
    fs::create_symlink(folder_ / "victim", lock_path(part));
  }
  EXPECT_EQ(failure(), "free");
  EXPECT_FALSE(fs::exists(folder_ / "victim"));
  ASSERT_EQ(waits_.warnings.size(), 1u);
  EXPECT_EQ(waits_.warnings[0],
            "no place for the GPU's lock: another sweep on it would not be noticed (set TUNER_LOCK_DIR)");
}

TEST_F(ClaimTest, ANoteOfSomebodyElseCannotHarmATerminal) {
  std::ofstream(lock_path("a")) << R"({"pid": 5, "user": "eve", "command": "\u001b[2Jx"})";
  const int fd = ::open(lock_path("a").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(fd, LOCK_EX), 0);
  EXPECT_NE(failure().find("(pid 5 of eve: ?[2Jx)"), std::string::npos) << failure();
  std::ofstream(lock_path("a")) << "nonsense";
  EXPECT_NE(failure().find("(who holds it cannot be read)"), std::string::npos) << failure();
  ::close(fd);
}

}  // namespace
}  // namespace tuner::tune
