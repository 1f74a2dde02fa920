#include "report/problem_table.h"

#include <gtest/gtest.h>

#include "report/explain_text.h"
#include "report/figures.h"

namespace tuner::report {
namespace {

class ProblemTable : public testing::Test {
 protected:
  ProblemTable() {
    done_.result.problem = {"gemv_f16", {4096, 14336}, {}};
    done_.result.bytes_read = 117e6;
    done_.result.bytes_written = 0;
    done_.result.ceiling.sustained_gb_per_s = 4600;
    done_.result.ceiling.probe_us = 28;
    add(1, "vec", 30, true);
    add(2, "vec", 29.9, true);
    add(3, "warp", 33, true);
    for (int i = 0; i < 6; ++i) add(10 + i, "vec", 40 + i, false);
    add(20, "naive", 300, false);
    done_.trials.back().status = Status::eliminated;
    add(21, "shared", 0, false);
    done_.trials.back().status = Status::rejected;
    done_.trials.back().reason = Reason::wrong_result;
    done_.trials.back().detail = "y[3] is 1, should be 2\nsecond line";
    add(22, "warp", 0, false);
    done_.trials.back().status = Status::duplicate;
    done_.trials.back().duplicate_of = 3;
    done_.result.winner = 1;
    done_.result.tied = {1, 2};
    done_.result.default_trial = 22;
    Baseline cublas;
    cublas.name = "cublas";
    cublas.time_us = 31;
    done_.result.baselines = {cublas};
    done_.result.candidates = 12;
    done_.result.measured = 10;
    done_.result.rejected = 1;
  }
  void add(std::int64_t id, const char* variant, double us, bool finalist) {
    Trial trial;
    trial.id = id;
    trial.problem = done_.result.problem;
    trial.config.params = {{"variant", Name{variant}}, {"n", id}};
    trial.status = Status::measured;
    trial.time_us = us;
    trial.spread = 0.003;
    trial.finalist = finalist;
    trial.registers = 32;
    done_.trials.push_back(trial);
  }
  std::string line_with(const std::string& text, const std::string& part) {
    const std::size_t at = text.find(part);
    if (at == std::string::npos) return {};
    const std::size_t begin = text.rfind('\n', at) + 1;
    return text.substr(begin, text.find('\n', at) - begin);
  }

