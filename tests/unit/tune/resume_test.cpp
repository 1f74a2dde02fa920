// What earlier runs and people say of candidates.
#include <sqlite3.h>

#include <chrono>

#include "tune/verify_all.h"
#include "unit/tune/tune_fixture.h"

namespace tuner::tune {
namespace {

using Resume = TuneProblem;
using Obey = TuneProblem;

Config kind(const std::string& name) {
  Config config;
  config.params = {{"kind", Name{name}}, {"block_size", std::int64_t{32}}};
  return config;
}

TEST_F(Resume, WhatCostAProcessTwiceIsNeverRunAgain) {
  store::Store store = database();
  const ProblemDone first = run({"fast", "trap"}, store, {});
  const ProblemDone second = run({"fast", "trap"}, store, {});
  EXPECT_EQ(trial(second, "trap").reason, Reason::fault);
  EXPECT_EQ(second.refused, 0);
  EXPECT_GT(workers_, 2);
  const ProblemDone third = run({"fast", "trap"}, store, {});
  EXPECT_EQ(third.refused, 1);
  EXPECT_EQ(workers_, 2);  // nobody died
  EXPECT_EQ(trial(third, "trap").status, Status::rejected);
  EXPECT_EQ(trial(third, "trap").reason, Reason::fault);
  EXPECT_EQ(trial(third, "trap").detail, "not run again: it cost a process before (trial " +
                                             std::to_string(trial(first, "trap").id) + ", " +
                                             std::to_string(trial(second, "trap").id) + "); --again runs it once more");
  EXPECT_EQ(third.result.winner, trial(third, "fast").id);
  Request again;
  again.forgiving = true;
  EXPECT_EQ(run({"fast", "trap"}, store, again).refused, 0);
  EXPECT_GT(workers_, 2);
}

TEST_F(Resume, AChangedSourceIsTriedAfresh) {
  store::Store store = database();
  run({"fast", "trap"}, store, {});
  run({"fast", "trap"}, store, {});
  std::ofstream(folder_ / "fake.cu") << "extern \"C\" __global__ void gemv() { /* mended */ }\n";
  const ProblemDone done = run({"fast", "trap"}, store, {});
  EXPECT_EQ(done.refused, 0);
  EXPECT_GT(workers_, 2);
}

// A run whose process ended with this configuration in flight; the boot of its machine, if it is another.
void leave_in_flight(store::Store& store, const RunFacts& facts, Trial trial, const std::string& boot = "") {
  const std::int64_t run = store.begin_run(facts);
  trial.id = 0;
  trial.status = Status::started;
  store.save(run, trial);
  store.end_run(run, "failed");
  if (boot.empty()) return;
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(store.path().c_str(), &db), SQLITE_OK);
  const std::string sql =
      "UPDATE runs SET process = '" + boot + "-0000-0000-0000-000000000000 1 1' WHERE id = " + std::to_string(run);
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
}

// Ctrl-C, a batch system, the kernel's OOM killer: none of it is the candidate's doing.
TEST_F(Resume, NamesWhatWasInFlightAndRunsItAgain) {
  store::Store store = database();
  const RunFacts facts = session().facts;
  const ProblemDone known = run({"fast", "close"}, store, {});
  for (int time = 0; time < 3; ++time) {
    warnings_.texts.clear();
    leave_in_flight(store, facts, trial(known, "close"));
    leave_in_flight(store, facts, trial(known, "fast"));
    const ProblemDone done = run({"fast", "close"}, store, {});
    ASSERT_EQ(warnings_.texts.size(), 1U);
    EXPECT_EQ(warnings_.texts[0].find("an earlier run ended while trial "), 0U) << warnings_.texts[0];
    EXPECT_NE(warnings_.texts[0].find(" (and 1 more): run again"), std::string::npos) << warnings_.texts[0];
    EXPECT_EQ(done.refused, 0);
    EXPECT_EQ(trial(done, "close").status, Status::measured);
  }
}

TEST_F(Resume, WhatWasInFlightWhenTheMachineWentDownTwiceIsNotRunAgain) {
  store::Store store = database();
  const RunFacts facts = session().facts;
  const ProblemDone known = run({"fast", "close"}, store, {});
  leave_in_flight(store, facts, trial(known, "close"), "00000001");
  const ProblemDone once = run({"fast", "close"}, store, {});
  EXPECT_EQ(trial(once, "close").status, Status::measured);
  leave_in_flight(store, facts, trial(known, "close"), "00000002");
  leave_in_flight(store, facts, trial(known, "fast"), "00000003");
  leave_in_flight(store, facts, trial(known, "fast"), "00000003");  // so the machine had not gone down before it
  const ProblemDone twice = run({"fast", "close"}, store, {});
  EXPECT_EQ(twice.refused, 1);
  EXPECT_EQ(trial(twice, "close").reason, Reason::worker_lost);
  EXPECT_EQ(trial(twice, "fast").status, Status::measured);
}

TEST_F(Resume, AStopEndsWhatHangsAndChargesNobody) {
  store::Store store = database();
  const auto begin = std::chrono::steady_clock::now();
  const auto late = [begin] { return std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(300); };
  stop_worker_ = late;
  Request stopped;
  stopped.stop = late;
  const ProblemDone done = run({"fast", "hang", "wrong"}, store, stopped);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));  // its deadline is over 5 s
  EXPECT_EQ(trial(done, "fast").status, Status::verified) << report(done);
  EXPECT_EQ(trial(done, "hang").status, Status::compiled);
  EXPECT_EQ(trial(done, "wrong").status, Status::compiled);
  EXPECT_FALSE(done.finished);
  EXPECT_TRUE(store.killers().empty());
}

