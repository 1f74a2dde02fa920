// The whole path from a problem to its winner against a fake device in a real worker process.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "core/error.h"
#include "tune/tune_problem.h"
#include "unit/measure/fake_device.h"

namespace tuner::tune {
namespace {

namespace fs = std::filesystem;

constexpr const char* manifest = R"yaml(tuner: 1
kernel: fake
family: fake
dtype: f32
doc: y = A x
source: fake.cu
entry: gemv
requires: arch >= 75
dims: [M, N]
facts: {y: f32, batch: 1, row_stride: N}
params:
  kind: [fast, close, default_one, slow, hang, crash, trap, wrong, dies_timed, wrong_timed, twin, cheat]
  block_size: [32]
where: ["M < 100000"]
default: [{kind: default_one}]
args:
  - {name: A, type: f32, size: M * row_stride, role: weight, fill: "uniform(-1, 1)"
}
  - {name: x, type: f32, size: N, role: activation, fill: "uniform(-1, 1)"}
  - {name: y, type: y, size: M, role: output}
  - {name: M, type: i32, value: M}
  - {name: N, type: i32, value: N}
  - {name: row_stride, type: i64, value: row_stride}
steps:
  - {launch: gemv, grid: [M], block: [block_size], shared: 0}
traffic: {read: 4 * M * N, write: 4 * M}
flops: 2 * M * N
bound_by: memory
reference: gemv
chain: N
deterministic: true
baselines: []
)yaml";

// What the fake device makes of each kind.
const std::map<std::string, std::string> images{{"fast", "gemv@5.0"},
                                                {"close", "gemv@5.2"},
                                                {"default_one", "gemv@8"},
                                                {"slow", "gemv@40"},
                                                {"hang", "gemv:hang@5"},
                                                {"crash", "gemv:crash@5"},
                                                {"trap", "gemv:trap@5"},
                                                {"wrong", "gemv:drop_last@4"},
                                                {"dies_timed", "gemv:dies_timed@4"},
                                                {"wrong_timed", "gemv:wrong_timed@4"},
                                                {"twin", "gemv@5.0"},
                                                {"cheat", "gemv@4"}};

class TuneProblem : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("tuner-tune-test-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    std::ofstream(folder_ / "fake.cu") << "extern \"C\" __global__ void gemv() {}\n";
    kernel_ = spec::parse_kernel(manifest, (folder_ / "fake.yaml").string());
  }
  void TearDown() override { fs::remove_all(folder_); }

  Session session() {
    Session session;
    session.facts.gpu = gpu_of_arch(90);
    session.facts.gpu.name = "Fake GPU";
    session.builder = std::make_unique<Builder>(compile::CompileOptions{}, true);
    session.bench = std::make_unique<Bench>(
        worker::Options{{fs::read_symlink("/proc/self/exe").string(), "fake-worker"}, {}}, Artifact{});
    return session;
  }

  spec::PlannedProblem planned(const std::vector<std::string>& kinds) const {
    spec::PlannedProblem planned{&kernel_, spec::make_problem(kernel_, {8, 64}, {}, ""), {}};
    std::vector<Value> values;
    for (const auto& kind : kinds) values.push_back(Name{kind});
    planned.only = {{"kind", values}};
    return planned;
  }

  void adopt(Session& session, const spec::PlannedProblem& planned) const {
    const CandidateSet set = enumerate(planned, session.gpu());
    const auto sources = render_all(planned, set);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      Artifact artifact = fake_artifact(images.at(to_text(*set.all[i].trial.config.find("kind"))));
      artifact.cubin_hash = artifact.image;
      artifact.kernels = {{"gemv", 32, 0, 0, 0, {}}};
      session.builder->adopt(sources[i].hash, artifact);
    }
  }

  ProblemDone tune(Session& session, const std::vector<std::string>& kinds, store::Store& store) {
    const spec::PlannedProblem problem = planned(kinds);
    adopt(session, problem);
    Observer quiet;
    const ProblemContext context{
        session, store, quiet, nullptr, store.begin_run(session.facts), 1, 1, [] { return false; }};
    return tune_problem(problem, context);
  }

  store::Store database() { return store::Store::open((folder_ / "t.db").string(), store::Store::Mode::read_write); }

  static const Trial& trial(const ProblemDone& done, const std::string& kind) {
    for (const Trial& trial : done.trials)
      if (to_text(*trial.config.find("kind")) == kind) return trial;
    throw std::runtime_error("no trial of " + kind);
  }

  static std::string report(const ProblemDone& done) {
    std::string text = "noise floor " + std::to_string(done.result.noise_floor) + "\n";
    for (const Trial& trial : done.trials)
      text += trial.config.label() + " " + std::string(to_text(trial.status)) + " " + std::to_string(trial.time_us) +
              " us, " + std::to_string(trial.rounds) + " rounds " + trial.detail + "\n";
    return text;
  }

  fs::path folder_;
  spec::KernelSpec kernel_;
};

