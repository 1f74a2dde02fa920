#include <numeric>

#include "core/error.h"
#include "cuda_device_fixture.h"

namespace tuner::device {
namespace {

TEST_F(CudaDeviceTest, OpensOneStreamThatOthersDoNotBlock) {
  fake().calls.clear();
  const auto second = open();
  EXPECT_EQ(calls(),
            "context flags 0x10, stream 0x1, load tuner_fill, load tuner_checksum, load tuner_first_not, load "
            "tuner_compare, load tuner_widen, load tuner_leave, load tuner_feed");
}

TEST_F(CudaDeviceTest, RunsStepsInOrderWithArgumentsAsTheKernelTakesThem) {
  const RunResult result = run();
  EXPECT_EQ(result.reason, Reason::none) << result.detail;
  EXPECT_FALSE(result.device_lost);
  EXPECT_DOUBLE_EQ(result.us, 500);
  EXPECT_EQ(calls(), "record, memset 0x00 x64, launch k, record");
  ASSERT_EQ(fake().launches.size(), 1u);
  const FakeLaunch& launch = fake().launches[0];
  EXPECT_EQ(launch.grid[0], 3u);
  EXPECT_EQ(launch.grid[1], 2u);
  EXPECT_EQ(launch.block[0], 128u);
  EXPECT_EQ(launch.arguments, (std::vector<std::uint64_t>{0xA000, y_, 0xfffffffbu, 0x4000u}));
}

TEST_F(CudaDeviceTest, ArgumentsThatDoNotFitTheKernelAreNotLaunched) {
  execution_.arguments.pop_back();
  Timed short_one{module_, &execution_, {0xA000, y_, 0}};
  RunResult result = device_->run(short_one, {}, Clock::now() + milliseconds(20));
  EXPECT_EQ(result.reason, Reason::launch_error);
  EXPECT_EQ(result.detail, "the kernel takes 4 arguments, the manifest gives 3");
  execution_ = two_steps();
  execution_.arguments[2].type = Type::i64;
  result = run();
  EXPECT_EQ(result.detail, "argument M is 4 bytes in the kernel and 8 in the manifest");
  EXPECT_TRUE(fake().launches.empty());
}

TEST_F(CudaDeviceTest, FaultIsNamedAndEndsTheDevice) {
  fake().stream_result = 700;
  const RunResult result = run();
  EXPECT_EQ(result.reason, Reason::fault);
  EXPECT_EQ(result.detail, "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)");
  EXPECT_TRUE(result.device_lost);
  fake().calls.clear();
  device_.reset();
  EXPECT_EQ(calls(), "") << "it touched a context that is gone";
}

TEST_F(CudaDeviceTest, KernelThatDoesNotEndIsLeftAtItsDeadline) {
  fake().stream_result = 600;
  const auto start = Clock::now();
  const RunResult result = run();
  const auto waited = Clock::now() - start;
  EXPECT_EQ(result.reason, Reason::timeout);
  EXPECT_TRUE(result.device_lost);
  EXPECT_NE(result.detail.find("still running after"), std::string::npos) << result.detail;
  EXPECT_GE(waited, milliseconds(19));
  EXPECT_LT(waited, milliseconds(2000));
}

TEST_F(CudaDeviceTest, OnAGpuWithADisplayALaunchHasLessThanASecond) {
  ASSERT_TRUE(device_->facts().display);
  fake().stream_result = 600;
  const auto start = Clock::now();
  const RunResult result = device_->run(timed(), {}, start + std::chrono::seconds(20));
  EXPECT_EQ(result.reason, Reason::timeout);
  EXPECT_GE(Clock::now() - start, milliseconds(700));
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(10));
}

TEST_F(CudaDeviceTest, SlowKernelIsWaitedFor) {
  fake().queries_until_done = 40;
  EXPECT_EQ(run().reason, Reason::none);
  EXPECT_EQ(fake().queries_until_done, 0);
}

TEST_F(CudaDeviceTest, RefusedLaunchLeavesTheDeviceUsable) {
  fake().results["cuLaunchKernel"] = 701;
  const RunResult result = run();
  EXPECT_EQ(result.reason, Reason::launch_error);
  EXPECT_FALSE(result.device_lost);
  EXPECT_EQ(result.detail,
            "cannot launch k with grid (3, 2, 1), block (128, 1, 1) and 0 bytes of dynamic shared memory: "
            "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (a fake error)");
  fake().results.clear();
  EXPECT_EQ(run().reason, Reason::none);
}

TEST_F(CudaDeviceTest, StickyErrorOfALaunchIsAFault) {
  fake().results["cuLaunchKernel"] = 700;
  const RunResult result = run();
  EXPECT_EQ(result.reason, Reason::fault);
  EXPECT_TRUE(result.device_lost);
}

TEST_F(CudaDeviceTest, GridThatNoLaunchCanSayIsRefusedHere) {
  execution_.steps[1].grid.x = (std::int64_t{1} << 32) + 3;
  const RunResult result = run();
  EXPECT_EQ(result.reason, Reason::launch_error);
  EXPECT_TRUE(fake().launches.empty());
}

TEST_F(CudaDeviceTest, MuchSharedMemoryIsOptedIntoOnce) {
  execution_.steps[1].shared_bytes = 49152;
  run();
  EXPECT_EQ(calls().find("attribute"), std::string::npos);
  execution_.steps[1].shared_bytes = 100000;
  run();
  run();
  const std::string said = calls();
  EXPECT_NE(said.find("attribute 8 of k = 100000"), std::string::npos) << said;
  EXPECT_EQ(said.find("attribute", said.find("attribute") + 1), std::string::npos) << said;
  EXPECT_EQ(fake().launches.back().shared_bytes, 100000u);
  fake().results["cuFuncSetAttribute"] = 1;
  execution_.steps[1].shared_bytes = 300000;
  EXPECT_EQ(run().reason, Reason::launch_error);
}

TEST_F(CudaDeviceTest, GraphHoldsItsLaunchesBetweenItsOwnEvents) {
  const std::vector<Timed> launches{timed(), timed()};
  const GraphId graph = device_->record(launches, {});
  EXPECT_EQ(calls(), "begin 2, record 1, memset 0x00 x64, launch k, memset 0x00 x64, launch k, record 1, end, upload");
  fake().calls.clear();
  const GraphId other = device_->record(std::span(launches).first(1), {});
  fake().calls.clear();
  fake().elapsed_ms = {0.25f, 0.125f};
  const std::vector<GraphId> order{other, graph};
  const auto us = device_->replay(order, Clock::now() + milliseconds(100));
  EXPECT_EQ(calls(), "graph, graph");
  EXPECT_EQ(us, (std::vector<double>{250, 125}));
  device_->drop(graph);
  device_->drop(other);
  EXPECT_EQ(fake().live_graphs, 0);
  EXPECT_EQ(fake().live_events, 2) << "the device's own";
}

TEST_F(CudaDeviceTest, GraphThatCannotBeRecordedLeavesNothingBehind) {
  fake().results["cuLaunchKernel"] = 1;
  const std::vector<Timed> launches{timed()};
  EXPECT_THROW(device_->record(launches, {}), MachineError);
  EXPECT_NE(calls().find("end"), std::string::npos) << "the stream is still capturing";
  fake().results = {{"cuGraphInstantiate", 2}};
  EXPECT_THROW(device_->record(launches, {}), MachineError);
  EXPECT_EQ(fake().live_graphs, 0);
  EXPECT_EQ(fake().live_events, 2);
}

TEST_F(CudaDeviceTest, ReplayThatFaultsOrHangsThrowsWithItsReason) {
  const std::vector<Timed> launches{timed()};
  const std::vector<GraphId> graphs{device_->record(launches, {})};
  fake().stream_result = 600;
  try {
    device_->replay(graphs, Clock::now() + milliseconds(10));
    FAIL() << "it ended";
  } catch (const DeviceFault& fault) {
    EXPECT_EQ(fault.reason(), Reason::timeout);
    EXPECT_NE(std::string(fault.what()).find("1 graphs did not end within"), std::string::npos) << fault.what();
  }
  fake().stream_result = 719;
  try {
    device_->replay(graphs, Clock::now() + milliseconds(10));
    FAIL() << "it ended";
  } catch (const DeviceFault& fault) {
    EXPECT_EQ(fault.reason(), Reason::fault);
  }
}

TEST_F(CudaDeviceTest, BytesComeBackAsTheyWent) {
  std::vector<std::byte> there(64), back(64);
  for (std::size_t i = 0; i < there.size(); ++i) there[i] = static_cast<std::byte>(i);
  const Address other = device_->allocate(64);
  EXPECT_EQ(other % 256, 0u);
  device_->upload(y_, there);
  device_->copy(other, y_, 64);
  device_->set(other + 60, 0xAB, 4);
  device_->download(other, back);
  EXPECT_TRUE(std::equal(there.begin(), there.begin() + 60, back.begin()));
  EXPECT_EQ(back[60], std::byte{0xAB});
  device_->release(other);
  EXPECT_EQ(fake().live_buffers, 2);  // y and the device's own word
}

TEST_F(CudaDeviceTest, SupportKernelsGetWhatTheyTake) {
  fake().parameter_bytes = {8, 8, 8, 4, 4, 4, 4, 4};
  FillRequest request;
  request.type = Type::bf16;
  request.count = 1000;
  request.seed = 99;
  request.exact = true;
  request.magnitude = 3;
  device_->fill(y_, request);
  const FakeLaunch& fill = fake().launches.back();
  EXPECT_EQ(fill.entry, "tuner_fill");
  EXPECT_EQ(fill.arguments, (std::vector<std::uint64_t>{y_, 1000, 99, 3, 0xffffffffu, 3, 0xbf800000u, 0x3f800000u}));
  EXPECT_EQ(fill.grid[0], 4u);
  EXPECT_EQ(fill.block[0], 256u);

  fake().parameter_bytes = {8, 8, 8};
  EXPECT_EQ(device_->checksum(y_, 64), 0u) << "the word was not zeroed";
  EXPECT_EQ(fake().launches.back().entry, "tuner_checksum");
  fake().parameter_bytes = {8, 8, 4, 8};
  EXPECT_EQ(device_->first_not(y_, 0xFF, 64), -1) << "the word was not set";
  EXPECT_EQ(fake().launches.back().arguments[2], 0xFFu);

  fake().parameter_bytes = {8, 8, 4, 8, 8, 4, 8, 8, 8, 8};
  const Comparison comparison{Type::bf16, 24, y_, y_ + 64, y_ + 128, {true, 0.5, 0.25, 0.125}};
  const Compared compared = device_->compare(comparison);
  EXPECT_EQ(compared.outside, 0) << "the words were not zeroed";
  const FakeLaunch& compare = fake().launches.back();
  EXPECT_EQ(compare.entry, "tuner_compare");
  EXPECT_EQ(std::vector(compare.arguments.begin(), compare.arguments.end() - 1),
            (std::vector<std::uint64_t>{y_, 24, 3, y_ + 64, y_ + 128, 1, std::bit_cast<std::uint64_t>(0.5),
                                        std::bit_cast<std::uint64_t>(0.25), std::bit_cast<std::uint64_t>(0.125)}));

  fake().parameter_bytes = {8, 8, 8, 4, 4};
  device_->widen(y_ + 256, y_, Type::f16, 30, true);
  EXPECT_EQ(fake().launches.back().entry, "tuner_widen");
  EXPECT_EQ(fake().launches.back().arguments, (std::vector<std::uint64_t>{y_ + 256, y_, 30, 2, 1}));
}

TEST_F(CudaDeviceTest, WrongImagesAreNamed) {
  const auto message = [&](const Artifact& artifact) -> std::string {
    try {
      device_->load(artifact);
    } catch (const MachineError& error) {
      return error.what();
    }
    return "loaded";
  };
  Artifact lacking = image("k other", {});
  lacking.image = "k";
  const int before = fake().live_modules;
  EXPECT_EQ(message(lacking), "cannot find the kernel other in the module: CUDA_ERROR_NOT_FOUND (a fake error)");
  EXPECT_EQ(fake().live_modules, before);
  fake().results["cuModuleLoadData"] = 200;
  EXPECT_EQ(message(image("k", {})), "cannot load the module: CUDA_ERROR_INVALID_IMAGE (a fake error)");
}

TEST_F(CudaDeviceTest, OutOfMemorySaysHowMuch) {
  fake().results["cuMemAlloc"] = 2;
  try {
    device_->allocate(5000);
    FAIL() << "it allocated";
  } catch (const MachineError& error) {
    EXPECT_STREQ(error.what(), "out of GPU memory: 5000 bytes wanted, 1000 free");
  }
}

TEST_F(CudaDeviceTest, ConditionsNameWhatThrottles) {
  fake().clock_reasons = 0x4 | 0x40 | 0x1;
  const Conditions now = device_->conditions();
  EXPECT_EQ(now.sm_clock_mhz, 1980);
  EXPECT_EQ(now.memory_clock_mhz, 3201);
  EXPECT_EQ(now.temperature_c, 41);
  EXPECT_EQ(now.power_w, 123);
  EXPECT_EQ(now.throttle, "sw_power_cap,hw_thermal_slowdown");
  fake().clock_reasons = 0x1;
  EXPECT_EQ(device_->conditions().throttle, "");
}

TEST_F(CudaDeviceTest, VendorGemvIsWarmedUpThenRecorded) {
  Device::Gemv gemv;
  gemv.type = Type::bf16;
  gemv.out = Type::f32;
  gemv.rows = 100;
  gemv.columns = 40;
  gemv.row_stride = 48;
  gemv.x = 0x30;
  gemv.a = {0x10, 0x11};
  gemv.y = {0x20, 0x21};
  GraphId graph = -1;
  ASSERT_EQ(device_->record_vendor_gemv(gemv, graph), "");
  EXPECT_GE(graph, 0);
  EXPECT_EQ(calls(), "workspace 33554432, gemm, begin 2, record 1, gemm, gemm, record 1, end, upload");
  const FakeGemm left = fake().gemms.back();
  EXPECT_EQ(left.op_a, 1);
  EXPECT_EQ(std::vector({left.m, left.n, left.k}), (std::vector{100, 1, 40}));
  EXPECT_EQ(std::vector({left.lda, left.ldb, left.ldc}), (std::vector{48, 40, 100}));
  EXPECT_EQ(std::vector({left.a_type, left.b_type, left.c_type}), (std::vector{14, 14, 0}));
  EXPECT_EQ(left.compute_type, 68);
  EXPECT_EQ(std::vector({left.a, left.b, left.c}), (std::vector<std::uint64_t>{0x11, 0x30, 0x21}));

  gemv.order = 1;
  ASSERT_EQ(device_->record_vendor_gemv(gemv, graph), "");
  const FakeGemm right = fake().gemms.back();
  EXPECT_EQ(right.op_b, 0);
  EXPECT_EQ(std::vector({right.m, right.n, right.k}), (std::vector{1, 100, 40}));
  EXPECT_EQ(std::vector({right.lda, right.ldb, right.ldc}), (std::vector{40, 48, 1}));
  EXPECT_EQ(std::vector({right.a, right.b, right.c}), (std::vector<std::uint64_t>{0x30, 0x11, 0x21}));

  fake().cublas_status = 15;
  EXPECT_EQ(device_->record_vendor_gemv(gemv, graph), "cublasGemmEx: CUBLAS_STATUS_NOT_SUPPORTED");
  gemv.type = Type::f64;
  EXPECT_EQ(device_->record_vendor_gemv(gemv, graph), "cublasGemmEx has no f64 to f32");
}

}  // namespace
}  // namespace tuner::device
