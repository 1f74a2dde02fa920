// The whole path from a problem to its winner against a fake device in a real worker process.
#include <signal.h>

#include <thread>

#include "measure/prepared.h"
#include "tune/build_candidates.h"
#include "tune/ceiling_plan.h"
#include "tune/sized_probe.h"
#include "tune/workloads.h"
#include "unit/tune/tune_fixture.h"

namespace tuner::tune {
namespace {

TEST_F(TuneProblem, TwiceTheCopiesKeepTheReference) {
  Session here = session();
  Artifact reference;
  reference.source_hash = "reference";
  here.bench->set_workload(0, spec::workload_of(kernel_, planned({}).problem, here.gpu()), true, reference);
  here.bench->multiply_copies(0, 2);
  ASSERT_TRUE(here.bench->reference(0).has_value());
  EXPECT_EQ(here.bench->reference(0)->source_hash, "reference");
}

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
  EXPECT_GT(store.trial(trial(done, "slow").id)->seconds, 0) << "what verifying took";
  const auto stored = store.result(here.gpu(), planned({}).problem, "plain");
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->winner, done.result.winner);
}

TEST_F(TuneProblem, AWinnerBelongsToItsRegime) {
  Session here = session();
  store::Store store = database();
  const Problem problem = planned({}).problem;
  const ProblemDone plain = tune(here, {"early", "default_one"}, store);
  EXPECT_EQ(plain.result.winner, trial(plain, "early").id) << "nothing is in front of it";
  EXPECT_FALSE(store.result(here.gpu(), problem, "dependent"));
  const spec::KernelSpec dependent = spec::in_regime(kernel_, "dependent", "");
  kernel_ = dependent;
  const ProblemDone done = tune(here, {"early", "fast", "default_one"}, store);
  EXPECT_EQ(trial(done, "early").reason, Reason::wrong_result);
  EXPECT_NE(trial(done, "early").detail.find("before its predecessor had ended"), std::string::npos);
  EXPECT_EQ(done.result.winner, trial(done, "fast").id);
  EXPECT_EQ(trial(done, "fast").regime, "dependent");
  EXPECT_EQ(store.result(here.gpu(), problem, "dependent")->winner, done.result.winner);
  EXPECT_EQ(store.result(here.gpu(), problem, "plain")->winner, plain.result.winner);
}