TEST_F(TuneProblem, TheFastestWinsAndTheDefaultRunsToTheEnd) {
  Session here = session();
  store::Store store = database();
  const ProblemDone done = tune(here, {"fast", "close", "default_one", "slow", "wrong"}, store);
  EXPECT_EQ(done.result.winner, trial(done, "fast").id);
  EXPECT_EQ(done.result.default_trial, trial(done, "default_one").id);
  EXPECT_TRUE(trial(done, "default_one").finalist);
  EXPECT_EQ(trial(done, "default_one").rounds, trial(done, "fast").rounds);
  EXPECT_NEAR(trial(done, "fast").time_us, 5.0, 0.1);
  EXPECT_NEAR(trial(done, "default_one").time_us, 8.0, 0.15);
  EXPECT_EQ(trial(done, "slow").status, Status::eliminated);
  EXPECT_EQ(trial(done, "slow").rounds, 1);
  EXPECT_EQ(trial(done, "wrong").status, Status::rejected);
  EXPECT_EQ(trial(done, "wrong").reason, Reason::wrong_result);
  EXPECT_EQ(done.result.measured, 4);
  EXPECT_EQ(done.result.rejected, 1);
  const auto stored = store.result(here.gpu(), planned({}).problem, "plain");
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->winner, done.result.winner);
}

TEST_F(TuneProblem, KillersCostOneCandidateEachAndTheWinnerStays) {
  Session here = session();
  store::Store store = database();
  const ProblemDone done =
      tune(here, {"fast", "close", "default_one", "hang", "crash", "trap", "dies_timed", "wrong_timed"}, store);
  EXPECT_EQ(done.result.winner, trial(done, "fast").id) << report(done);
  EXPECT_EQ(trial(done, "hang").reason, Reason::timeout);
  EXPECT_EQ(trial(done, "crash").reason, Reason::worker_lost);
  EXPECT_EQ(trial(done, "trap").reason, Reason::fault);
  EXPECT_EQ(trial(done, "wrong_timed").reason, Reason::wrong_result);
  EXPECT_EQ(trial(done, "dies_timed").status, Status::rejected);
  for (const char* honest : {"fast", "close", "default_one"})
    EXPECT_EQ(trial(done, honest).status, Status::measured) << honest << ": " << trial(done, honest).detail;
}

// A probe in place of the real one: the fake device reads nothing, so its time is what its image says.
TEST_F(TuneProblem, WhatBeatsItsProbeByFarIsRejected) {
  fs::create_directories(folder_ / "probes");
  std::string probe = manifest;
  const auto replace = [&](const std::string& from, const std::string& to) {
    probe.replace(probe.find(from), from.size(), to);
  };
  replace("kernel: fake", "kernel: probe_read");
  replace("source: fake.cu", "source: ../fake.cu");
  replace("facts: {y: f32, batch: 1, row_stride: N}", "facts: {a: f32, y: f32, batch: 1, row_stride: N, reads_x: 1}");
  replace("reference: gemv", "reference: none");
  std::ofstream(folder_ / "probes" / "probe.yaml") << probe;
  Session here = session();
  here.probes = spec::Catalog::load({(folder_ / "probes").string()});
  kernel_.family = "gemv";
  spec::PlannedProblem probes{&here.probes.at("probe_read", ""), {}, {}};
  probes.problem = spec::make_problem(*probes.kernel, {8, 64}, {}, "");
  for (std::int64_t reads_x : {0, 1}) {
    probes.problem.facts.back().second = reads_x;
    for (const auto& source : render_all(probes, enumerate(probes, here.gpu()))) {
      Artifact artifact = fake_artifact("gemv@5.05");
      artifact.kernels = {{"gemv", 32, 0, 0, 0, {}}};
      here.builder->adopt(source.hash, artifact);
    }
  }
  store::Store store = database();
  const ProblemDone done = tune(here, {"fast", "close", "default_one", "cheat"}, store);
  EXPECT_EQ(trial(done, "cheat").reason, Reason::implausible) << report(done);
  EXPECT_EQ(done.result.winner, trial(done, "fast").id) << report(done);
  EXPECT_EQ(done.result.ceiling.from, "kernel");  // fast is 1 % faster than the probe: evidence
  EXPECT_NEAR(done.result.ceiling.probe_us, 5.05, 0.05);
}

TEST_F(TuneProblem, EqualBinariesAreTimedOnce) {
  Session here = session();
  store::Store store = database();
  const ProblemDone done = tune(here, {"fast", "default_one", "twin"}, store);
  EXPECT_EQ(trial(done, "twin").status, Status::duplicate);
  EXPECT_EQ(trial(done, "twin").duplicate_of, trial(done, "fast").id);
  EXPECT_EQ(trial(done, "twin").time_us, trial(done, "fast").time_us);
}

TEST_F(TuneProblem, AWorkerKilledFromOutsideIsReplaced) {
  Session here = session();
  store::Store store = database();
  const int pid = here.bench->client().pid();
  std::thread killer([pid] {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    ::kill(pid, SIGKILL);
  });
  const ProblemDone done = tune(here, {"fast", "close", "default_one", "slow"}, store);
  killer.join();
  EXPECT_EQ(done.result.winner, trial(done, "fast").id);
  EXPECT_NE(here.bench->client().pid(), pid);
}

TEST_F(TuneProblem, AnEmptySpaceNamesTheConstraints) {
  Session here = session();
  spec::PlannedProblem problem = planned({"fast"});
  problem.problem.dims = {200000, 64};
  try {
    enumerate(problem, here.gpu());
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "these constraints left nothing: M < 100000 (1)");
  }
}

}  // namespace
}  // namespace tuner::tune
