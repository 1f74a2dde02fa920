#include "store/expected_loss.h"

#include <gtest/gtest.h>

#include "store/results_file.h"
#include "unit/store/fixtures.h"

namespace tuner::store::test {
namespace {

TimedProblem timed_problem(std::int64_t rows, const std::string& winner, double default_us,
                           const std::map<std::string, double>& times) {
  std::vector<std::string> answers;
  for (const auto& [config, us] : times) answers.push_back(config);
  return {gemv(rows, 4096), winner, default_us, times, answers};
}

TEST(ExpectedLoss, IsTheMeanOverTheNeighbours) {
  const auto losses = leave_one_out(
      {timed_problem(1024, "a", 10, {{"a", 8}, {"b", 9}}), timed_problem(2048, "b", 20, {{"a", 22}, {"b", 16}}),
       timed_problem(4096, "b", 33, {{"a", 30}, {"b", 32}}), timed_problem(65536, "a", 100, {{"a", 90}, {"b", 200}})});
  // a at 2048 and 4096 (65536 is too far): 22/16 and 30/32, the default 20/16 and 33/32.
  EXPECT_DOUBLE_EQ(losses[0].expected, (22.0 / 16 + 30.0 / 32) / 2 - 1);
  EXPECT_DOUBLE_EQ(losses[0].by_default, (20.0 / 16 + 33.0 / 32) / 2 - 1);
  EXPECT_NEAR(losses[0].worst, 0.1, 1e-12);
  EXPECT_EQ(losses[0].neighbours, 2);
  EXPECT_EQ(losses[0].traveller, "a");
  EXPECT_EQ(losses[3].expected, -1) << "nothing is near";
}

TEST(ExpectedLoss, IsOfOneObjective) {
  std::vector<TimedProblem> problems{timed_problem(1024, "a", 10, {{"a", 8}, {"b", 9}}),
                                     timed_problem(2048, "b", 20, {{"a", 22}, {"b", 16}}),
                                     timed_problem(4096, "b", 33, {{"a", 30}, {"b", 32}})};
  problems[1].objective = "max a = 1 / time_s";
  const auto losses = leave_one_out(problems);
  EXPECT_EQ(losses[0].neighbours, 1);
  EXPECT_EQ(losses[1].neighbours, 0);
}

TEST(ExpectedLoss, WhatTravelsBestAnswers) {
  const std::vector<TimedProblem> problems{
      timed_problem(1024, "a", 12, {{"a", 10}, {"b", 10.15}, {"c", 10.3}}),  // c is over 2 % behind
      timed_problem(2048, "d", 22, {{"a", 25}, {"b", 21}, {"c", 20}, {"d", 20}}),
      timed_problem(4096, "d", 44, {{"a", 41}, {"b", 42}, {"c", 40}, {"d", 40}})};
  const Losses losses = leave_one_out(problems)[0];
  EXPECT_EQ(losses.traveller, "b");
  EXPECT_NEAR(losses.expected, 0.05, 1e-12);
  EXPECT_EQ(losses.worst, 0);
  std::vector<TimedProblem> less = problems;
  less[2].times.erase("b");  // b is known at one of them only
  EXPECT_EQ(leave_one_out(less)[0].traveller, "a");
  less = problems;
  less[0].answers = {"a", "c"};  // b may not answer elsewhere
  EXPECT_EQ(leave_one_out(less)[0].traveller, "a");
}

TEST(ExpectedLoss, IsOfTheSevenNearest) {
  std::vector<TimedProblem> problems{timed_problem(1000, "a", 12, {{"a", 10}})};
  for (std::int64_t i = 1; i <= 9; ++i)
    problems.push_back(timed_problem(1000 + 100 * i, "b", 12, {{"a", 10.0 + static_cast<double>(i)}, {"b", 10}}));
  const Losses losses = leave_one_out(problems)[0];
  EXPECT_EQ(losses.neighbours, 7);
  EXPECT_NEAR(losses.expected, 0.4, 1e-12);
}

Entry row_with(int neighbours, double expected, double by_default, double worst, double default_us) {
  Entry entry;
  entry.trials = {measured(gemv(8, 8), config_of("vec", 64), {10}),
                  measured(gemv(8, 8), config_of("naive", 64), {static_cast<float>(default_us)})};
  entry.trials[0].id = 1;
  entry.trials[1].id = 2;
  entry.result.winner = 1;
  entry.result.default_trial = 2;
  entry.result.loss_neighbours = neighbours;
  entry.result.expected_loss = expected;
  entry.result.default_loss = by_default;
  entry.result.worst_loss = worst;
  return entry;
}

TEST(GivesWay, WhereTheDefaultIsExpectedToBeBetter) {
  EXPECT_FALSE(gives_way(row_with(3, 0.01, 0.02, 0.02, 10)));
  EXPECT_TRUE(gives_way(row_with(3, 0.03, 0.02, 0, 20)));
  EXPECT_TRUE(gives_way(row_with(3, 0.01, 0.02, 0.021, 20))) << "it lost too much once";
  EXPECT_FALSE(gives_way(row_with(3, 0, 0, 0, 10))) << "nothing is better";
}

TEST(GivesWay, WhereLittleIsKnownAndLittleToWin) {
  EXPECT_TRUE(gives_way(row_with(2, 0.01, 0.02, 0, 10.4)));
  EXPECT_FALSE(gives_way(row_with(2, 0.03, 0.02, 0, 10.6)));
  EXPECT_TRUE(gives_way(row_with(0, -1, -1, -1, 10.4)));
  Entry none = row_with(0, -1, -1, -1, 10.4);
  none.result.default_trial = 0;
  EXPECT_FALSE(gives_way(none)) << "no default ran";
}

TEST(ExpectedLoss, NeedsBothTimesAndTheSameFacts) {
  TimedProblem other = timed_problem(2048, "b", 20, {{"a", 18}, {"b", 16}});
  const TimedProblem asked = timed_problem(1024, "a", 10, {{"a", 8}});
  EXPECT_GE(leave_one_out({asked, other})[0].expected, 0);
  other.problem.facts[2].second = Name{"f32"};
  EXPECT_EQ(leave_one_out({asked, other})[0].expected, -1);
  other = timed_problem(2048, "b", 0, {{"a", 18}, {"b", 16}});
  EXPECT_EQ(leave_one_out({asked, other})[0].expected, -1);
  other = timed_problem(2048, "b", 20, {{"b", 16}});
  EXPECT_EQ(leave_one_out({asked, other})[0].expected, -1);
  other = {gemv(1024, 8192), "a", 20, {{"a", 18}}, {}};  // a stride of its own columns is no other fact
  EXPECT_GE(leave_one_out({asked, other})[0].expected, 0);
}

class StoredLoss : public testing::Test {
 protected:
  // vec takes `vec_us`, warp `warp_us`, the default 20.
  void put(std::int64_t rows, float vec_us, float warp_us) {
    const auto run = store_.begin_run(run_on(gpu_));
    ProblemResult result;
    result.problem = gemv(rows, 4096);
    const auto vec = store_.save(run, measured(result.problem, config_of("vec", 64), {vec_us}));
    const auto warp = store_.save(run, measured(result.problem, config_of("warp", 64), {warp_us}));
    result.winner = vec_us < warp_us ? vec : warp;
    result.tied = {result.winner};
    const auto original = store_.save(run, measured(result.problem, config_of("naive", 32), {20}));
    Trial twin = measured(result.problem, config_of("naive", 64), {});
    twin.status = Status::duplicate;
    twin.duplicate_of = original;
    twin.time_us = 20;
    result.default_trial = store_.save(run, twin);
    store_.save_result(run, result);
    store_.end_run(run, "done");
  }
  ProblemResult result(std::int64_t rows) { return *store_.result(gpu_, gemv(rows, 4096), "plain"); }

