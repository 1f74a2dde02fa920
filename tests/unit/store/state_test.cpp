#include "store/state.h"

#include <gtest/gtest.h>

#include "unit/store/lookup_fixture.h"

namespace tuner::store::test {
namespace {

class State : public Lookup {
 protected:
  State() {
    put({});
    const auto store = open();
    ProblemResult result = *store->result(gpu_, gemv(4096, 4096), "plain");
    result.closure_hash = "0123456789abcdef0123456789abcdef";
    result.manifest_hash = "m1";
    store->save_result(1, result);
  }
  Answer asked(const KernelHashes& now, const std::string& nvrtc = "13.0.88", std::int64_t rows = 4096) {
    KernelKnowledge knowledge = gemv_knowledge();
    knowledge.hashes = [now](const std::string&) { return now; };
    Query asking = query(rows, 4096, "");
    asking.here = gpu_;
    asking.nvrtc = nvrtc;
    kept_.push_back(layers());
    return kept_.back().best(asking, knowledge).at(0);
  }

  GpuFacts gpu_ = gpu_named("NVIDIA H200");
  KernelHashes same_{"0123456789abcdef0123456789abcdef", "m1"};
};

TEST_F(State, IsCurrentWhereNothingDiffers) {
  EXPECT_EQ(asked(same_).state, "current");
  EXPECT_EQ(asked({}).state, "current") << "nothing is known of now";
  EXPECT_EQ(asked(same_, "").state, "current");
}

TEST_F(State, ElsewhereSaysWhatDiffers) {
  Answer answer = asked(same_, "13.1.5");
  EXPECT_EQ(answer.state, "elsewhere");
  EXPECT_EQ(answer.changed, (std::vector<std::string>{"nvrtc 13.0.88 -> 13.1.5"}));
  gpu_.driver = "590.10";
  answer = asked(same_, "13.1.5", 8192);  // a neighbour too
  EXPECT_EQ(answer.match, Match::near_shape);
  EXPECT_EQ(answer.state, "elsewhere");
  EXPECT_EQ(answer.changed, (std::vector<std::string>{"nvrtc 13.0.88 -> 13.1.5", "driver 580.159.04 -> 590.10"}));
}

TEST_F(State, AnotherObjectiveIsAChange) {
  KernelHashes now = same_;
  now.objective = "max a = 1 / time_s";
  EXPECT_EQ(asked(now).state, "changed");
  EXPECT_EQ(asked(now).changed, (std::vector<std::string>{"objective"}));
  const auto store = open();
  ProblemResult result = *store->result(gpu_, gemv(4096, 4096), "plain");
  result.objective = now.objective;
  store->save_result(1, result);
  EXPECT_EQ(asked(now).state, "current");
  EXPECT_EQ(asked(same_).state, "changed") << "the time is the objective again";
}

TEST_F(State, NvccIsComparedWithNvcc) {
  EXPECT_EQ(asked(same_, "nvcc 13.0.88").state, "current") << "nothing is known of then";
}

TEST_F(State, ChangedSaysWhatDiffers) {
  Answer answer = asked({"fedcba9876543210fedcba9876543210", "m1"}, "13.1.5");
  EXPECT_EQ(answer.state, "changed");
  EXPECT_EQ(answer.changed, (std::vector<std::string>{"template", "nvrtc 13.0.88 -> 13.1.5"}));
  answer = asked({same_.closure, "m2"});
  EXPECT_EQ(answer.changed, (std::vector<std::string>{"manifest"}));
}

TEST_F(State, TheSameBinaryFoundAgainIsCurrent) {
  const KernelHashes later{"fedcba9876543210fedcba9876543210", "m2"};
  EXPECT_EQ(asked(later).state, "changed");
  record_same_binary(*open(), gpu_, gemv(4096, 4096), "plain", later, "13.1.5");
  EXPECT_EQ(asked(later, "13.1.5").state, "current");
  EXPECT_EQ(asked(same_).state, "current");
  EXPECT_EQ(asked({"00000000000000000000000000000000", "m2"}).changed, (std::vector<std::string>{"template"}));
  record_same_binary(*open(), gpu_, gemv(77, 77), "plain", later, "13.1.5");  // no such row: nothing
}

}  // namespace
}  // namespace tuner::store::test
