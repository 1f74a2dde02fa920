// This test is its own worker: started as `tune_test fake-worker` it serves a fake device. It is the process of a host
// reference as well.
#include <gtest/gtest.h>

#include <string>

#include "unit/measure/fake_device.h"
#include "worker/host_reference.h"
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
  if (argc == 3 && std::string(argv[1]) == "reference-child") return tuner::worker::reference_child_main(argv[2]);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
