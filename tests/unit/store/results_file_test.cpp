#include "store/results_file.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/statistics.h"
#include "unit/store/fixtures.h"

namespace tuner::store::test {
namespace {

Trial timed(const Problem& problem, const Config& config, std::vector<float> samples, bool finalist) {
  Trial trial = measured(problem, config, std::move(samples));
  const std::vector<double> values(trial.samples_us.begin(), trial.samples_us.end());
  trial.time_us = median(values);
  trial.spread = spread(values);
  trial.finalist = finalist;
  return trial;
}

// vec wins by registers over warp, which is tied; shared was a finalist and is behind; naive is the default.
class ResultsFile : public testing::Test {
 protected:
  ResultsFile() : store_(Store::open(folder_.file("t.db"), Store::Mode::read_write)) {
    const auto run = store_.begin_run(run_on(gpu_named("NVIDIA H200")));
    ProblemResult result;
    result.problem = gemv(4096, 14336);
    Trial tied = timed(result.problem, config_of("warp", 256), {28.1F, 28.3F, 28.2F, 28.4F}, true);
    tied.registers = 64;
    result.winner =
        store_.save(run, timed(result.problem, config_of("vec", 256), {28.15F, 28.3F, 28.25F, 28.4F}, true));
    result.tied = {result.winner, store_.save(run, tied)};
    result.default_trial = store_.save(run, timed(result.problem, config_of("naive", 64), {90, 91, 92}, false));
    store_.save(run, timed(result.problem, config_of("shared", 64), {30, 30, 30, 30}, true));
    Trial slow = timed(result.problem, config_of("vec", 1024), {40}, false);
    store_.save(run, slow);
    result.noise_floor = 0.002;
    result.ceiling.probe_us = 27.5;
    result.ceiling.tflop_per_s = 700;
    result.ceiling.arithmetic = "tensor_f16";
    result.baselines = {{"cublas", 31.2, 0.0, "op T", {31.2F, 31.2F}}};
    store_.save_result(run, result);
  }
  std::string text() { return write_results(export_results(store_)); }
  // What reading says of the text with one change in it.
  std::string refusal(const std::string& from, const std::string& to) {
    std::string changed = text();
    const auto at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    changed.replace(at, from.size(), to);
    try {
      parse_results(changed, "x.json");
    } catch (const UserError& error) {
      EXPECT_NE(error.where().find("x.json"), std::string::npos);
      return error.what();
    }
    return "";
  }

  ScratchFolder folder_;
  Store store_;
};

// As if shared had won by an objective: its cost is the least, that of vec within the margin.
class ObjectiveFile : public ResultsFile {
 protected:
  ObjectiveFile() {
    ProblemResult result = *store_.result(gpu_named("NVIDIA H200"), gemv(4096, 14336), "plain");
    result.objective = "min a = time_us * variant";
    result.search = "forest";
    const double costs[] = {10.04, 11, 50, 10, 70};
    std::vector<Trial> trials;
    for (std::int64_t id = 1; id <= 5; ++id) {
      trials.push_back(*store_.trial(id));
      trials.back().cost = costs[id - 1];
    }
    for (Trial& trial : trials) store_.save(1, trial);
    result.tied = {result.winner, 4};
    store_.save_result(1, result);
  }
};

TEST_F(ObjectiveFile, KeepsCostsAndAgreesByThem) {
  const auto entries = parse_results(text(), "x.json");
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].result.objective, "min a = time_us * variant");
  EXPECT_EQ(entries[0].result.search, "forest");
  EXPECT_EQ(disagreement(entries[0]).value_or(""), "");
  EXPECT_EQ(tied_by_rule(entries[0]), entries[0].result.tied);
  for (const Trial& trial : entries[0].trials) {
    if (to_text(*trial.config.find("variant")) == "shared") {
      EXPECT_EQ(trial.cost, 10);
    }
  }
}

TEST_F(ObjectiveFile, AWinnerThatIsNotTheBestIsSaid) {
  auto entries = parse_results(text(), "x.json");
  for (Trial& trial : entries[0].trials)
    if (to_text(*trial.config.find("variant")) == "shared") trial.cost = 9;
  EXPECT_NE(disagreement(entries[0]).value_or(""), "");
}

