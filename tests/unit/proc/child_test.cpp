#include "proc/child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>

#include "core/error.h"
#include "proc/io.h"

namespace tuner::proc {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Output shell(const std::string& script, const std::string& input = {}, milliseconds deadline = seconds(20),
             std::size_t limit = 64u << 20) {
  return run({"/bin/sh", "-c", script}, input, deadline, {}, limit);
}

// Running and not a zombie.
bool alive(int pid) {
  std::ifstream file(std::string("/proc/") + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return false;
  const auto after = line.rfind(')');
  return after != std::string::npos && after + 2 < line.size() && line[after + 2] != 'Z' && line[after + 2] != 'X';
}

bool gone_within(int pid, milliseconds time) {
  const auto until = Clock::now() + time;
  while (alive(pid)) {
    if (Clock::now() > until) return false;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return true;
}

TEST(Run, PassesInputAndSeparatesStreams) {
  const auto output = shell("cat; echo problem >&2; exit 3", "hello");
  EXPECT_EQ(output.out, "hello");
  EXPECT_EQ(output.err, "problem\n");
  EXPECT_TRUE(output.status.exited);
  EXPECT_EQ(output.status.code, 3);
  EXPECT_EQ(output.status.text(), "exit 3");
  EXPECT_FALSE(output.timed_out);
}

TEST(Run, MovesMegabytesBothWaysAtOnce) {
  const std::string input(5u << 20, 'x');
  EXPECT_EQ(shell("cat", input).out, input);
}

TEST(Run, CutsOutputAtTheLimitButReadsOn) {
  const auto output = shell("head -c 3000000 /dev/zero; echo end >&2", {}, seconds(20), 1000);
  EXPECT_EQ(output.out.size(), 1000u);
  EXPECT_EQ(output.err, "end\n");
  EXPECT_EQ(output.status.code, 0);
}

TEST(Run, SurvivesAChildThatDoesNotReadItsInput) {
  const auto output = shell("exec <&-; exit 0", std::string(1u << 20, 'x'));
  EXPECT_EQ(output.status.text(), "exit 0");
}

TEST(Run, NamesTheSignal) {
  const auto output = shell("kill -SEGV $$");
  EXPECT_FALSE(output.status.exited);
  EXPECT_EQ(output.status.signal, SIGSEGV);
  EXPECT_EQ(output.status.text(), "signal 11 (segmentation fault)");
  EXPECT_FALSE(output.status.killed_by_us);
}

TEST(Run, KillsAHangAtItsDeadlineAndKeepsWhatItSaid) {
  const auto start = Clock::now();
  const auto output = shell("trap '' TERM INT; echo begun; while :; do sleep 1; done", {}, milliseconds(300));
  EXPECT_TRUE(output.timed_out);
  EXPECT_EQ(output.out, "begun\n");
  EXPECT_EQ(output.status.text(), "killed at its deadline");
  EXPECT_GE(Clock::now() - start, milliseconds(300));
  EXPECT_LT(Clock::now() - start, seconds(5));
}

TEST(Run, KillsGrandchildrenWithTheGroup) {
  const auto output = shell("sleep 600 & echo $!; wait", {}, milliseconds(300));
  ASSERT_TRUE(output.timed_out);
  EXPECT_TRUE(gone_within(std::stoi(output.out), seconds(5)));
}

TEST(Run, EndsWithTheChildThoughAGrandchildHoldsThePipes) {
  const auto start = Clock::now();
  const auto output = shell("sleep 600 & echo $!");
  EXPECT_EQ(output.status.text(), "exit 0");
  EXPECT_LT(Clock::now() - start, seconds(10));
  EXPECT_TRUE(gone_within(std::stoi(output.out), seconds(5)));
}

TEST(Run, AddsAndReplacesEnvironment) {
  ::setenv("TUNER_TEST_OLD", "old", 1);
  ::setenv("TUNER_TEST_OLDER", "older", 1);
  Child::Options options;
  options.environment = {"TUNER_TEST_OLD=new", "TUNER_TEST_ADDED=added"};
  const auto output =
      run({"/bin/sh", "-c", "echo $TUNER_TEST_OLD $TUNER_TEST_ADDED $TUNER_TEST_OLDER"}, {}, seconds(20), options);
  EXPECT_EQ(output.out, "new added older\n");
}

TEST(Run, FindsProgramsInPath) { EXPECT_EQ(run({"echo", "found"}, {}, seconds(20), {}).out, "found\n"); }

TEST(Run, SaysWhatCannotBeStarted) {
  const auto message = [](const std::string& program) {
    try {
      run({program}, {}, seconds(1), {});
    } catch (const MachineError& error) {
      return std::string(error.what());
    }
    return std::string("started");
  };
  EXPECT_EQ(message("no-such-program-here"), "cannot start 'no-such-program-here': not found in $PATH");
  EXPECT_EQ(message("/no/such/program"), "cannot start '/no/such/program': No such file or directory");
  EXPECT_EQ(message("/"), "cannot start '/': Permission denied");
}

TEST(Spawn, ChildStartsWithCleanSignalsAndDescriptors) {
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t set;
  sigset_t old;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, &old);
  const int leaked = ::open("/dev/null", O_RDONLY);  // no O_CLOEXEC
  const auto output =
      run({"/bin/sh", "-c", "grep -E 'Sig(Blk|Ign)' /proc/self/status; ls /proc/$$/fd"}, {}, seconds(20), {});
  ::close(leaked);
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  EXPECT_NE(output.out.find("SigBlk:\t0000000000000000"), std::string::npos) << output.out;
  EXPECT_NE(output.out.find("SigIgn:\t0000000000000000"), std::string::npos) << output.out;
  EXPECT_EQ(output.out.find(std::string("\n") + std::to_string(leaked) + "\n"), std::string::npos) << output.out;
}

TEST(Child, WaitsNoLongerThanAsked) {
  auto child = Child::spawn({"sleep", "600"}, {});
  EXPECT_FALSE(child.wait_until(Clock::now() + milliseconds(30)));
  EXPECT_TRUE(alive(child.pid()));
  EXPECT_EQ(child.kill().text(), "killed at its deadline");
  EXPECT_EQ(child.kill().text(), "killed at its deadline");
  EXPECT_FALSE(alive(child.pid()));
}

TEST(Child, TellsAKillFromAFault) {
  for (const char* script : {"kill -KILL $$", "kill -TERM $$", "exit 137", "exit 143"})
    EXPECT_TRUE(shell(script).status.killed_by_others()) << script;
  for (const char* script : {"kill -SEGV $$", "kill -ABRT $$", "exit 1", "exit 139", "exit 255", "exit 0"})
    EXPECT_FALSE(shell(script).status.killed_by_others()) << script;
  EXPECT_FALSE(Child::spawn({"sleep", "600"}, {}).kill().killed_by_others()) << "we did";
}

TEST(Child, IsSeenToBeStopped) {
  const auto child = Child::spawn({"sleep", "600"}, {});
  EXPECT_FALSE(child.stopped());
  ::kill(child.pid(), SIGSTOP);
  const auto until = Clock::now() + seconds(20);
  while (!child.stopped() && Clock::now() < until) std::this_thread::sleep_for(milliseconds(5));
  EXPECT_TRUE(child.stopped());
}

TEST(Child, DiesWithItsObject) {
  int pid = 0;
  {
    const auto child = Child::spawn({"sleep", "600"}, {});
    pid = child.pid();
    EXPECT_TRUE(alive(pid));
  }
  EXPECT_FALSE(alive(pid));
}

TEST(Child, EndsWhenItsInputIsClosed) {
  auto child = Child::spawn({"cat"}, {});
  EXPECT_FALSE(child.wait_until(Clock::now() + milliseconds(30)));
  child.close_stdin();
  EXPECT_EQ(child.stdin_fd(), -1);
  const auto status = child.wait_until(Clock::now() + seconds(20));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->text(), "exit 0");
}

// As a launcher does whose work is elsewhere: killed, it would leave that behind.
TEST(Child, WithAGraceItIsAskedBeforeItIsKilled) {
  Child::Options options;
  options.grace = std::chrono::seconds(5);
  const auto how_it_ends = [&](const std::string& script) {
    Child child = Child::spawn({"/bin/sh", "-c", "echo up; " + script}, options);
    std::string up;
    wait_ready(child.stdout_fd(), POLLIN, Clock::now() + std::chrono::seconds(5));
    read_some(child.stdout_fd(), up, 10);
    const auto begin = Clock::now();
    const ExitStatus status = child.kill();
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(4)) << script;
    return status;
  };
  EXPECT_EQ(how_it_ends("read line; exit 3").code, 3) << "at the end of its input";
  EXPECT_EQ(how_it_ends("trap 'exit 4' TERM; sleep 60 & wait").code, 4);
  EXPECT_TRUE(how_it_ends("exec sleep 60").killed_by_us) << "it knows no better";
  options.grace = std::chrono::milliseconds(200);
  EXPECT_EQ(how_it_ends("trap '' TERM; sleep 60; sleep 60").signal, SIGKILL);
}

TEST(Child, DiesWhenItsParentIsKilled) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const int parent = ::fork();
  if (parent == 0) {
    Child::Options options;
    options.capture_stdout = options.capture_stderr = false;
    const auto child = Child::spawn({"sleep", "600"}, options);
    const int pid = child.pid();
    if (::write(ends[1], &pid, sizeof pid) != sizeof pid) ::_exit(1);
    for (;;) ::pause();
  }
  int pid = 0;
  ASSERT_EQ(::read(ends[0], &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
  EXPECT_TRUE(alive(pid));
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  EXPECT_TRUE(gone_within(pid, seconds(5)));
  ::kill(pid, SIGKILL);  // should it have survived
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace tuner::proc
