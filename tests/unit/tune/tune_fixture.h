// A kernel whose configurations a fake device runs as their names say, in real worker processes.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/error.h"
#include "tune/tune_problem.h"
#include "unit/measure/fake_device.h"

namespace tuner::tune {

namespace fs = std::filesystem;

inline constexpr const char* fake_manifest = R"yaml(tuner: 1
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
  kind: [fast, near, close, default_one, slow, hang, crash, shot, trap, wrong, dies_timed, wrong_timed, twin, cheat,
         early, lucky, right_once, crash_twin]
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
dependent: {feeds: {x: y}}
)yaml";

// What the fake device makes of each kind.
inline const std::map<std::string, std::string> fake_images{{"fast", "gemv@5.0"},
                                                            {"near", "gemv@5.002"},
                                                            {"close", "gemv@5.2"},
                                                            {"default_one", "gemv@8"},
                                                            {"slow", "gemv@40"},
                                                            {"hang", "gemv:hang@5"},
                                                            {"crash", "gemv:crash@5"},
                                                            {"shot", "gemv:shot@5"},
                                                            {"trap", "gemv:trap@5"},
                                                            {"wrong", "gemv:drop_last@4"},
                                                            {"dies_timed", "gemv:dies_timed@4"},
                                                            {"wrong_timed", "gemv:wrong_timed@4"},
                                                            {"twin", "gemv@5.0"},
                                                            {"cheat", "gemv@4"},
                                                            {"early", "gemv:early@3"},
                                                            {"lucky", "gemv:lucky@4.5"},
                                                            {"right_once", "gemv:right_once@4.5"},
                                                            {"crash_twin", "gemv:crash@5"}};

class TuneProblem : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("tuner-tune-test-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    std::ofstream(folder_ / "fake.cu") << "extern \"C\" __global__ void gemv() {}\n";
    kernel_ = spec::parse_kernel(fake_manifest, (folder_ / "fake.yaml").string());
  }
  void TearDown() override { fs::remove_all(folder_); }

  Session session() {
    Session session;
    session.facts.gpu = gpu_of_arch(90);
    session.facts.gpu.name = "Fake GPU";
    session.builder = std::make_unique<Builder>(compile::CompileOptions{}, true);
    session.bench = std::make_unique<Bench>(
        worker::Options{{fs::read_symlink("/proc/self/exe").string(), "fake-worker"}, {}, stop_worker_}, Artifact{});
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
    const auto sources = render_all(planned, set, session.gpu());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      Artifact artifact = fake_artifact(fake_images.at(to_text(*set.all[i].trial.config.find("kind"))));
      artifact.cubin_hash = artifact.image;
      artifact.kernels = {{"gemv", "gemv", 32, 0, 0, 0, {}}};
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

  // A whole run that ends as `outcome` says.
  struct Request {
    Overrules overrules;
    std::function<bool()> stop = [] { return false; };
    std::string outcome = "done";
    bool with_winner = false;
    bool forgiving = false;
  };
  ProblemDone run(const std::vector<std::string>& kinds, store::Store& store, const Request& request,
                  const std::vector<std::string>& also_built = {}) {
    Session here = session();
    std::vector<std::string> built = kinds;
    built.insert(built.end(), also_built.begin(), also_built.end());
    adopt(here, planned(built));
    const std::int64_t id = store.begin_run(here.facts);
    const ProblemContext context{
        here,    store,   warnings_, nullptr,          id, 1, 1, request.stop, &request.overrules, request.with_winner,
        nullptr, nullptr, nullptr,   request.forgiving};
    ProblemDone done = tune_problem(planned(kinds), context);
    store.end_run(id, request.outcome);
    workers_ = here.bench->epoch();
    return done;
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

  struct Warnings : Observer {
    void on_warning(const std::string& warning) override { texts.push_back(warning); }
    std::vector<std::string> texts;
  };

  fs::path folder_;
  spec::KernelSpec kernel_;
  Warnings warnings_;
  std::function<bool()> stop_worker_;  // empty: never
  int workers_ = 0;                    // that the last run needed
};

}  // namespace tuner::tune
