#include "cli/suggested_block.h"

#include <gtest/gtest.h>

#include "spec/resolve.h"

namespace tuner::cli {
namespace {

constexpr const char* manifest = R"yaml(tuner: 1
kernel: fake
source: fake.cu
entry: fake
dims: [M]
params:
  work: [1, 2]
  block_size: [64, 128, 256, 512, 1024]
  warps: {values: [2, 4], when: work == 2}
where: ["block_size < 1024 || work == 1"]
args:
  - {name: x, type: f32, size: M, role: weight}
  - {name: y, type: f32, size: M, role: output}
steps:
  - {launch: fake, grid: [M], block: [SIZE]}
reference: none
)yaml";

class SuggestedBlock : public testing::Test {
 protected:
  SuggestedBlock() {
    use("block_size");
    gpu_.sm_count = 132;
    best_ = trial(1, 128, 32, 10);
  }
  void use(const std::string& size) {
    std::string text = manifest;
    text.replace(text.find("SIZE"), 4, size);
    kernel_ = spec::parse_kernel(text, "fake.yaml");
    problem_ = spec::make_problem(kernel_, {1024}, {}, "");
  }
  Trial trial(std::int64_t work, std::int64_t block, int registers, double us) {
    Trial trial;
    trial.id = ++trials_;
    trial.problem = problem_;
    trial.config.params = {{"work", work}, {"block_size", block}};
    trial.registers = registers;
    trial.time_us = us;
    trial.status = Status::measured;
    return trial;
  }
  std::optional<report::SuggestedBlock> suggested(const std::vector<Trial>& others = {}) {
    std::vector<Trial> all = others;
    all.push_back(best_);
    return suggested_block(kernel_, gpu_, best_, all);
  }
  GpuFacts gpu_ = gpu_of_arch(90);
  spec::KernelSpec kernel_;
  Problem problem_;
  Trial best_;
  int trials_ = 0;
};

// With 32 registers every size fills an SM: the API takes the largest.
TEST_F(SuggestedBlock, IsTheLargestOfThoseThatFillAnSm) {
  const auto s = suggested();
  ASSERT_TRUE(s);
  EXPECT_EQ(s->threads, 1024);
  EXPECT_EQ(s->occupancy, 1.0);
  EXPECT_FALSE(s->is_best);
  EXPECT_EQ(report::suggestion_text(*s),
            "the occupancy API would suggest block_size=1024 (100% occupancy), which is not among the trials that are "
            "kept");
}

TEST_F(SuggestedBlock, IsTheSmallerWhereRegistersLeaveRoomForMoreOfIt) {
  best_.registers = 72;  // 28 warps: 512 threads fit once, 128 seven times
  const auto s = suggested();
  ASSERT_TRUE(s);
  EXPECT_EQ(s->threads, 128);
  EXPECT_TRUE(s->is_best);
}

TEST_F(SuggestedBlock, CountsTheRegistersOfItsOwnTrial) {
  const auto s = suggested({trial(1, 1024, 64, 12)});  // half an SM
  ASSERT_TRUE(s);
  EXPECT_EQ(s->threads, 512);
}

TEST_F(SuggestedBlock, HasItsTimeWhereItWasTried) {
  auto s = suggested({trial(1, 1024, 32, 12.5)});
  ASSERT_TRUE(s);
  EXPECT_DOUBLE_EQ(s->slower, 0.25);
  EXPECT_EQ(report::suggestion_text(*s),
            "the occupancy API would suggest block_size=1024 (100% occupancy): 12.50 µs, 25.0% slower than the best");
  Trial twin = trial(1, 1024, 32, 0);
  twin.status = Status::duplicate;
  twin.duplicate_of = best_.id;
  s = suggested({twin});
  EXPECT_DOUBLE_EQ(s->slower, 0);
  Trial wrong = trial(1, 1024, 32, 0);
  wrong.status = Status::rejected;
  wrong.reason = Reason::wrong_result;
  EXPECT_EQ(report::suggestion_text(*suggested({wrong})),
            "the occupancy API would suggest block_size=1024 (100% occupancy): rejected, wrong result");
}

TEST_F(SuggestedBlock, IsLegalWithAllElseAsTheBestHasIt) {
  best_.config.params = {{"work", std::int64_t{2}}, {"block_size", std::int64_t{128}}, {"warps", std::int64_t{4}}};
  const auto s = suggested();
  ASSERT_TRUE(s);
  EXPECT_EQ(s->threads, 512);
  EXPECT_EQ(*s->config.find("warps"), Value{std::int64_t{4}});
}

TEST_F(SuggestedBlock, IsNotSaidWhereNoParameterIsTheBlock) {
  use("2 * block_size");
  EXPECT_FALSE(suggested());
  use("block_size");
  EXPECT_TRUE(suggested());
  best_.registers = 0;
  EXPECT_FALSE(suggested());
}

// With this `work` the block has the value of the parameter, as a tile divided by a part of it may have.
TEST_F(SuggestedBlock, IsNotSaidWhereTheBlockIsMadeOfSeveralParameters) {
  use("block_size // work");
  EXPECT_FALSE(suggested());
  use("'work == 1 ? block_size : 64'");
  EXPECT_FALSE(suggested());
}

TEST_F(SuggestedBlock, MayBeMadeOfTheParameterAndWhatTheManifestNames) {
  use("warp_size, block_size // warp_size");
  const auto s = suggested();
  ASSERT_TRUE(s);
  EXPECT_EQ(s->threads, 1024);
}

}  // namespace
}  // namespace tuner::cli