TEST_F(TuneProblem, TheDependentRegimeRotatesMoreCopies) {
  constexpr std::int64_t mb = std::int64_t{1} << 20;
  EXPECT_EQ(ring_of("plain"), 1);
  EXPECT_EQ(measure::rotation_copies(470 * mb, 0, 60 * mb, 100000 * mb, ring_of("plain")), 2);
  EXPECT_GE(measure::rotation_copies(470 * mb, 0, 60 * mb, 100000 * mb, ring_of("dependent")), 8)
      << "no launch under way may read what another reads";
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

TEST_F(TuneProblem, WhatIsPublishedIsMeasuredByAWorkerOfItsOwn) {
  Session here = session();
  store::Store store = database();
  const ProblemDone done = tune(here, {"lucky", "default_one"}, store);
  EXPECT_EQ(here.bench->epoch(), 2);
  EXPECT_EQ(done.result.winner, trial(done, "default_one").id) << report(done);
  EXPECT_NEAR(trial(done, "lucky").time_us, 9, 0.2) << "4.5 us in the race";
  EXPECT_TRUE(trial(done, "lucky").finalist);
}

TEST_F(TuneProblem, WhomAWinnerOfTheRaceAloneHasDrivenOutRacesAgain) {
  store::Store store = database();
  const ProblemDone done = run({"fast", "lucky", "default_one"}, store, {});
  EXPECT_EQ(done.result.winner, trial(done, "fast").id) << report(done);
  EXPECT_NEAR(trial(done, "fast").time_us, 5, 0.1);
  ASSERT_EQ(warnings_.texts.size(), 1u);
  EXPECT_EQ(warnings_.texts.front(), "who won was slower in a fresh worker than others had been: all race again");
}

TEST_F(TuneProblem, WhoIsWrongOnOtherDataIsRejectedAndTheOthersRaceAgain) {
  Session here = session();
  store::Store store = database();
  const ProblemDone done = tune(here, {"fast", "right_once", "default_one"}, store);
  EXPECT_EQ(trial(done, "right_once").reason, Reason::wrong_result);
  EXPECT_EQ(trial(done, "right_once").detail.find("in a fresh worker, on other data: "), 0u);
  EXPECT_EQ(done.result.winner, trial(done, "fast").id) << report(done);
}

// What is in the cache needs no compiler. Who is the same as one that was rejected meanwhile is not run either.
TEST_F(TuneProblem, CandidatesAreBuiltAndVerifiedAFewAtATime) {
  const std::vector<std::string> kinds{"fast", "crash", "close", "default_one", "wrong", "crash_twin"};
  compile::Cache cache((folder_ / "cache").string());
  compile::CompileOptions options;
  options.arch = "sm_90";
  options.jobs = 1;
  options.cache = &cache;
  Session here = session();
  here.builder = std::make_unique<Builder>(options, false);
  const spec::PlannedProblem problem = planned(kinds);
  CandidateSet set = enumerate(problem, here.gpu());
  const auto sources = render_all(problem, set, here.gpu());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    Artifact artifact = fake_artifact(fake_images.at(to_text(*set.all[i].trial.config.find("kind"))));
    artifact.cubin_hash = artifact.image;
    artifact.kernels = {{"gemv", "gemv", 32, 0, 0, 0, {}}};
    cache.put(compile::cache_key(sources[i], options), artifact);
  }
  store::Store store = database();
  Observer quiet;
  const ProblemContext context{here, store, quiet, nullptr, store.begin_run(here.facts), 1, 1, [] { return false; }};
  Building building(0, set, problem, context, {});
  for (const std::size_t end : {2, 4, 6}) {
    EXPECT_EQ(building.next(end - 2), end);
    building.build_to(end);
    for (std::size_t i = 0; i < set.all.size(); ++i) EXPECT_EQ(set.all[i].built, i < end) << i;
  }
  const ProblemDone done = tune_problem(problem, context);
  EXPECT_EQ(done.result.winner, trial(done, "fast").id) << report(done);
  EXPECT_EQ(trial(done, "wrong").reason, Reason::wrong_result);
  EXPECT_EQ(trial(done, "crash_twin").status, Status::duplicate);
  EXPECT_EQ(trial(done, "crash_twin").reason, Reason::worker_lost);
  EXPECT_EQ(here.bench->epoch(), 4) << "two that crashed, one that went on, one that confirms";
}

// A program in front of the worker, which ends at its second start.
TEST_F(TuneProblem, ANextWorkerThatDoesNotComeUpIsStartedOnceMore) {
  const std::string script = (folder_ / "start").string(), starts = (folder_ / "starts").string();
  std::ofstream(script) << "#!/bin/sh\necho >> " << starts << "\n[ $(wc -l < " << starts << ") -ne 2 ] || exit 7\nexec "
                        << fs::read_symlink("/proc/self/exe").string() << " fake-worker\n";
  fs::permissions(script, fs::perms::owner_all);
  Bench bench(worker::Options{{script}, {}, {}}, Artifact{});
  bench.client();
  bench.prepare();
  bench.renew(1);
  EXPECT_EQ(bench.epoch(), 2);
  EXPECT_EQ(bench.client().conditions().sm_clock_mhz, 1234);
  std::ifstream counted(starts);
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(counted), {}, '\n'), 3);
}

