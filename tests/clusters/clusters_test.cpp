// Workers placed by a cluster's own engine, for real: Slurm with two nodes, and ssh, all of it on this host. What
// happens to a worker, a job or a node costs no candidate, and nothing is left running.
#include "clusters/daemons.h"
#include "several/sweeps.h"

namespace tuner {
namespace {

// A plan in which a kernel has deadly configurations, and what one worker on this machine finds in it.
class OnNodes : public SeveralWorkers {
 protected:
  void make_plan() {
    std::ofstream(tool_.path("plan.yaml")) << "tuner: 1\nkernels: [example, {kernel: faulty, shapes: [8x8]}]\n"
                                              "shapes: [65x130, 256x512, 512x640]\n";
    EXPECT_EQ(tool_.run(sweep("one.db", {"--device", "host"})).status.code, 0);
  }
  void expect_whole(const std::string& database) const { EXPECT_EQ(verdicts(database), verdicts("one.db")); }
};

class OnSlurm : public OnNodes {
 protected:
  void SetUp() override {
    if (!Slurm::is_here()) GTEST_SKIP() << "needs Slurm";
    make_plan();
    slurm_.emplace(tool_.path("slurm"));
    ASSERT_TRUE(slurm_->is_up()) << slurm_->logs();
  }

  Words on_both(const std::string& database) const {
    return sweep(database, {"--device", "host", "--wait", "3s", "--launcher", slurm_->launcher("n1"), "--launcher",
                            slurm_->launcher("n2")});
  }
  proc::Child begin_on_both(const std::string& database) const {
    return proc::Child::spawn(tool_.argv(on_both(database), {mark(), slurm_->environment()}), {});
  }
  // The job of the second node, once it is there.
  std::string second_job() const {
    for (int looks = 0; looks < 100; ++looks) {
      const auto jobs = slurm_->jobs("n2");
      if (!jobs.empty()) return jobs.front();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return "";
  }
  void expect_nothing_left() const {
    for (int looks = 0; looks < 100 && !slurm_->jobs().empty(); ++looks)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(slurm_->jobs(), Words{}) << slurm_->logs();
    EXPECT_TRUE(still_running(mark()).empty()) << "something is left running";
  }

  std::optional<Slurm> slurm_;
};

// One cluster for all of it: starting it takes longer than what is tried.
TEST_F(OnSlurm, JobsNodesAndTheToolItselfMayBeLost) {
  {
    SCOPED_TRACE("undisturbed");
    proc::Child child = begin_on_both("whole.db");
    const Ended ended = end(child);
    EXPECT_EQ(ended.status.code, 0) << ended.err << slurm_->logs();
    EXPECT_NE(ended.err.find("host#2  ["), std::string::npos) << ended.err;
    expect_nothing_left();
    expect_whole("whole.db");
  }
  {
    SCOPED_TRACE("scancel");
    proc::Child child = begin_on_both("cancelled.db");
    const std::string job = second_job();
    wait_for_results("cancelled.db", 1);
    slurm_->run({"scancel", job});
    const Ended ended = end(child);
    EXPECT_EQ(ended.status.code, 0) << ended.err << slurm_->logs();
    expect_nothing_left();
    expect_whole("cancelled.db");
  }
  {
    SCOPED_TRACE("the tool is killed");
    proc::Child child = begin_on_both("killed.db");
    wait_for_results("killed.db", 1);
    ::kill(child.pid(), SIGSTOP);  // its workers have nothing to do, and nothing to write that nobody reads
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    ::kill(child.pid(), SIGKILL);
    end(child);
    expect_nothing_left();
  }
  {
    SCOPED_TRACE("interrupted");
    proc::Child child = begin_on_both("killed.db");
    wait_for_results("killed.db", 2);
    ::kill(child.pid(), SIGINT);
    EXPECT_EQ(end(child).status.code, 130);
    expect_nothing_left();
  }
  {
    SCOPED_TRACE("a node goes down");
    proc::Child child = begin_on_both("lost.db");
    EXPECT_NE(second_job(), "");
    wait_for_results("lost.db", 1);
    slurm_->lose_node("n2");
    const Ended ended = end(child);
    EXPECT_EQ(ended.status.code, 0) << ended.err << slurm_->logs();
    EXPECT_NE(ended.err.find("host#2: left out"), std::string::npos) << ended.err;
    EXPECT_TRUE(still_running(mark()).empty()) << "something is left running";
    expect_whole("lost.db");
  }
}

class OverSsh : public OnNodes {
 protected:
  void SetUp() override {
    if (!Sshd::is_here()) GTEST_SKIP() << "needs sshd";
    make_plan();
    sshd_.emplace(tool_.path("sshd"), mark());
  }
  Words over_ssh(const std::string& database) const {
    return sweep(database, {"--device", "host", "--wait", "10s", "--launcher", "env", "--launcher", sshd_->launcher()});
  }

  // Once it is there.
  bool has_worker() const {
    for (int looks = 0; looks < 200; ++looks) {
      for (const int pid : family_of(sshd_->pid()))
        if (command_of(pid).find(std::string("\0worker\0", 8)) != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
  }

  std::optional<Sshd> sshd_;
};

TEST_F(OverSsh, ABannerDoesNoHarmAndALostConnectionCostsNobody) {
  {
    SCOPED_TRACE("undisturbed");
    const proc::Output alone =
        tool_.run(sweep("alone.db", {"--device", "host", "--wait", "10s", "--launcher", sshd_->launcher()}));
    EXPECT_EQ(alone.status.code, 0) << alone.err << sshd_->log();
    expect_whole("alone.db");
  }
  {
    SCOPED_TRACE("a connection is cut, and made again");
    proc::Child child = begin(over_ssh("cut.db"));
    EXPECT_TRUE(has_worker()) << sshd_->log();
    for (const int pid : family_of(sshd_->pid()))
      if (pid != sshd_->pid()) ::kill(pid, SIGKILL);
    const Ended ended = end(child);
    EXPECT_EQ(ended.status.code, 0) << ended.err << sshd_->log();
    EXPECT_EQ(ended.err.find("left out"), std::string::npos) << ended.err;
    expect_whole("cut.db");
  }
  {
    SCOPED_TRACE("the host is gone");
    proc::Child child = begin(over_ssh("gone.db"));
    wait_for_results("gone.db", 1);
    sshd_->lose();
    const Ended ended = end(child);
    EXPECT_EQ(ended.status.code, 0) << ended.err;
    EXPECT_NE(ended.err.find("host#2: left out"), std::string::npos) << ended.err;
    expect_whole("gone.db");
  }
  EXPECT_TRUE(still_running(mark()).empty()) << "something is left running";
}

}  // namespace
}  // namespace tuner
