// What a worker does when its parent goes: over bare pipes, without the client.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "proc/child.h"
#include "proc/frames.h"
#include "unit/measure/fake_device.h"
#include "unit/measure/workloads.h"
#include "worker/protocol.h"
#include "worker/serve.h"

namespace tuner::worker {
namespace {

using Json = nlohmann::json;

proc::Clock::time_point in(int milliseconds) { return proc::Clock::now() + std::chrono::milliseconds(milliseconds); }

class Bare {
 public:
  Bare()
      : child(proc::Child::spawn({std::filesystem::read_symlink("/proc/self/exe").string(), "fake-worker", "plain"},
                                 {})) {
    proc::Frame first;
    EXPECT_EQ(proc::read_frame(child.stdout_fd(), first, in(10000)), proc::ReadResult::frame);
    EXPECT_EQ(Json::parse(first.header).at("protocol"), protocol_version);
  }
  void send(Json request, const std::string& payload = {}) {
    request.emplace("deadline_ms", 60000);
    ASSERT_TRUE(proc::write_frame(child.stdin_fd(), {request.dump(), payload}));
  }
  Json reply() {
    proc::Frame frame;
    EXPECT_EQ(proc::read_frame(child.stdout_fd(), frame, in(10000)), proc::ReadResult::frame);
    return Json::parse(frame.header);
  }
  void ready() {
    const Json artifact = Json::parse(to_json(fake_artifact("")));
    send({{"request", "hello"}, {"artifact", artifact}});
    EXPECT_TRUE(reply().at("ok"));
    send({{"request", "load_module"}, {"id", 1}, {"artifact", artifact}}, "gemv:deaf");
    reply();
    const Workload workload = gemv_workload(Type::f32, 4, 8);
    send({{"request", "load_workload"},
          {"id", 0},
          {"timed", false},
          {"ring", 1},
          {"generation", 0},
          {"workload", Json::parse(tuner::to_json(workload))}});
    reply();
    VerifyRequest request;
    request.module = 1;
    request.main.execution = gemv_execution(workload);
    send({{"request", "verify"}, {"candidate", Json::parse(to_json(request))}});
  }

  proc::Child child;
};

TEST(Orphan, IdleWorkerEndsCleanlyAtTheEndOfItsInput) {
  Bare bare;
  bare.child.close_stdin();
  const auto status = bare.child.wait_until(in(3000));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->text(), "exit 0");
}

TEST(Orphan, BusyWorkerLeavesWhateverTheDeviceDoes) {
  Bare bare;
  bare.ready();
  EXPECT_FALSE(bare.child.wait_until(in(200)));
  bare.child.close_stdin();
  const auto status = bare.child.wait_until(in(3000));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, exit_orphan);
}

TEST(Orphan, UnknownAndMalformedRequestsAreAnsweredOrEndTheWorker) {
  Bare bare;
  bare.send({{"request", "dance"}});
  const Json reply = bare.reply();
  EXPECT_EQ(reply.at("error").at("kind"), "user");
  bare.send({{"request", "load_workload"}, {"id", 0}});
  EXPECT_EQ(bare.reply().count("error"), 1u);
  bare.send({{"request", "hello"}});
  EXPECT_EQ(bare.reply().at("error").at("kind"), "other");
  ASSERT_TRUE(proc::write_frame(bare.child.stdin_fd(), {"[1, 2", {}}));
  const auto status = bare.child.wait_until(in(3000));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, exit_usage);
}

TEST(Orphan, ByeEndsCleanly) {
  Bare bare;
  bare.send({{"request", "bye"}});
  EXPECT_TRUE(bare.reply().at("ok"));
  const auto status = bare.child.wait_until(in(3000));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->text(), "exit 0");
}

}  // namespace
}  // namespace tuner::worker
