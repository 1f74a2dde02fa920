#include "worker/client.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <thread>

#include "core/error.h"
#include "unit/measure/fake_device.h"
#include "unit/measure/workloads.h"

namespace tuner::worker {
namespace {

Client start(const std::string& scenario = "plain") {
  Options options;
  options.command = {std::filesystem::read_symlink("/proc/self/exe").string(), "fake-worker", scenario};
  return Client::start(options);
}

// A worker with workload 0 ready.
struct Ready {
  explicit Ready(const std::string& scenario = "plain") : client(start(scenario)) {
    client.hello(fake_artifact("support"));
    client.load_workload(0, workload, true);
  }

  VerifyRequest request(int module, const std::string& image) {
    client.load_module(module, fake_artifact(image));
    VerifyRequest request;
    request.module = module;
    request.main = {0, gemv_execution(workload), 0, true};
    return request;
  }
  Verdict verify(int module, const std::string& image) { return client.verify(request(module, image)); }
  Recorded record(int id, bool needs_verdict = true) {
    Member member;
    member.id = member.module = id;
    member.execution = gemv_execution(workload);
    member.needs_verdict = needs_verdict;
    return client.load_member(member);
  }

  Workload workload = gemv_workload(Type::f32, 16, 64);
  Client client;
};

using How = WorkerLost::How;

template <class Call>
std::string lost_by(Call call, How how) {
  try {
    call();
  } catch (const WorkerLost& lost) {
    EXPECT_EQ(lost.timed_out(), how == How::timed_out) << lost.what();
    EXPECT_EQ(lost.by_others(), how == How::by_others) << lost.what();
    return lost.what();
  }
  ADD_FAILURE() << "the worker was not lost";
  return {};
}

template <class Call>
std::string machine_error_of(Call call) {
  try {
    call();
  } catch (const MachineError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no MachineError";
  return {};
}

TEST(Client, FactsComeBeforeHelloAndChatterStaysOutOfTheStream) {
  Client client = start();
  EXPECT_EQ(client.gpu().name, "Fake GPU");
  EXPECT_EQ(client.gpu().arch, 0);
  EXPECT_FALSE(client.emulated());
  client.hello(fake_artifact("support"));
  EXPECT_EQ(client.gpu().arch, 90);
  EXPECT_EQ(client.conditions().sm_clock_mhz, 1234);
  client.bye();
  EXPECT_FALSE(client.alive());
}

TEST(Client, VerifiesRecordsAndRuns) {
  Ready ready;
  EXPECT_TRUE(ready.verify(1, "gemv:@10").ok());
  EXPECT_TRUE(ready.verify(2, "gemv:@30").ok());
  const Recorded one = ready.record(1), two = ready.record(2);
  EXPECT_EQ(one.problem, "");
  EXPECT_GE(one.launches * 10, 250);
  EXPECT_NEAR(two.first_us, 30, 2);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto us = ready.client.round({2, 1}, seed);
    ASSERT_EQ(us.size(), 2u);
    EXPECT_NEAR(us[0], 30, 2);
    EXPECT_NEAR(us[1], 10, 1);
  }
  EXPECT_TRUE(ready.client.check_timed(1, 0).ok());
  ready.client.unload_member(1);
  EXPECT_THROW(ready.client.round({1}, 1), UserError);
  EXPECT_TRUE(ready.client.alive());
}

TEST(Client, OnlyCleanCandidatesAreTimed) {
  Ready ready;
  EXPECT_EQ(ready.verify(1, "gemv:drop_last").reason, Reason::wrong_result);
  EXPECT_EQ(ready.record(1).problem, "not verified in this worker");
  EXPECT_EQ(ready.record(1, false).problem, "");  // a probe
  EXPECT_TRUE(ready.verify(2, "gemv").ok());
  EXPECT_EQ(ready.record(2).problem, "");
  ready.client.load_module(2, fake_artifact("gemv:wrong_timed"));  // another kernel under the same id
  EXPECT_THROW(ready.client.round({2}, 1), UserError);
  EXPECT_EQ(ready.record(2).problem, "not verified in this worker");
}

TEST(Client, TimedOutputsAreChecked) {
  Ready ready;
  EXPECT_TRUE(ready.verify(1, "gemv:wrong_timed").ok());
  ready.record(1);
  EXPECT_EQ(ready.client.check_timed(1, 0).reason, Reason::wrong_result);
}

TEST(Client, AwkwardCasesTravel) {
  Ready ready;
  const Workload tail = gemv_workload(Type::f32, 3, 67);
  ready.client.load_workload(1, tail, false);
  VerifyRequest request = ready.request(1, "gemv:only_whole_vectors");
  request.awkward = {{1, gemv_execution(tail), 0, true}};
  const Verdict verdict = ready.client.verify(request);
  EXPECT_TRUE(verdict.ok());
  EXPECT_TRUE(verdict.exact_only);
  EXPECT_EQ(verdict.detail.substr(0, 8), "at 3x67:") << verdict.detail;
}

TEST(Client, VendorIsRecordedOrSaysWhyNot) {
  Ready ready;
  Member vendor;
  vendor.id = 9;
  EXPECT_EQ(ready.client.load_member(vendor).problem, "");
  vendor.id = 10;
  vendor.vendor_order = 1;
  EXPECT_EQ(ready.client.load_member(vendor).problem, "no vendor library here");
  EXPECT_NEAR(ready.client.round({9}, 1).front(), 12.5, 1);
}

TEST(Client, EmulatedDevicesHaveVerdictsAndNoTimes) {
  Ready ready("host");
  EXPECT_TRUE(ready.client.emulated());
  EXPECT_TRUE(ready.verify(1, "gemv").ok());
  EXPECT_EQ(ready.verify(2, "gemv:no_barrier").reason, Reason::missing_barrier);
  EXPECT_EQ(ready.record(1).problem, "this device has no times");
}

TEST(Client, RefusedModulesAndWorkloadsLeaveTheWorkerAlive) {
  Ready ready;
  try {
    ready.client.load_module(1, fake_artifact("broken"));
    FAIL();
  } catch (const Error&) {
    FAIL() << "a candidate's fault, not the machine's";
  } catch (const std::runtime_error& refused) {
    EXPECT_STREQ(refused.what(), "the image does not load");
  }
  EXPECT_EQ(machine_error_of([&] { ready.client.load_workload(1, gemv_workload(Type::f32, 1 << 14, 1 << 14), false); }),
            "out of device memory");
  EXPECT_TRUE(ready.verify(1, "gemv").ok());
}

TEST(Client, ArtifactsTravelWhole) {
  Artifact artifact = fake_artifact(std::string("\0\xff{\"", 4));
  artifact.log = "\xff";
  artifact.kernels.push_back({"gemv<1>", "_Z4gemvILi1EEvv", 32, 1024, 8, 256, {8, 8, 4}});
  Client client = start();
  client.hello(artifact);
  EXPECT_TRUE(client.alive());
}

TEST(Client, HungKernelIsATimeoutVerdictThenTheWorkerEnds) {
  Ready ready;
  VerifyRequest request = ready.request(1, "gemv:hang");
  request.deadline = std::chrono::milliseconds(300);
  const Verdict verdict = ready.client.verify(request);
  EXPECT_EQ(verdict.reason, Reason::timeout);
  EXPECT_FALSE(ready.client.alive());
  EXPECT_EQ(lost_by([&] { ready.client.conditions(); }, How::ended), "the worker has already ended");
}

TEST(Client, DeafDeviceIsEndedByTheWorkersOwnWatchdog) {
  Ready ready;
  VerifyRequest request = ready.request(1, "gemv:deaf");
  request.deadline = std::chrono::milliseconds(200);
  const auto start_time = std::chrono::steady_clock::now();
  EXPECT_EQ(lost_by([&] { ready.client.verify(request); }, How::timed_out),
            "no answer to verify within 200 ms; it printed: chatter on stdout");
  EXPECT_LT(std::chrono::steady_clock::now() - start_time, std::chrono::milliseconds(1500));
  EXPECT_FALSE(ready.client.alive());
}

TEST(Client, StoppedWorkerIsKilledByTheParent) {
  Ready ready;
  VerifyRequest request = ready.request(1, "gemv");
  request.deadline = std::chrono::milliseconds(100);
  ASSERT_EQ(::kill(ready.client.pid(), SIGSTOP), 0);
  const int pid = ready.client.pid();
  EXPECT_EQ(
      lost_by([&] { ready.client.verify(request); }, How::by_others).find("somebody stopped the worker during verify"),
      0U);
  EXPECT_NE(::kill(pid, 0), 0);  // reaped
}

TEST(Client, FaultIsAVerdictAndDeathIsALoss) {
  {
    Ready ready;
    const Verdict verdict = ready.verify(1, "gemv:trap");
    EXPECT_EQ(verdict.reason, Reason::fault);
    EXPECT_EQ(verdict.detail, "an illegal address was read");
    EXPECT_FALSE(ready.client.alive());
  }
  Ready crashing;
  const std::string crash = lost_by([&] { crashing.verify(1, "gemv:crash"); }, How::ended);
  EXPECT_EQ(crash.find("the worker ended during verify: signal 6"), 0u) << crash;
  Ready leaving;
  const std::string exit = lost_by([&] { leaving.verify(1, "gemv:exit"); }, How::ended);
  EXPECT_EQ(exit.find("the worker ended during verify: exit 3"), 0u) << exit;
}

TEST(Client, RoundThatFailsIsALoss) {
  {
    Ready ready;
    ready.client.load_module(1, fake_artifact("gemv:dies_timed"));
    lost_by([&] { ready.record(1, false); }, How::ended);
  }
  Ready ready;
  ready.client.load_module(1, fake_artifact("gemv:lost_timed"));
  EXPECT_EQ(lost_by([&] { ready.record(1, false); }, How::ended),
            "the device was lost during load_member: an illegal address was read");
}

TEST(Client, KilledWorkerIsALoss) {
  Ready ready;
  ::kill(ready.client.pid(), SIGKILL);
  const std::string text = lost_by([&] { ready.verify(1, "gemv"); }, How::by_others);
  EXPECT_NE(text.find("signal 9"), std::string::npos) << text;
}

TEST(Client, AnEndIsSeenAlthoughOthersHoldTheOutputOpen) {
  Options options;
  options.command = {
      "/bin/sh",     "-c",   "sleep 600 & exec \"$0\" \"$@\"", std::filesystem::read_symlink("/proc/self/exe").string(),
      "fake-worker", "plain"};
  Client client = Client::start(options);
  const auto begin = std::chrono::steady_clock::now();
  ::kill(client.pid(), SIGKILL);
  lost_by([&] { client.hello(fake_artifact("support")); }, How::by_others);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(Client, WhatComesInsteadOfAWorkerIsQuoted) {
  const std::string death = machine_error_of([] { start("dies"); });
  EXPECT_NE(death.find("exit 9"), std::string::npos) << death;
  EXPECT_NE(death.find("cannot open the display"), std::string::npos) << death;
  EXPECT_EQ(machine_error_of([] { start("no-driver"); }), "no driver");
  EXPECT_EQ(machine_error_of([] { start().hello(fake_artifact("bad support")); }), "the context could not be made");
  Options cat;
  cat.command = {"/bin/echo", "hello"};
  EXPECT_NE(machine_error_of([&] { Client::start(cat); }).find("\"hello\""), std::string::npos);
  cat.command = {"/nonexistent/tuner", "worker"};
  EXPECT_THROW(Client::start(cat), MachineError);
}

TEST(Client, ABannerInFrontOfTheFirstFrameIsSkipped) {
  Client client = start("banner");
  client.hello(fake_artifact("support"));
  EXPECT_EQ(client.gpu().arch, 90);
}

TEST(Client, WhatNeverAnswersIsEndedAfterItsDeadline) {
  Options options;
  options.command = {"/bin/sh", "-c", "echo queued; sleep 600 & sleep 600", "sh"};
  options.start_deadline = std::chrono::milliseconds(300);
  options.launched = true;
  const auto begin = std::chrono::steady_clock::now();
  try {
    Client::start(options);
    FAIL() << "nothing had started";
  } catch (const MachineError& error) {
    const std::string what = error.what(), hint = error.hint();
    EXPECT_NE(what.find("did not start within 0.3 s"), std::string::npos) << what;
    EXPECT_NE(what.find("\"queued\""), std::string::npos) << what;
    EXPECT_NE(error.where().find("/bin/sh -c"), std::string::npos) << error.where();
    EXPECT_NE(hint.find("--wait"), std::string::npos) << hint;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

// A node that is gone says nothing, and neither does a network: no candidate is late for that.
TEST(Client, SilenceBehindALauncherIsNoTimeOut) {
  const auto lost_in = [](bool launched) {
    Options options;
    // Its worker is halted where nobody sees it: the group that is watched goes on.
    options.command = {
        "/bin/sh",     "-c",  "\"$@\" & wait", "sh", std::filesystem::read_symlink("/proc/self/exe").string(),
        "fake-worker", "deaf"};
    options.launched = launched;
    Client client = Client::start(options);
    client.hello(fake_artifact("support"));
    VerifyRequest request;
    request.deadline = std::chrono::milliseconds(200);
    return lost_by([&] { client.verify(request); }, launched ? How::ended : How::timed_out);
  };
  EXPECT_NE(lost_in(true).find("nothing was heard"), std::string::npos);
  EXPECT_NE(lost_in(false).find("no answer to verify within 200 ms"), std::string::npos);
}

TEST(Client, NoisyWorkerDoesNotFillItsPipe) {
  Client client = start("noisy");
  client.hello(fake_artifact("support"));
  EXPECT_TRUE(client.alive());
}

TEST(Client, RequestsOutOfOrderAreRefused) {
  Client client = start();
  EXPECT_THROW(client.unload_module(3), UserError);
  client.hello(fake_artifact("support"));
  VerifyRequest request;
  request.module = 77;
  EXPECT_THROW(client.verify(request), UserError);
  EXPECT_TRUE(client.alive());
}

}  // namespace
}  // namespace tuner::worker
