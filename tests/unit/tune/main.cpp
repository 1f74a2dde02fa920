// This test is its own worker: started as `tune_test fake-worker` it serves a fake device.
#include <gtest/gtest.h>

#include <string>

#include "unit/measure/fake_device.h"
#include "worker/server.h"

namespace {

int fake_worker() {
  return tuner::worker::serve_device("fake", [] {
    tuner::worker::DeviceSource source;
    source.facts = tuner::FakeDevice().facts();
    source.open = [](const tuner::Artifact&) { return std::make_unique<tuner::FakeDevice>(); };
    return source;
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "fake-worker") return fake_worker();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