  ScratchFolder folder_;
  GpuFacts gpu_ = gpu_named("NVIDIA H200");
  Store store_ = Store::open(folder_.file("t.db"), Store::Mode::read_write);
};

TEST_F(StoredLoss, IsKeptWithTheNewestResults) {
  put(1024, 10, 11);
  put(2048, 16, 12.5);
  EXPECT_EQ(result(1024).expected_loss, -1);
  update_expected_losses(store_, gpu_, "gemv_f16", "plain");
  EXPECT_DOUBLE_EQ(result(1024).expected_loss, 16 / 12.5 - 1);
  EXPECT_DOUBLE_EQ(result(1024).default_loss, 20 / 12.5 - 1);
  EXPECT_EQ(result(1024).worst_loss, 0);
  EXPECT_EQ(result(1024).loss_neighbours, 1);
  EXPECT_EQ(result(1024).traveller, result(1024).winner);
  EXPECT_NEAR(result(2048).expected_loss, 0.1, 1e-12);
  put(2048, 25, 12.5);  // tuned again: vec is now worse than the default there
  update_expected_losses(store_, gpu_, "gemv_f16", "plain");
  EXPECT_DOUBLE_EQ(result(1024).expected_loss, 1);
  EXPECT_DOUBLE_EQ(result(1024).worst_loss, 0.25);
  update_expected_losses(store_, gpu_named("NVIDIA H100"), "gemv_f16", "plain");
  update_expected_losses(store_, gpu_, "gemv_f16", "dependent");
  EXPECT_DOUBLE_EQ(result(1024).expected_loss, 1);
}

TEST_F(StoredLoss, ShowsTheTrialThatAnswersNeighbours) {
  put(1024, 10, 10.1F);  // warp is tied but for the margin, and far better elsewhere
  put(2048, 16, 12.5);
  update_expected_losses(store_, gpu_, "gemv_f16", "plain");
  const ProblemResult row = result(1024);
  EXPECT_NE(row.traveller, row.winner);
  for (const Entry& entry : export_results(store_)) {
    if (entry.result.problem != gemv(1024, 4096)) continue;
    const auto is = [&row](const Trial& trial) { return trial.id == row.traveller; };
    EXPECT_TRUE(std::any_of(entry.trials.begin(), entry.trials.end(), is));
  }
}

TEST(ToldLoss, IsUnknownBelowThreeNeighbours) {
  ProblemResult row;
  row.loss_neighbours = 2;
  EXPECT_EQ(told_loss(row, 0.0), -1);
  row.loss_neighbours = 3;
  EXPECT_EQ(told_loss(row, 0.25), 0.25);
}

}  // namespace
}  // namespace tuner::store::test
