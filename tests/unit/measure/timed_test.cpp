#include "measure/timed.h"

#include <gtest/gtest.h>

#include <set>

#include "unit/measure/fake_device.h"
#include "unit/measure/workloads.h"

namespace tuner::measure {
namespace {

constexpr std::int64_t mb = 1 << 20;

device::Clock::time_point soon() { return device::Clock::now() + std::chrono::seconds(20); }

TEST(Rotation, CopiesCoverThreeCachesAndFitAQuarterOfMemory) {
  EXPECT_EQ(rotation_copies(32 * mb, 0, 60 * mb, 100000 * mb), 8);    // 256 MB
  EXPECT_EQ(rotation_copies(32 * mb, 0, 100 * mb, 100000 * mb), 10);  // three caches
  EXPECT_EQ(rotation_copies(1000 * mb, 0, 60 * mb, 100000 * mb), 2);  // never the same twice in a row
  EXPECT_EQ(rotation_copies(1000 * mb, 0, 60 * mb, 7000 * mb), 1);
  EXPECT_EQ(rotation_copies(32 * mb, 32 * mb, 60 * mb, 1024 * mb), 4);              // outputs count
  EXPECT_EQ(rotation_copies(1000 * mb, 0, 60 * mb, 100000 * mb, 1, 32.0 * mb), 8);  // a launch reads a part of them
  EXPECT_EQ(rotation_copies(32 * mb, 0, 60 * mb, 100000 * mb, 1, 64.0 * mb), 8);    // or something twice
  EXPECT_EQ(rotation_copies(0, 32 * mb, 60 * mb, 100000 * mb), 8);  // nothing is cold: results still are
  EXPECT_EQ(rotation_copies(1024, 0, 60 * mb, 100000 * mb), 512);
  EXPECT_EQ(rotation_copies(32 * mb, 0, 60 * mb, 100000 * mb, 2), 16);
}

TEST(Timed, LaunchesAreWholeRingsOfAtLeast250Microseconds) {
  EXPECT_EQ(launches_for(10, 8), 56);
  EXPECT_EQ(launches_for(3.9, 31), 155);
  EXPECT_EQ(launches_for(0.1, 3), 510);  // the cap, in whole rings
  EXPECT_EQ(launches_for(90, 8), 8);
  EXPECT_EQ(launches_for(230, 2), 4);
  EXPECT_EQ(launches_for(230, 1), 4);
  EXPECT_EQ(launches_for(230, 3), 6);
  EXPECT_EQ(launches_for(400, 31), 31);
  EXPECT_EQ(launches_for(1500, 31), 1);
  EXPECT_EQ(launches_for(0, 4), 512);
}

// What computes for long on few bytes need not touch every copy.
TEST(Timed, ManyCopiesOfLittleAreNotAllLaunchedOnWhereTheirColdnessHardlyShows) {
  EXPECT_EQ(launches_for(410, 512), 512);
  EXPECT_EQ(launches_for(410, 512, 60), 4);
  EXPECT_EQ(launches_for(20, 512, 60), 512);  // 10 ms a round, and 60 us of it to fetch the copies
  EXPECT_EQ(launches_for(30, 512, 60), 17);
  EXPECT_EQ(launches_for(230, 3, 60), 6);
  EXPECT_EQ(launches_for(1500, 512, 60), 1);
}

TEST(Timed, LaunchesRotateWeightsAndOutputsAndKeepActivations) {
  FakeDevice device;
  device.set_free_bytes(4 * 17 * 2 * mb);
  const Workload w = gemv_workload(Type::f32, 64, 8192);  // 2 MB
  Prepared prepared(device, w, {true, 1});
  ASSERT_EQ(prepared.copies(), 16);
  const Execution execution = gemv_execution(w);
  const TimedGraph timed =
      record_kernel(device, prepared, device.load(fake_artifact("gemv:@40")), execution, 0, soon());
  ASSERT_EQ(timed.problem, "");
  EXPECT_EQ(timed.launches, 16);
  EXPECT_NEAR(timed.first_us, 40, 2);
  std::set<device::Address> a, x, y;
  for (const device::Timed& launch : device.launches(timed.graph)) {
    a.insert(launch.bindings[0]);
    x.insert(launch.bindings[1]);
    y.insert(launch.bindings[2]);
    EXPECT_EQ(device.checksum(launch.bindings[0], w.arguments[0].bytes()),
              device.checksum(prepared.copy_of("A", 0), w.arguments[0].bytes()));
  }
  EXPECT_EQ(a.size(), 16u);
  EXPECT_EQ(x.size(), 1u);
  EXPECT_EQ(y.size(), 16u);
}

TEST(Timed, RecordsAgainWhenTheRoughTimeWasFarOff) {
  FakeDevice device;
  const Workload w = gemv_workload(Type::f32, 64, 256);
  device.set_free_bytes(4 * 2 * w.arguments[0].bytes() + 20 * mb);
  Prepared prepared(device, w, {true, 1});
  const Execution execution = gemv_execution(w);
  const auto module = device.load(fake_artifact("gemv:@5"));
  const TimedGraph timed = record_kernel(device, prepared, module, execution, 90, soon());
  EXPECT_GE(timed.launches * 5, 230);
  EXPECT_EQ(device.graphs(), 1u);
}

TEST(Timed, OutputsOfTheTimedLaunchesAreChecked) {
  FakeDevice device;
  const Workload w = gemv_workload(Type::f32, 64, 256);
  Prepared prepared(device, w, {true, 1});
  const Execution execution = gemv_execution(w);
  const auto check = [&](const std::string& fault) {
    const TimedGraph timed =
        record_kernel(device, prepared, device.load(fake_artifact("gemv:" + fault)), execution, 20, soon());
    return check_timed(device, prepared, timed, 0, soon()).value();
  };
  EXPECT_TRUE(check("").ok());
  const Verdict wrong = check("wrong_timed");
  EXPECT_EQ(wrong.reason, Reason::wrong_result);
  EXPECT_EQ(wrong.detail.substr(0, 24), "of timed copy 0: y[0] is");
  EXPECT_EQ(check("unwritten").reason, Reason::not_finite);
}

TEST(Timed, LargeOutputsAreCheckedWhereTheyLie) {
  FakeDevice device;
  const Workload w = gemv_workload(Type::f32, (1 << 18) + 3, 4);
  Prepared prepared(device, w, {true, 1});
  const Execution execution = gemv_execution(w);
  const auto check = [&](const std::string& fault) {
    const TimedGraph timed =
        record_kernel(device, prepared, device.load(fake_artifact("gemv:" + fault + "@2000")), execution, 2000, soon());
    return check_timed(device, prepared, timed, 0, soon()).value();
  };
  const std::int64_t before = device.downloaded_bytes();
  const Verdict right = check("");
  EXPECT_TRUE(right.ok());
  EXPECT_GT(right.max_err_over_bound, 0);
  EXPECT_EQ(device.downloaded_bytes(), before);
  EXPECT_EQ(check("last_row").detail.substr(0, 29), "of timed copy 0: y[262146] is");
}

TEST(Timed, LargeOutputsThatMustBeExactHaveAChecksum) {
  FakeDevice device;
  Workload w = gemv_workload(Type::f32, (1 << 18) + 3, 1);
  w.reference.bound.kind = ErrorBound::Kind::exact;
  Prepared prepared(device, w, {true, 1});
  const Execution execution = gemv_execution(w);
  const auto check = [&](const std::string& fault) {
    const TimedGraph timed =
        record_kernel(device, prepared, device.load(fake_artifact("gemv:" + fault + "@2000")), execution, 2000, soon());
    return check_timed(device, prepared, timed, 0, soon()).value();
  };
  const std::int64_t before = device.downloaded_bytes();
  EXPECT_TRUE(check("").ok());
  EXPECT_EQ(device.downloaded_bytes(), before);
  EXPECT_EQ(check("last_row").detail.substr(0, 29), "of timed copy 0: y[262146] is");
}

TEST(Timed, VendorIsRecordedOnTheSameCopiesOrSaysWhyNot) {
  FakeDevice device;
  const Workload w = gemv_workload(Type::f32, 64, 256);
  Prepared prepared(device, w, {true, 1});
  const TimedGraph timed = record_vendor(device, prepared, 0, soon());
  EXPECT_EQ(timed.problem, "");
  EXPECT_NEAR(timed.first_us, 12.5, 1);
  EXPECT_EQ(record_vendor(device, prepared, 1, soon()).problem, "no vendor library here");
  Prepared untimed(device, w, {});
  EXPECT_EQ(record_vendor(device, untimed, 0, soon()).problem, "the workload was not prepared for timing");
}

TEST(Timed, ShortestTimeFollowsTheNominalClock) {
  GpuFacts gpu;
  EXPECT_EQ(shortest_us(1e6, gpu), 0);
  gpu.memory_clock_khz = 3201000;
  gpu.memory_bus_bits = 6144;
  EXPECT_NEAR(shortest_us(4.9167e6, gpu), 1, 0.001);  // 4917 GB/s
}

}  // namespace
}  // namespace tuner::measure