  tune::ProblemDone done_;
};

TEST_F(ProblemTable, MetricsStandBehindTheTimeAndADashSaysWhy) {
  done_.metrics[1] = {{"tflops", 123.456}, {"bad", std::nullopt, "division by zero in '1 / 0'"}};
  done_.metrics[2] = {{"tflops", 1.5e7}, {"bad", 0.5}};
  const std::string text = problem_report(done_, false, Style{});
  EXPECT_NE(text.find("  tflops  bad  vs default"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "n=1 ").find("   123.5    - "), std::string::npos) << text;
  EXPECT_NE(line_with(text, "n=2 ").find(" 1.5e+07  0.5 "), std::string::npos) << text;
  EXPECT_NE(text.find("bad is left out: division by zero in '1 / 0'\n"), std::string::npos) << text;
}

TEST_F(ProblemTable, AnObjectiveRanks) {
  done_.result.objective = "min a = time_us * n";
  for (Trial& trial : done_.trials) trial.cost = trial.id == 3 ? 7 : trial.time_us;
  done_.result.winner = 3;
  done_.result.tied = {3};
  done_.result.default_trial = 1;
  const std::string text = problem_report(done_, false, Style{});
  EXPECT_LT(text.find("n=3 "), text.find("n=2 ")) << text;
  EXPECT_LT(text.find("n=2 "), text.find("n=1 ")) << text;
  EXPECT_NE(text.find("The best has the min a = time_us * n.\nBest is 4.29 times better than the default"),
            std::string::npos)
      << text;
}

TEST_F(ProblemTable, TheWinnerStandsFirstAndTiesAreSaidAloud) {
  const std::string text = problem_report(done_, false, Style{});
  EXPECT_LT(text.find("n=1 "), text.find("n=2 ")) << text;  // though n=2 is a shade faster
  EXPECT_NE(line_with(text, "n=2 ").find("tied with 1"), std::string::npos) << text;
  EXPECT_EQ(line_with(text, "n=1 ").find("tied"), std::string::npos) << text;
}

TEST_F(ProblemTable, TheDefaultHasARowThoughItIsADuplicate) {
  const std::string text = problem_report(done_, false, Style{});
  EXPECT_NE(line_with(text, "variant=warp n=3").find("default, best warp"), std::string::npos) << text;
  EXPECT_NE(text.find("Best is 1.10 times faster than the default; 2 tied within 0.5%."), std::string::npos) << text;
}

TEST_F(ProblemTable, TheBestOfEachVariantHasARowAndSpeedUpsAreOverNaive) {
  const std::string text = problem_report(done_, false, Style{});
  EXPECT_NE(line_with(text, "variant=naive").find("best naive, left early"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "n=1 ").find("10.00x"), std::string::npos) << text;
  EXPECT_EQ(text.find("n=15"), std::string::npos) << "only leaders, default and the best of each variant\n" << text;
}

TEST_F(ProblemTable, BothShares) {
  const std::string row = line_with(problem_report(done_, false, Style{}), "n=1 ");
  EXPECT_NE(row.find("84.8%  93.3%"), std::string::npos) << row;  // 117e6 B / 30 us / 4600 GB/s; 28 / 30
}

TEST_F(ProblemTable, BaselinesAreRows) {
  EXPECT_NE(line_with(problem_report(done_, false, Style{}), "cublas").find("baseline"), std::string::npos);
}

TEST_F(ProblemTable, RejectionsByReasonWithOneExampleAndAHint) {
  const std::string text = rejections(done_.trials, Style{});
  const std::string row = line_with(text, "y[3] is 1, should be 2");
  EXPECT_EQ(row.substr(0, 10), "         1") << text;
  EXPECT_NE(row.find("variant=shared n=21"), std::string::npos) << text;
  EXPECT_NE(row.find("tuner explain 21"), std::string::npos) << text;
  EXPECT_EQ(text.find("second line"), std::string::npos);
}

TEST_F(ProblemTable, TheHostDeviceShowsNoTimes) {
  for (Trial& trial : done_.trials)
    if (trial.status != Status::rejected) trial.status = Status::verified;
  const std::string text = problem_report(done_, true, Style{});
  EXPECT_NE(text.find("11 of 12 verified, 1 rejected"), std::string::npos) << text;
  EXPECT_EQ(text.find("µs"), std::string::npos) << text;
  EXPECT_EQ(text.find("GB/s"), std::string::npos) << text;
}

TEST_F(ProblemTable, WhatAStopLeftUnrunIsCountedAsSuch) {
  for (Trial& trial : done_.trials)
    if (trial.status != Status::rejected) trial.status = Status::compiled;
  done_.trials.front().status = Status::verified;
  const std::string text = problem_report(done_, true, Style{});
  EXPECT_NE(text.find("1 of 12 verified, 1 rejected, 10 not reached"), std::string::npos) << text;
}

TEST_F(ProblemTable, AKernelThatBeatTheProbeHasAShareOfOne) {
  EXPECT_EQ(figures_of(27.5, 0, done_.result).sol, 1.0);
  EXPECT_FALSE(figures_of(0, 0, done_.result).gb_per_s);
}

TEST_F(ProblemTable, WhatComputingBoundsHasAShareOfItsArithmetic) {
  done_.result.ceiling = {};
  done_.result.flops = 12e9;
  done_.result.ceiling.tflop_per_s = 800;
  done_.result.ceiling.arithmetic = "tensor_f16";
  EXPECT_FALSE(figures_of(30, 0, done_.result).sol);  // memory bounds it
  done_.result.bound_by = "compute";
  EXPECT_DOUBLE_EQ(*figures_of(30, 0, done_.result).sol, 0.5);
  EXPECT_EQ(*figures_of(1, 0, done_.result).sol, 1.0);
  const std::string text = problem_report(done_, false, Style{});
  EXPECT_NE(text.find("peak     800 TFLOP/s by the probe of tensor_f16 (sol)"), std::string::npos) << text;
}

TEST_F(ProblemTable, ExplainSaysWhyItLost) {
  Explanation explanation;
  explanation.trial = done_.trials[2];
  explanation.result = done_.result;
  explanation.winner = done_.trials[0];
  EXPECT_NE(explain_text(explanation, Style{}).find("10.0% slower than the winner, trial 1"), std::string::npos);
  explanation.result->objective = "min a = time_us * n";
  EXPECT_EQ(explain_text(explanation, Style{}).find("than the winner"), std::string::npos) << "it has no cost";
  explanation.trial.cost = 9;
  explanation.winner->cost = 6;
  explanation.metrics = {{"a", 9.0}, {"longer_name", std::nullopt, "division by zero"}};
  const std::string ranked = explain_text(explanation, Style{});
  EXPECT_NE(ranked.find("50.0% worse than the winner by min a = time_us * n, trial 1"), std::string::npos) << ranked;
  EXPECT_NE(ranked.find("  a         9\n  longer_name -: division by zero\n"), std::string::npos) << ranked;
  explanation.result->objective.clear();
  explanation.trial = done_.trials[1];
  EXPECT_NE(explain_text(explanation, Style{}).find("tied with the winner (trial 1)"), std::string::npos);
  explanation.trial = done_.trials[0];
  EXPECT_NE(explain_text(explanation, Style{}).find("it is the winner"), std::string::npos);
}

}  // namespace
}  // namespace tuner::report