// Between compiling and running.
TEST_F(Resume, AStopBeforeAnythingRunsLeavesNothingInFlight) {
  store::Store store = database();
  Request stopped;
  stopped.stop = [] { return true; };
  const ProblemDone done = run({"fast", "close"}, store, stopped);
  EXPECT_EQ(trial(done, "fast").status, Status::compiled);
  EXPECT_TRUE(store.killers().empty());
}

TEST_F(Resume, AnErrorThatIsNoVerdictLeavesNobodyInFlight) {
  store::Store store = database();
  Session here = session();
  const spec::PlannedProblem problem = planned({"fast", "close"});
  adopt(here, problem);
  CandidateSet set = enumerate(problem, here.gpu());
  const auto sources = render_all(problem, set, here.gpu());
  for (std::size_t i = 0; i < sources.size(); ++i) set.all[i].source_hash = sources[i].hash;
  judge_artifacts(set, set.all.size(), *here.builder, here.gpu());
  for (Candidate& candidate : set.all) candidate.awkward.clear();
  const std::int64_t run = store.begin_run(here.facts);
  const auto stop = [] { return false; };
  const auto load = [&](std::int64_t columns) {
    const Problem loaded = spec::make_problem(kernel_, {8, columns}, {}, "");
    here.bench->set_workload(0, spec::workload_of(kernel_, loaded, here.gpu()), false);
  };
  const auto statuses = [&] {
    std::vector<Status> found;
    for (const Trial& trial : store.trials(here.gpu(), problem.problem, "plain")) found.push_back(trial.status);
    return found;
  };
  constexpr std::int64_t too_many = 1 << 24;  // more than the fake device's memory

  load(too_many);
  EXPECT_THROW(verify_from(0, set, here, store, run, stop, [](auto, auto, int) {}), MachineError);
  EXPECT_EQ(statuses(), std::vector{Status::compiled});

  load(64);
  for (Candidate& candidate : set.all) candidate.trial.status = Status::compiled;
  verify_from(0, set, here, store, run, stop, [](auto, auto, int) {});
  verify_again(set, here, store, run, stop);
  here.bench->lost();
  load(too_many);
  EXPECT_THROW(verify_again(set, here, store, run, stop), MachineError);
  EXPECT_EQ(statuses(), (std::vector{Status::verified, Status::verified}));
  store.end_run(run, "failed");
  EXPECT_TRUE(store.killers().empty());
}

TEST_F(Resume, VerdictsOfAnUnfinishedProblemStand) {
  store::Store store = database();
  int asked = 0;
  // Once before the first, once a candidate: stops after the third.
  const ProblemDone part =
      run({"wrong", "fast", "close", "default_one"}, store, {{}, [&asked] { return ++asked > 4; }, "interrupted"});
  EXPECT_EQ(part.result.winner, 0);
  EXPECT_FALSE(store.result(session().gpu(), planned({}).problem, "plain"));
  std::vector<std::int64_t> before;
  for (const Trial& trial : part.trials)
    if (trial.status != Status::compiled) before.push_back(trial.id);
  ASSERT_EQ(before.size(), 3U) << report(part);
  const ProblemDone rest = run({"wrong", "fast", "close", "default_one"}, store, {});
  EXPECT_EQ(rest.stood, 3);
  EXPECT_EQ(rest.result.winner, trial(rest, "fast").id) << report(rest);
  for (const std::int64_t id : before) {
    const auto known = store.trial(id);
    ASSERT_TRUE(known);
    EXPECT_EQ(trial(rest, to_text(*known->config.find("kind"))).id, id);  // the row goes on
  }
  EXPECT_EQ(trial(rest, "wrong").reason, Reason::wrong_result);
  EXPECT_TRUE(warnings_.texts.empty()) << warnings_.texts.front();
  EXPECT_EQ(run({"fast"}, store, {}).stood, 0);  // of a finished problem nothing does
}

