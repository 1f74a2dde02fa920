#include "store/store.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/selection.h"
#include "unit/store/fixtures.h"

namespace tuner::store::test {
namespace {

Trial rejected(const Problem& problem) {
  Trial trial = measured(problem, config_of("shared", 128), {});
  trial.status = Status::rejected;
  trial.reason = Reason::wrong_result;
  trial.detail = "y[17]: 3 where 4 was expected";
  trial.log = "warning: something";
  trial.duplicate_of = 0;
  return trial;
}

void expect_same(const Trial& a, const Trial& b) {
  EXPECT_EQ(a.problem, b.problem);
  EXPECT_EQ(a.regime, b.regime);
  EXPECT_EQ(a.config, b.config);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.detail, b.detail);
  EXPECT_EQ(a.log, b.log);
  EXPECT_EQ(a.source_hash, b.source_hash);
  EXPECT_EQ(a.cubin_hash, b.cubin_hash);
  EXPECT_EQ(a.duplicate_of, b.duplicate_of);
  EXPECT_EQ(a.registers, b.registers);
  EXPECT_EQ(a.samples_us, b.samples_us);
  EXPECT_EQ(a.time_us, b.time_us);
  EXPECT_EQ(a.spread, b.spread);
  EXPECT_EQ(a.max_err_over_bound, b.max_err_over_bound);
  EXPECT_EQ(a.exact_only, b.exact_only);
}

TEST(Store, KeepsTrialsAcrossOpening) {
  const ScratchFolder folder;
  const std::string path = folder.file("deep/er/t.db");
  const Problem problem = gemv(4096, 14336);
  Trial good = measured(problem, config_of("vec", 256), {28.5F, 28.25F, 29.0F});
  good.exact_only = true;
  good.spread = 0.01;
  Trial bad = rejected(problem);
  {
    Store store = Store::open(path, Store::Mode::read_write);
    const auto run = store.begin_run(run_on(gpu_named("NVIDIA H200")));
    const auto ids = store.save_all(run, {good, bad});
    ASSERT_EQ(ids.size(), 2U);
    EXPECT_NE(ids[0], ids[1]);
    store.end_run(run, "done");
  }
  const Store store = Store::open(path, Store::Mode::read_only);
  const auto trials = store.trials(gpu_named("NVIDIA H200"), problem, "plain");
  ASSERT_EQ(trials.size(), 2U);
  expect_same(trials[0], good);
  expect_same(trials[1], bad);
  EXPECT_TRUE(store.trials(gpu_named("NVIDIA H100"), problem, "plain").empty());
  EXPECT_TRUE(store.trials(gpu_named("NVIDIA H200"), problem, "dependent").empty());
  EXPECT_TRUE(store.trials(gpu_named("NVIDIA H200"), gemv(14336, 4096), "plain").empty());
  const auto run = store.run_of_trial(trials[1].id);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->outcome, "done");
  EXPECT_EQ(run->facts.nvrtc, "13.0.88");
  EXPECT_EQ(run->facts.gpu.driver, "580.159.04");
  EXPECT_FALSE(store.run_of_trial(999));
  EXPECT_FALSE(store.trial(999));
}

TEST(Store, UpdatesATrialInPlace) {
  const ScratchFolder folder;
  Store store = Store::open(folder.file("t.db"), Store::Mode::read_write);
  const auto run = store.begin_run(run_on(gpu_named("NVIDIA H200")));
  Trial trial = measured(gemv(64, 64), config_of("vec", 256), {});
  trial.status = Status::started;
  trial.id = store.save(run, trial);
  trial.status = Status::measured;
  trial.samples_us = {3.5F};
  trial.time_us = 3.5;
  EXPECT_EQ(store.save(run, trial), trial.id);
  const auto trials = store.trials(gpu_named("NVIDIA H200"), gemv(64, 64), "plain");
  ASSERT_EQ(trials.size(), 1U);
  expect_same(trials[0], trial);
}

TEST(Store, NewestRunOfAProblemIsRead) {
  const ScratchFolder folder;
  Store store = Store::open(folder.file("t.db"), Store::Mode::read_write);
  for (const float us : {5.0F, 4.0F}) {
    const auto run = store.begin_run(run_on(gpu_named("NVIDIA H200")));
    ProblemResult result;
    result.problem = gemv(64, 64);
    result.winner = store.save(run, measured(result.problem, config_of("vec", 256), {us}));
    result.tied = {result.winner};
    store.save_result(run, result);
    store.end_run(run, "done");
  }
  const auto trials = store.trials(gpu_named("NVIDIA H200"), gemv(64, 64), "plain");
  ASSERT_EQ(trials.size(), 1U);
  EXPECT_EQ(trials[0].time_us, 4.0);
  const auto result = store.result(gpu_named("NVIDIA H200"), gemv(64, 64), "plain");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->winner, trials[0].id);
  EXPECT_EQ(store.runs().size(), 2U);
}

