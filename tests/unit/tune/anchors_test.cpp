// What is tried of a problem that has anchors.
#include "tune/anchors.h"

#include <algorithm>
#include <set>

#include "tune/finished.h"
#include "unit/tune/tune_fixture.h"

namespace tuner::tune {
namespace {

constexpr int most_sizes = 200;

class Anchors : public TuneProblem {
 protected:
  void SetUp() override {
    TuneProblem::SetUp();
    std::string text = fake_manifest, values = "1";
    for (int size = 2; size <= most_sizes; ++size) values += ", " + std::to_string(size);
    text.replace(text.find("[32]"), 4, "[" + values + "]");
    text.replace(text.find("default_one}"), 12, "fast, block_size: 200}");
    kernel_ = spec::parse_kernel(text, (folder_ / "fake.yaml").string());
  }

  spec::PlannedProblem at(std::int64_t rows, const std::vector<Problem>& anchors = {}) const {
    return {&kernel_, spec::make_problem(kernel_, {rows, 64}, {}, ""), {{"kind", {Name{"fast"}}}}, anchors};
  }

  // A finished sweep in which the sizes from `fastest` on were the fastest, in this order.
  void tuned(const spec::PlannedProblem& planned, store::Store& store, std::int64_t fastest) {
    RunFacts facts;
    facts.gpu = gpu_;
    const auto run = store.begin_run(facts);
    ProblemResult result;
    result.problem = planned.problem;
    for (const Config& config : kernel_.space.all(spec::base_scope(kernel_, planned.problem, gpu_), planned.only)) {
      Trial trial;
      trial.problem = planned.problem;
      trial.config = config;
      trial.status = Status::measured;
      trial.time_us = 1 + static_cast<double>((size_of(config) - fastest + most_sizes) % most_sizes);
      result.winner = store.save(run, trial);
    }
    store.save_result(run, result);
    store.end_run(run, "done");
  }

  static std::int64_t size_of(const Config& config) { return std::get<std::int64_t>(*config.find("block_size")); }

  std::vector<std::int64_t> asked(const spec::PlannedProblem& planned, const store::Store& store) const {
    std::vector<std::int64_t> sizes;
    for (const Config& config : asked_for(planned, "plain", gpu_, store)) sizes.push_back(size_of(config));
    return sizes;
  }

  static bool has(const std::vector<std::int64_t>& asked, std::int64_t size) {
    return std::find(asked.begin(), asked.end(), size) != asked.end();
  }

  const GpuFacts gpu_ = session().gpu();
};

TEST_F(Anchors, GiveTheirBestTheDefaultAndAFewDrawn) {
  store::Store store = database();
  tuned(at(8), store, 11);
  tuned(at(16), store, 31);
  const auto behind = at(24, {at(8).problem, at(16).problem});
  const auto sizes_asked = asked(behind, store);
  for (std::int64_t size = 11; size <= 60; ++size)
    EXPECT_TRUE(has(sizes_asked, size)) << size;  // 30 of each, 10 of both
  EXPECT_TRUE(has(sizes_asked, 200)) << "the default";
  EXPECT_EQ(sizes_asked.size(), 50U + 1 + drawn_beside);
  EXPECT_TRUE(std::is_sorted(sizes_asked.begin(), sizes_asked.end())) << "manifest order";
  EXPECT_EQ(sizes_asked, asked(behind, store)) << "the same every time";
  EXPECT_NE(sizes_asked, asked(at(32, behind.anchors), store)) << "others at another shape";
  EXPECT_EQ(asked(at(24), store).size(), static_cast<std::size_t>(most_sizes));
  EXPECT_EQ(most_asked_for(behind, gpu_), 2 * 30 + 1 + 30);
  EXPECT_EQ(most_asked_for(at(24), gpu_), most_sizes);
}

TEST_F(Anchors, LeaveOutOfASweepWhatIsNotAskedFor) {
  store::Store store = database();
  tuned(at(8), store, 11);
  const auto behind = at(24, {at(8).problem});
  CandidateSet set = enumerate(behind, gpu_);
  keep_asked_for(set, behind, "plain", gpu_, store);
  EXPECT_EQ(set.all.size(), 30U + 1 + drawn_beside);
  EXPECT_EQ(set.excluded["not among the best at the anchors, nor drawn"], most_sizes - 61);
  EXPECT_EQ(std::count_if(set.all.begin(), set.all.end(), [](const Candidate& each) { return each.trial.is_default; }),
            1);
}

TEST_F(Anchors, AProblemIsFinishedWhenWhatTheyGiveWasTried) {
  store::Store store = database();
  tuned(at(8), store, 11);
  const auto behind = at(24, {at(8).problem});
  EXPECT_FALSE(is_finished(behind, "plain", gpu_, false, {}, store));
  tuned(behind, store, 1);
  EXPECT_TRUE(is_finished(behind, "plain", gpu_, false, {}, store));
}

}  // namespace
}  // namespace tuner::tune
