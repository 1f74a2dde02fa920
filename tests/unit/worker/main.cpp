// This test is its own worker: started as `worker_test fake-worker SCENARIO` it serves a fake device.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <thread>

#include "core/error.h"
#include "proc/frames.h"
#include "unit/measure/fake_device.h"
#include "worker/serve.h"
#include "worker/server.h"

namespace {

tuner::worker::DeviceSource fake_source(const std::string& scenario) {
  if (scenario == "no-driver") throw tuner::MachineError("no driver", "libcuda.so.1", "install one");
  tuner::worker::DeviceSource source;
  source.facts.name = "Fake GPU";
  source.emulated = scenario == "host";
  source.open = [scenario](const tuner::Artifact& support) -> std::unique_ptr<tuner::device::Device> {
    if (support.image == "bad support") throw tuner::MachineError("the context could not be made");
    std::printf("chatter on stdout\n");  // must not reach the stream
    std::fflush(stdout);
    return std::make_unique<tuner::FakeDevice>(scenario == "host");
  };
  return source;
}

// Comes up and is told to open its device; what it hears afterwards it never answers.
int deaf_worker() {
  using namespace tuner;
  const std::string facts = to_json(FakeDevice().facts());
  const std::string protocol = std::to_string(worker::protocol_version);
  proc::write_frame(
      1, {"{\"protocol\":" + protocol + ",\"build\":\"" TUNER_VERSION "\",\"emulated\":false,\"facts\":" + facts + "}",
          {}});
  proc::Frame frame;
  proc::read_frame(0, frame, {});
  proc::write_frame(1, {"{\"ok\":true,\"emulated\":false,\"facts\":" + facts + "}", {}});
  std::this_thread::sleep_for(std::chrono::hours(1));
  return 0;
}

int fake_worker(const std::string& scenario) {
  if (scenario == "banner") std::printf("Welcome to cluster node 7\nlast login: never\n"), std::fflush(stdout);
  if (scenario == "silent") std::this_thread::sleep_for(std::chrono::hours(1));
  if (scenario == "dies") {
    std::fprintf(stderr, "cannot open the display\n");
    return 9;
  }
  if (scenario == "noisy") {
    const std::string line(1 << 20, 'n');  // far more than a pipe holds
    std::fprintf(stderr, "%s\n", line.c_str());
  }
  if (scenario == "deaf") return deaf_worker();
  return tuner::worker::serve_device("fake", [&] { return fake_source(scenario); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "fake-worker") return fake_worker(argv[2]);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