TEST(Store, KeepsEveryFieldOfAResult) {
  const ScratchFolder folder;
  Store store = Store::open(folder.file("t.db"), Store::Mode::read_write);
  const auto run = store.begin_run(run_on(gpu_named("NVIDIA H200")));
  ProblemResult result;
  result.problem = gemv(64, 64);
  result.winner = store.save(run, measured(result.problem, config_of("vec", 256), {3.0F}));
  result.default_trial = store.save(run, measured(result.problem, config_of("warp", 256), {4.0F}));
  result.tied = {result.winner, result.default_trial};
  result.margin = 0.0075;
  result.noise_floor = 0.003;
  result.ceiling = {4600, 2.9, 2.8, 4210, "unroll=4", "kernel", 700, "tensor_f16"};
  result.baselines = {{"cublas", 6.9, 0.01, "op T"}};
  result.before.sm_clock_mhz = 1980;
  result.after.throttle = "power";
  result.bytes_read = 8192;
  result.bytes_written = 128;
  result.flops = 8192;
  result.candidates = 3;
  result.measured = 2;
  result.rejected = 1;
  store.save_result(run, result);
  store.save_result(run, result);  // again: replaces
  const auto read = store.result(gpu_named("NVIDIA H200"), result.problem, "plain");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->problem, result.problem);
  EXPECT_EQ(read->tied, result.tied);
  EXPECT_EQ(read->default_trial, result.default_trial);
  EXPECT_EQ(read->margin, 0.0075);
  EXPECT_EQ(read->noise_floor, 0.003);
  EXPECT_EQ(read->ceiling.probe_no_x_us, 2.8);
  EXPECT_EQ(read->ceiling.from, "kernel");
  EXPECT_EQ(read->ceiling.tflop_per_s, 700);
  EXPECT_EQ(read->ceiling.arithmetic, "tensor_f16");
  ASSERT_EQ(read->baselines.size(), 1U);
  EXPECT_EQ(read->baselines[0].detail, "op T");
  EXPECT_EQ(read->before.sm_clock_mhz, 1980);
  EXPECT_EQ(read->after.throttle, "power");
  EXPECT_EQ(read->bytes_written, 128);
  EXPECT_EQ(read->rejected, 1);
}

TEST(Store, KeepsATextOnce) {
  const ScratchFolder folder;
  Store store = Store::open(folder.file("t.db"), Store::Mode::read_write);
  const std::string hash = "00112233445566778899aabbccddeeff";
  store.keep_text(hash, "manifest", "gemv.yaml", "tuner: 1\n");
  store.keep_text(hash, "manifest", "gemv.yaml", "tuner: 1\n");
  store.keep_text("short", "sweep", "a.yaml", "");
  EXPECT_EQ(store.text(hash), "tuner: 1\n");
  EXPECT_EQ(store.text("short"), "");
  EXPECT_FALSE(store.text("ffffffffffffffffffffffffffffffff"));
}

TEST(Store, NamesWhatWasInFlightWhenAProcessDied) {
  const ScratchFolder folder;
  const std::string path = folder.file("t.db");
  const pid_t child = fork();
  if (child == 0) {
    Store store = Store::open(path, Store::Mode::read_write);
    const auto run = store.begin_run(run_on(gpu_named("NVIDIA H200")));
    Trial trial = measured(gemv(64, 64), config_of("shared", 64), {});
    trial.status = Status::started;
    store.save(run, trial);
    _exit(0);  // as if killed: nothing is closed
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  Store store = Store::open(path, Store::Mode::read_write);
  const auto run = store.begin_run(run_on(gpu_named("NVIDIA H200")));
  Trial mine = measured(gemv(64, 64), config_of("vec", 64), {});
  mine.status = Status::started;
  store.save(run, mine);
  const auto killers = store.killers();
  ASSERT_EQ(killers.size(), 1U);
  EXPECT_EQ(killers[0].config, config_of("shared", 64));
  store.end_run(run, "failed");
  EXPECT_EQ(store.killers().size(), 2U);
}

TEST(Store, TakesLessThanAKilobyteATrial) {
  const ScratchFolder folder;
  const std::string path = folder.file("t.db");
  constexpr int count = 2000;
  {
    Store store = Store::open(path, Store::Mode::read_write);
    const auto run = store.begin_run(run_on(gpu_named("NVIDIA H200")));
    std::vector<Trial> trials;
    for (int i = 0; i < count; ++i) {
      Trial trial = measured(gemv(4096, 4096 + i / 500), config_of("vec", i), std::vector<float>(50, 3.25F));
      for (int p = 0; p < 6; ++p)
        trial.config.params.emplace_back("some_parameter_" + std::to_string(p), std::int64_t{8});
      trial.steps[0].grid.x = i % 16;
      trial.log = i % 4 == 0 ? "ptxas info: spilled" : "";
      trials.push_back(trial);
    }
    store.save_all(run, trials);
  }
  const auto size = std::filesystem::file_size(path);
  EXPECT_LT(size / count, 1000U);
}

TEST(Store, ShowsTheBestOfEachVariantOnce) {
  const Problem problem = gemv(64, 64);
  std::vector<Trial> trials{
      measured(problem, config_of("vec", 64), {3.0F}), measured(problem, config_of("vec", 128), {2.0F}),
      measured(problem, config_of("naive", 64), {9.0F}), measured(problem, config_of("warp", 64), {}),
      measured(problem, config_of("shared", 64), {})};
  for (std::size_t i = 0; i < trials.size(); ++i) trials[i].id = static_cast<std::int64_t>(i) + 1;
  trials[3].status = Status::duplicate;
  trials[3].duplicate_of = 3;
  trials[4].status = Status::eliminated;
  trials[4].time_us = 1.0;
  ProblemResult result;
  result.winner = 2;
  result.tied = {2, 1};
  result.default_trial = 1;
  EXPECT_EQ(shown_ids(result, trials), (std::vector<std::int64_t>{2, 1, 5, 3, 4}));
  // One that left early stands for its variant only where no other was timed to the end.
  trials[0].status = Status::eliminated;
  trials[0].time_us = 0.5;
  EXPECT_EQ(best_of_each(trials, "variant").front()->id, 5);
  EXPECT_EQ(best_of_each(trials, "variant")[1]->id, 2);
}

}  // namespace
}  // namespace tuner::store::test