TEST_F(ResultsFile, ReadsBackWhatItWrote) {
  const std::string first = text();
  const auto entries = parse_results(first, "x.json");
  EXPECT_EQ(write_results(entries), first);
  ASSERT_EQ(entries.size(), 1U);
  const Entry& entry = entries[0];
  ASSERT_EQ(entry.trials.size(), 4U);  // not the slower vec
  EXPECT_EQ(entry.result.winner, 1);
  EXPECT_EQ(entry.result.tied, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(entry.trials[1].samples_us, (std::vector<float>{28.1F, 28.3F, 28.2F, 28.4F}));
  EXPECT_EQ(entry.result.problem, gemv(4096, 14336));
  EXPECT_EQ(entry.gpu.driver, "580.159.04");
  EXPECT_EQ(entry.nvrtc, "13.0.88");
  EXPECT_EQ(entry.result.ceiling.tflop_per_s, 700);
  EXPECT_EQ(gpu_key(entry.gpu), gpu_key(gpu_named("NVIDIA H200")));
}

TEST_F(ResultsFile, HoldsLossesHashesAndOverrulesWhereThereAreAny) {
  auto entries = export_results(store_);
  EXPECT_EQ(text().find("losses"), std::string::npos);
  EXPECT_EQ(parse_results(text(), "x.json").at(0).result.expected_loss, -1);
  ProblemResult& result = entries[0].result;
  result.expected_loss = 0.01;
  result.default_loss = 0.02;
  result.worst_loss = 0;
  result.loss_neighbours = 5;
  result.traveller = result.tied.at(1);
  result.closure_hash = "0123456789abcdef0123456789abcdef";
  result.manifest_hash = "m";
  Overrules overrules;
  Pin pin;
  pin.problem = gemv(8, 8);
  pin.config = config_of("vec", 64);
  pin.why = "x";
  put(overrules, pin);
  write_file(folder_.file("x.json"), write_results(entries, overrules));
  const FolderFile file = read_folder_file(folder_.file("x.json"));
  ASSERT_EQ(file.entries.size(), 1U);
  const ProblemResult& read = file.entries[0].result;
  EXPECT_EQ(read.expected_loss, 0.01);
  EXPECT_EQ(read.default_loss, 0.02);
  EXPECT_EQ(read.worst_loss, 0);
  EXPECT_EQ(read.loss_neighbours, 5);
  EXPECT_EQ(read.traveller, 2);
  EXPECT_EQ(read.closure_hash, result.closure_hash);
  EXPECT_EQ(read.manifest_hash, "m");
  ASSERT_EQ(file.overrules.pins.size(), 1U);
  EXPECT_EQ(file.overrules.pins[0].why, "x");
  EXPECT_EQ(write_results(file.entries, file.overrules), read_file(folder_.file("x.json")));
}

TEST_F(ResultsFile, NamesNoMachine) {
  EXPECT_EQ(text().find("GPU-secret"), std::string::npos);
  EXPECT_EQ(text().find("tuner sweep"), std::string::npos);
  EXPECT_EQ(text().find(folder_.file("")), std::string::npos);
}

TEST_F(ResultsFile, RefusesATimeThatIsNotItsSamples) {
  EXPECT_EQ(refusal("\"time_us\": 28.27", "\"time_us\": 27.27").find("trial 1 claims"), 0U);
  EXPECT_EQ(refusal("[28.15,", "[29.15,").find("trial 1 claims"), 0U);
  EXPECT_EQ(refusal("\"spread\": 0.0", "\"spread\": 0.1").find("cublas claims a spread"), 0U);
  EXPECT_EQ(refusal("\"time_us\": 31.2", "\"time_us\": 3").find("cublas claims"), 0U);
}

TEST_F(ResultsFile, RefusesAWrongTieSetOrWinner) {
  EXPECT_EQ(refusal("\"tied\": [1, 2]", "\"tied\": [1]").find("trial 2 is not among the ties"), 0U);
  EXPECT_EQ(refusal("\"tied\": [1, 2]", "\"tied\": [1, 2, 4]").find("trial 4 is among the ties"), 0U);
  EXPECT_EQ(refusal("\"tied\": [1, 2]", "\"tied\": [2, 1]"), "the winner is not the first of the ties");
  EXPECT_EQ(refusal("\"registers\": 40", "\"registers\": 90"), "of the ties, trial 2 is preferred to trial 1");
  EXPECT_EQ(refusal("\"margin\": 0.005", "\"margin\": 0.07"),
            "trial 4 is not among the ties, 6.1949 % behind the fastest at a margin of 7.0000 %");
  EXPECT_EQ(refusal("\"noise_floor\": 0.002", "\"noise_floor\": 0.006"),
            "the margin is not the larger of 0.2 % and the noise floor");
}

TEST_F(ResultsFile, RefusesWhatIsNoResultsFile) {
  EXPECT_EQ(refusal("\"tuner\": 1", "\"tuner\": 2"), "'x.json' was written by a newer tuner");
  EXPECT_EQ(refusal("\"tuner\": 1,", "\"tuner\": 1"), "'x.json' is not JSON");
  EXPECT_EQ(refusal("\"cubin_hash\"", "\"cubin\""), "'cubin_hash' of trial 1 is missing");
  EXPECT_EQ(refusal("\"winner\": 1", "\"winner\": 9"), "there is no trial 9");
  EXPECT_EQ(refusal("\"status\": \"measured\"", "\"status\": \"guessed\""), "unknown status 'guessed'");
  try {
    parse_results("{\n \"tuner\": 1,\n \"gpu\": }", "x.json");
    FAIL() << "read";
  } catch (const UserError& error) {
    EXPECT_EQ(error.where(), "x.json:3:9");
  }
}

TEST_F(ResultsFile, TheIncumbentIsPreferred) {
  // A second run in which the tied one, winner of the first by nothing else, keeps its place.
  const auto run = store_.begin_run(run_on(gpu_named("NVIDIA H200")));
  ProblemResult result;
  result.problem = gemv(4096, 14336);
  Trial fewer = timed(result.problem, config_of("warp", 256), {28, 28, 28}, true);
  fewer.registers = 16;
  const auto other = store_.save(run, fewer);
  result.winner = store_.save(run, timed(result.problem, config_of("vec", 256), {28, 28, 28}, true));
  result.tied = {result.winner, other};
  store_.save_result(run, result);
  EXPECT_EQ(store_.result(gpu_named("NVIDIA H200"), result.problem, "plain")->incumbent, result.winner);
  EXPECT_EQ(parse_results(text(), "x.json").at(0).result.incumbent, 1);
  EXPECT_EQ(refusal("\"incumbent\": 1", "\"incumbent\": null"), "of the ties, trial 2 is preferred to trial 1");
}

TEST_F(ResultsFile, IsOfOneModel) {
  auto entries = export_results(store_);
  entries.push_back(entries[0]);
  entries[1].gpu.name = "NVIDIA H100";
  EXPECT_THROW(write_results(entries), UserError);
  EXPECT_THROW(write_results({}), UserError);
}

}  // namespace
}  // namespace tuner::store::test
