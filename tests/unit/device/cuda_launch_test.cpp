// Launches that say more than grid and block: clusters, cooperative grids, __constant__ symbols.
#include "core/error.h"
#include "cuda_device_fixture.h"

namespace tuner::device {
namespace {

TEST_F(CudaDeviceTest, ClustersAndCooperativeGridsAreLaunchedAsSuch) {
  Step& launch = execution_.steps[1];
  launch.grid = {8, 2, 1};
  launch.cluster = {4, 2, 1};
  launch.shared_bytes = 200000;
  run();
  EXPECT_EQ(fake().launches.back().attributes, "cluster 4 2 1;");
  EXPECT_EQ(fake().launches.back().grid[0], 8u);
  EXPECT_EQ(fake().launches.back().block[0], 128u);
  EXPECT_EQ(fake().launches.back().shared_bytes, 200000u);
  EXPECT_EQ(fake().launches.back().arguments, (std::vector<std::uint64_t>{0xA000, y_, 0xfffffffbu, 0x4000u}));
  EXPECT_NE(calls().find("attribute 8 of k = 200000"), std::string::npos) << calls();
  EXPECT_EQ(calls().find("attribute 14"), std::string::npos) << "8 blocks are portable";
  launch.cooperative = true;
  run();
  EXPECT_EQ(fake().launches.back().attributes, "cluster 4 2 1;cooperative 1;");
  launch.cluster = {};
  run();
  EXPECT_EQ(fake().launches.back().attributes, "cooperative 1;");
  launch.cooperative = false;
  run();
  EXPECT_EQ(fake().launches.back().attributes, "") << "an ordinary launch";
}

TEST_F(CudaDeviceTest, LargeClustersAreOptedIntoOnce) {
  execution_.steps[1].grid = {16, 1, 1};
  execution_.steps[1].cluster = {16, 1, 1};
  run();
  run();
  const std::string said = calls();
  EXPECT_NE(said.find("attribute 14 of k = 1"), std::string::npos) << said;
  EXPECT_EQ(said.find("attribute", said.find("attribute") + 1), std::string::npos) << said;
  EXPECT_EQ(fake().launches.size(), 2u);
}

TEST_F(CudaDeviceTest, ARefusedClusterSaysWhatItWas) {
  execution_.steps[1].cluster = {2, 1, 1};
  execution_.steps[1].cooperative = true;
  fake().results["cuLaunchKernelEx"] = 701;
  EXPECT_EQ(
      run().detail,
      "cannot launch k with grid (3, 2, 1), block (128, 1, 1) and 0 bytes of dynamic shared memory, cluster (2, 1, "
      "1), cooperatively: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (a fake error)");
  fake().results = {{"cuFuncSetAttribute", 1}};
  execution_.steps[1].cluster = {16, 1, 1};
  EXPECT_EQ(run().detail, "cannot opt in to clusters of 16 blocks: CUDA_ERROR_INVALID_VALUE (a fake error)");
  execution_.steps[1].cluster = {0, 1, 1};
  EXPECT_NE(run().detail.find("outside what a launch can say"), std::string::npos);
  EXPECT_TRUE(fake().launches.empty());
}

std::vector<std::string> attributes_of(const std::vector<FakeLaunch>& launches) {
  std::vector<std::string> all;
  for (const FakeLaunch& launch : launches) all.push_back(launch.entry + " " + launch.attributes);
  return all;
}

TEST_F(CudaDeviceTest, DependentLaunchesOfAGraphOverlapTheOneBefore) {
  const std::vector<Timed> launches{timed(), timed(), timed()};
  execution_.steps.erase(execution_.steps.begin());  // the memset
  device_->record(launches, {});
  EXPECT_EQ(attributes_of(fake().launches), (std::vector<std::string>{"k ", "k ", "k "}));
  fake().launches.clear();
  execution_.dependent = true;
  device_->record(launches, {});
  EXPECT_EQ(attributes_of(fake().launches), (std::vector<std::string>{"k ", "k overlapping 1;", "k overlapping 1;"}))
      << "in front of the first there is no launch";
  fake().launches.clear();
  execution_.steps.push_back(execution_.steps.back());
  device_->record(std::span(launches).first(2), {});
  EXPECT_EQ(attributes_of(fake().launches), (std::vector<std::string>{"k ", "k ", "k overlapping 1;", "k "}))
      << "the second step of a kernel follows its first";
  fake().launches.clear();
  execution_.steps.back() = {};
  execution_.steps.back().kind = Step::Kind::memset;
  execution_.steps.back().argument = "y";
  device_->record(std::span(launches).first(2), {});
  EXPECT_EQ(attributes_of(fake().launches), (std::vector<std::string>{"k ", "k "})) << "a memset is no launch";
}

TEST_F(CudaDeviceTest, AChainWritesLateAndOverlaps) {
  execution_.steps.erase(execution_.steps.begin());
  execution_.dependent = true;
  Left poisoned;
  poisoned.to = y_;
  poisoned.bytes = 64;
  poisoned.byte = 0xff;
  Left fed;
  fed.to = y_ + 128;
  fed.from = y_;
  fed.bytes = 24;
  fed.fed_elements = 16;
  fed.type = Type::f16;
  fed.from_type = Type::f32;
  const std::vector<Link> links{{{poisoned}, timed()}, {{fed, poisoned}, timed()}};
  EXPECT_EQ(device_->run_chain(links, {}, Clock::now() + std::chrono::seconds(1)).reason, Reason::none);
  EXPECT_EQ(attributes_of(fake().launches),
            (std::vector<std::string>{"tuner_leave overlapping 1;", "k overlapping 1;", "tuner_feed overlapping 1;",
                                      "tuner_leave overlapping 1;", "k overlapping 1;"}));
  EXPECT_EQ(fake().launches[0].arguments, (std::vector<std::uint64_t>{y_, 0, 64, 0xff}));
  EXPECT_EQ(fake().launches[2].arguments, (std::vector<std::uint64_t>{y_ + 128, 12, 2, y_ & 0xffff})) << "f16 of f32";
  fake().results["cuLaunchKernelEx"] = 701;
  EXPECT_THROW(device_->run_chain(links, {}, Clock::now() + std::chrono::seconds(1)), MachineError);
}

class CudaSymbolTest : public CudaDeviceTest {
 protected:
  CudaSymbolTest() : filter_(device_->allocate(36)) {
    Artifact artifact = image("k", {8, 8, 4, 2});
    artifact.image = "k c_filter:64 other:8";
    module_ = device_->load(artifact);
    Argument filter;
    filter.name = "filter";
    filter.elements = 9;
    filter.symbol = "c_filter";
    execution_.arguments.push_back(filter);
    fake().calls.clear();
  }
  Timed timed(Address from) { return {module_, &execution_, {0xA000, y_, 0, 0, from}}; }
  RunResult run_it() { return device_->run(timed(filter_), {}, Clock::now() + milliseconds(20)); }
  Address filter_;
};

TEST_F(CudaSymbolTest, SymbolsAreSetBeforeARunAndAreNoArguments) {
  std::vector<std::byte> values(36, std::byte{0x5A});
  device_->upload(filter_, values);
  ASSERT_EQ(run_it().detail, "");
  EXPECT_EQ(calls(), "copy x36, record, memset 0x00 x64, launch k, record");
  EXPECT_EQ(fake().copied, std::string(36, 0x5A));
  EXPECT_EQ(fake().launches[0].arguments.size(), 4u);
}

TEST_F(CudaSymbolTest, InAGraphTheyAreSetOnceAndNotTimed) {
  const Address other = device_->allocate(36);
  const std::vector<Timed> launches{timed(filter_), timed(other)};
  device_->record(launches, {});
  EXPECT_EQ(calls(),
            "begin 2, copy x36, record 1, memset 0x00 x64, launch k, memset 0x00 x64, launch k, record 1, end, upload");
}

TEST_F(CudaSymbolTest, WhatIsNotThereOrTooSmallIsRefused) {
  execution_.arguments[4].elements = 17;
  EXPECT_EQ(run_it().detail, "the __constant__ 'c_filter' has 64 bytes, the argument 'filter' 68");
  EXPECT_EQ(run_it().reason, Reason::launch_error);
  execution_.arguments[4].symbol = "filter";
  EXPECT_EQ(run_it().detail, "the module has no __constant__ 'filter' for the argument 'filter'");
  const std::vector<Timed> launches{timed(filter_)};
  EXPECT_THROW(device_->record(launches, {}), MachineError);
  EXPECT_NE(calls().find("end"), std::string::npos) << "the stream is still capturing";
  EXPECT_TRUE(fake().launches.empty());
  execution_.arguments[4].symbol = "c_filter";
  execution_.arguments[4].elements = 9;
  fake().results["cuMemcpyDtoDAsync"] = 1;
  EXPECT_EQ(run_it().detail, "cannot set the __constant__ c_filter: CUDA_ERROR_INVALID_VALUE (a fake error)");
}

}  // namespace
}  // namespace tuner::device