TEST_F(Resume, TheSlowestCandidateCostsItsTimeOnce) {
  store::Store store = database();
  const std::vector<std::string> kinds{"fast", "default_one", "hang"};
  const auto hung = [&] {
    for (const Trial& trial : store.trials(session().facts.gpu, planned({}).problem, "plain"))
      if (trial.reason == Reason::timeout) return true;
    return false;
  };
  const ProblemDone part = run(kinds, store, {{}, hung, "interrupted"});
  EXPECT_GT(part.seconds, 4) << "its deadline";
  EXPECT_FALSE(part.finished);
  const ProblemDone rest = run(kinds, store, {});
  EXPECT_EQ(workers_, 2) << "it was run again";
  EXPECT_EQ(trial(rest, "hang").id, trial(part, "hang").id);
  EXPECT_EQ(trial(rest, "hang").reason, Reason::timeout);
  EXPECT_EQ(rest.result.winner, trial(rest, "fast").id);
}

// Wherever it was interrupted: while candidates were verified, raced or compared in pairs.
TEST_F(Resume, AnInterruptedSweepEndsWithTheWinnerOfAWholeOne) {
  const std::vector<std::string> kinds{"fast", "near", "close", "default_one"};
  const auto tied = [&](const ProblemDone& done) {
    std::vector<std::string> kinds_tied;
    for (const std::string& kind : kinds)
      if (std::count(done.result.tied.begin(), done.result.tied.end(), trial(done, kind).id))
        kinds_tied.push_back(kind);
    return kinds_tied;
  };
  int asked = 0;
  std::vector<std::string> whole;
  {
    store::Store store = database();
    whole = tied(run(kinds, store, {{}, [&asked] { return ++asked < 0; }}));
  }
  ASSERT_FALSE(whole.empty());
  const int asked_in_all = asked;
  for (const int part : {2, 5, 8}) {
    fs::remove(folder_ / "t.db");
    store::Store store = database();
    asked = 0;
    const ProblemDone first =
        run(kinds, store, {{}, [&] { return ++asked > asked_in_all * part / 10; }, "interrupted"});
    EXPECT_FALSE(first.finished);
    const ProblemDone rest = run(kinds, store, {});
    ASSERT_NE(rest.result.winner, 0) << report(rest);
    const std::vector<std::string> resumed = tied(rest);
    const bool same = std::count(whole.begin(), whole.end(), resumed.front()) > 0;
    EXPECT_TRUE(same) << "interrupted after " << part << " tenths: " << report(rest);
    EXPECT_EQ(rest.trials.size(), kinds.size());
  }
}

TEST_F(Obey, ForbiddenIsNotRun) {
  store::Store store = database();
  store::Forbid forbid;
  forbid.kernel = "fake";
  forbid.params.params = {{"kind", Name{"fast"}}};
  const ProblemDone done = run({"fast", "close", "default_one"}, store, {{{}, {forbid}}});
  EXPECT_EQ(done.trials.size(), 2U);
  EXPECT_EQ(done.result.winner, trial(done, "close").id);
  forbid.why = "not steady";
  try {
    run({"fast"}, store, {{{}, {forbid}}});
    FAIL();
  } catch (const NothingFound& error) {
    EXPECT_STREQ(error.what(), "fake 8x64: every configuration that was asked for is forbidden");
    EXPECT_EQ(error.where(), "user forbids kind=fast (not steady)");
  }
}

TEST_F(Obey, PinnedRunsToTheEndWhateverWasAskedFor) {
  store::Store store = database();
  store::Pin pin;
  pin.problem = planned({}).problem;
  pin.config = kind("slow");
  const ProblemDone done = run({"fast", "close", "default_one"}, store, {{{pin}, {}}}, {"slow"});
  EXPECT_EQ(done.pinned, trial(done, "slow").id);
  EXPECT_TRUE(trial(done, "slow").finalist);
  EXPECT_NEAR(trial(done, "slow").time_us, 40, 1);
  EXPECT_EQ(done.result.winner, trial(done, "fast").id);  // what it costs is known, and who would have won
}

}  // namespace
}  // namespace tuner::tune
