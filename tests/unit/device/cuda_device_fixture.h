// A device on the fake driver with a module of one kernel.
#pragma once

#include <chrono>

#include "cuda_fixture.h"

namespace tuner::device {

using std::chrono::milliseconds;

// set y to 0, then k(A, y, M, scale).
inline Execution two_steps() {
  Execution execution;
  Argument a, y, m, scale;
  a.name = "A";
  y.name = "y";
  y.type = Type::f32;
  y.elements = 16;
  m.name = "M";
  m.is_buffer = false;
  m.type = Type::i32;
  m.value = -5;
  scale.name = "scale";
  scale.is_buffer = false;
  scale.type = Type::f16;
  scale.real = 2;
  execution.arguments = {a, y, m, scale};
  Step set, launch;
  set.kind = Step::Kind::memset;
  set.argument = "y";
  set.byte = 0;
  launch.entry = "k";
  launch.grid = {3, 2, 1};
  launch.block = {128, 1, 1};
  execution.steps = {set, launch};
  return execution;
}

class CudaDeviceTest : public CudaTest {
 protected:
  CudaDeviceTest() : device_(open()), y_(device_->allocate(64)) {
    module_ = device_->load(image("k", {8, 8, 4, 2}));
    fake().parameter_bytes = {8, 8, 4, 2};
    fake().calls.clear();
  }
  ~CudaDeviceTest() override {
    fake().stream_result = 0;
    device_.reset();
  }
  Timed timed() { return {module_, &execution_, {0xA000, y_, 0, 0}}; }
  RunResult run() { return device_->run(timed(), {}, Clock::now() + milliseconds(20)); }

  std::unique_ptr<Device> device_;
  Address y_;
  ModuleId module_ = -1;
  Execution execution_ = two_steps();
};

}  // namespace tuner::device
