#include "proc/pool.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "proc/cpus.h"

namespace tuner::proc {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Command in_shell(const std::string& script, milliseconds deadline = seconds(20)) {
  return {{"/bin/sh", "-c", script}, "", deadline};
}

TEST(RunAll, ReportsEachOnceWithItsOwnOutput) {
  std::vector<Command> commands;
  for (int i = 0; i < 40; ++i) commands.push_back({{"cat"}, "input " + std::to_string(i), seconds(20)});
  std::map<std::size_t, std::string> outputs;
  run_all(commands, 4, [&](std::size_t i, Output output) { EXPECT_TRUE(outputs.emplace(i, output.out).second); });
  ASSERT_EQ(outputs.size(), 40u);
  for (const auto& [i, out] : outputs) EXPECT_EQ(out, "input " + std::to_string(i));
}

TEST(RunAll, RunsNoMoreThanJobsAtOnce) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "run_all_width";
  std::filesystem::create_directories(folder);
  std::vector<Command> commands(12, in_shell("touch " + folder.string() + "/$$; ls " + folder.string() +
                                             " | wc -l; sleep 0.03; rm " + folder.string() + "/$$"));
  int widest = 0;
  run_all(commands, 3, [&](std::size_t, const Output& output) { widest = std::max(widest, std::stoi(output.out)); });
  EXPECT_LE(widest, 3);
  EXPECT_GE(widest, 2);
}

TEST(RunAll, KillsEachAtItsOwnDeadline) {
  std::map<std::size_t, Output> outputs;
  run_all({in_shell("sleep 600", milliseconds(150)), in_shell("sleep 0.4; echo done"), in_shell("exit 7")}, 3,
          [&](std::size_t i, Output output) { outputs[i] = std::move(output); });
  ASSERT_EQ(outputs.size(), 3u);
  EXPECT_TRUE(outputs[0].timed_out);
  EXPECT_FALSE(outputs[1].timed_out);
  EXPECT_EQ(outputs[1].out, "done\n");
  EXPECT_EQ(outputs[2].status.code, 7);
}

TEST(RunAll, StopsWhenAsked) {
  int reported = 0;
  const auto start = Clock::now();
  run_all(
      {in_shell("exit 0"), in_shell("sleep 600"), in_shell("sleep 600"), in_shell("sleep 600")}, 2,
      [&](std::size_t, const Output&) { ++reported; }, [&] { return reported > 0; });
  EXPECT_EQ(reported, 1);
  EXPECT_LT(Clock::now() - start, seconds(5));
}

TEST(RunAll, OfNothingReturns) {
  run_all({}, 4, [](std::size_t, const Output&) { FAIL(); });
}

class Cgroup : public testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::path(testing::TempDir()) /
            (std::string("cgroup_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(root_);
  }
  void put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << '\n';
  }
  std::filesystem::path root_;
};

TEST_F(Cgroup, Version2TakesTheLeastOnTheWayUp) {
  put("cpu.max", "max 100000");
  put("a/cpu.max", "150000 100000");
  put("a/b/cpu.max", "800000 100000");
  EXPECT_EQ(cgroup_cpus(root_, "0::/a/b\n"), 1.5);
  EXPECT_EQ(cgroup_cpus(root_, "0::/\n"), std::nullopt);
}

TEST_F(Cgroup, Version2PathOutsideTheContainerFallsBackToItsRoot) {
  put("cpu.max", "200000 100000");
  EXPECT_EQ(cgroup_cpus(root_, "0::/docker/0123\n"), 2.0);
  EXPECT_EQ(cgroup_cpus(root_, "0::/../../x\n"), 2.0);
}

TEST_F(Cgroup, Version1) {
  put("cpu,cpuacct/d/cpu.cfs_quota_us", "50000");
  put("cpu,cpuacct/d/cpu.cfs_period_us", "100000");
  put("cpu,cpuacct/cpu.cfs_quota_us", "-1");
  put("cpu,cpuacct/cpu.cfs_period_us", "100000");
  EXPECT_EQ(cgroup_cpus(root_, "5:memory:/d\n4:cpu,cpuacct:/d\n"), 0.5);
}

TEST_F(Cgroup, NonsenseIsNoLimit) {
  put("cpu.max", "lots of it");
  EXPECT_EQ(cgroup_cpus(root_, "0::/\nnonsense\n\n::\n"), std::nullopt);
  EXPECT_EQ(cgroup_cpus("/no/such/folder", "0::/\n"), std::nullopt);
}

TEST(UsableCpus, IsAtLeastOne) { EXPECT_GE(usable_cpus(), 1); }

TEST(UsableCpus, IsOneWhereTheProcessMayUseOne) {
  cpu_set_t before, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  const int usable = usable_cpus();
  ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(usable, 1);
}

}  // namespace
}  // namespace tuner::proc