// A probe in place of the real one: the fake device reads nothing, so its time is what its image says.
TEST_F(TuneProblem, WhatBeatsItsProbeByFarIsRejected) {
  fs::create_directories(folder_ / "probes");
  std::string probe = fake_manifest;
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
    for (const auto& source : render_all(probes, enumerate(probes, here.gpu()), here.gpu())) {
      Artifact artifact = fake_artifact("gemv@5.05");
      artifact.kernels = {{"gemv", "gemv", 32, 0, 0, 0, {}}};
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

// It is held to a copy of what is hot, and to no rate of memory.
TEST_F(TuneProblem, WhatReadsHotHasNoSustainedCeiling) {
  Workload workload;
  EXPECT_FALSE(reads_hot(workload)) << "it reads nothing";
  Argument argument;
  argument.is_buffer = true;
  argument.elements = 4;
  for (const auto& [role, hot] : {std::pair{Role::output, false}, {Role::activation, true}, {Role::weight, false}}) {
    argument.role = role;
    workload.arguments.push_back(argument);
    EXPECT_EQ(reads_hot(workload), hot);
  }
}

// Of a family, but of another matrix than the probes of a GEMV would read: it is timed without them.
TEST_F(TuneProblem, AFamilyAloneSaysNothingOfTheMatrix) {
  Session here = session();
  kernel_.family = "gemv";
  kernel_.reference.kind = ReferencePlan::Kind::none;
  store::Store store = database();
  const ProblemDone done = tune(here, {"fast", "default_one"}, store);
  EXPECT_EQ(done.result.winner, trial(done, "fast").id) << report(done);
}

TEST_F(TuneProblem, WhatComputingBoundsIsHeldAgainstItsArithmetic) {
  fs::create_directories(folder_ / "probes");
  std::string probe = fake_manifest;
  const auto replace = [&](const std::string& from, const std::string& to) {
    probe.replace(probe.find(from), from.size(), to);
  };
  replace("kernel: fake", "kernel: probe_mma_f16");
  replace("source: fake.cu", "source: ../fake.cu");
  replace("reference: gemv", "reference: none");
  replace("size: N, role: activation", "size: \"1\", role: activation");  // the fake device really computes
  std::ofstream(folder_ / "probes" / "probe.yaml") << probe;
  Session here = session();
  here.probes = spec::Catalog::load({(folder_ / "probes").string()});
  spec::PlannedProblem probes{&here.probes.at("probe_mma_f16", ""), {}, {}};
  probes.problem = ceiling_problem(*probes.kernel, here.gpu());
  const double flops = spec::workload_of(*probes.kernel, probes.problem, here.gpu()).flops;
  kernel_.bound_by = "compute";
  kernel_.arithmetic = "tensor_f16";
  const spec::PlannedProblem problem = planned({"fast", "default_one"});
  adopt(here, problem);  // of the probe as well, whose sources are the same
  store::Store store = database();
  Peaks peaks;
  const ProblemContext context{
      here, store, warnings_, nullptr, store.begin_run(here.facts), 1, 1, [] { return false; }, nullptr, false, &peaks};
  const ProblemDone done = tune_problem(problem, context);
  EXPECT_NE(done.result.winner, 0) << report(done);
  EXPECT_EQ(done.result.ceiling.arithmetic, "tensor_f16");
  EXPECT_NEAR(done.result.ceiling.tflop_per_s, flops / 5 / 1e6, 0.05 * flops / 5 / 1e6);
  EXPECT_EQ(store.result(here.gpu(), problem.problem, "plain")->ceiling.tflop_per_s, done.result.ceiling.tflop_per_s);
  EXPECT_EQ(peaks.tflop_per_s(here, "fma_f64"), 0);  // there is no such probe
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

// As by the system where memory is short: it is not charged before it has happened several times.
TEST_F(TuneProblem, WhoIsKilledAgainAndAgainIsCharged) {
  store::Store store = database();
  const ProblemDone done = run({"fast", "shot", "default_one"}, store, {});
  EXPECT_EQ(trial(done, "shot").reason, Reason::worker_lost);
  EXPECT_EQ(workers_, worker::most_kills_by_others + 2) << "and one that confirms";
  EXPECT_EQ(done.result.winner, trial(done, "fast").id) << report(done);
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
