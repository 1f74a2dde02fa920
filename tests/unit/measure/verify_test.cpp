#include "measure/verify.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "unit/measure/fake_device.h"
#include "unit/measure/workloads.h"

namespace tuner::measure {
namespace {

device::Clock::time_point in_time() { return device::Clock::now() + std::chrono::seconds(20); }

// A fake device with one workload on it.
struct Bench {
  explicit Bench(const Workload& workload, bool emulated = false)
      : device(emulated), prepared(device, workload, {}), execution(gemv_execution(workload)) {}

  Verdict verdict(const std::string& fault, bool deterministic = true) {
    const Candidate candidate{device.load(fake_artifact("gemv:" + fault)), &execution, 0, deterministic};
    return verify(device, prepared, candidate, Thoroughness::main, in_time()).verdict;
  }

  FakeDevice device;
  Prepared prepared;
  Execution execution;
};

TEST(Verify, RightKernelsPassInEveryType) {
  for (const Type type : {Type::f32, Type::f16, Type::bf16})
    for (const bool emulated : {false, true})
      for (const std::int64_t misalign : {0, 1}) {
        Workload w = gemv_workload(type, 13, 257);
        w.misalign_elements = misalign;
        Bench bench(w, emulated);
        const Verdict verdict = bench.verdict("");
        EXPECT_TRUE(verdict.ok()) << to_text(type) << emulated << ": " << verdict.detail;
        EXPECT_GT(verdict.max_err_over_bound, 0);
        EXPECT_LT(verdict.max_err_over_bound, 1);
        EXPECT_LT(verdict.max_rel_err, 0.01);
        EXPECT_EQ(verdict.first_run_us > 0, !emulated);
      }
}

TEST(Verify, EachFaultHasItsReason) {
  const std::pair<const char*, Reason> faults[] = {
      {"drop_last", Reason::wrong_result},     {"drop_last_vector", Reason::wrong_result},
      {"warp_partial", Reason::wrong_result},  {"count_twice", Reason::wrong_result},
      {"unwritten", Reason::unwritten_output}, {"past_end", Reason::out_of_bounds},
      {"before_start", Reason::out_of_bounds}, {"far_past_end", Reason::out_of_bounds},
      {"past_scratch", Reason::out_of_bounds}, {"past_input", Reason::out_of_bounds},

      {"change_input", Reason::input_changed}, {"nan", Reason::not_finite},
      {"accumulates", Reason::wrong_result},   {"trap", Reason::fault},
      {"no_launch", Reason::launch_error},     {"racy", Reason::nondeterministic},
      {"last_bit", Reason::nondeterministic},  {"reads_past", Reason::out_of_bounds},
      {"reads_before", Reason::out_of_bounds},
  };
  Bench bench(gemv_workload(Type::f32, 17, 512));
  for (const auto& [fault, reason] : faults) {
    const Verdict verdict = bench.verdict(fault);
    EXPECT_EQ(to_text(verdict.reason), to_text(reason)) << fault << ": " << verdict.detail;
    EXPECT_FALSE(verdict.detail.empty()) << fault;
    EXPECT_TRUE(bench.verdict("").ok()) << "after " << fault;  // what it damaged was mended
  }
}

TEST(Verify, ReadsBesideAnInputAreToldFromWrongArithmetic) {
  Bench bench(gemv_workload(Type::f32, 17, 512));
  const Verdict verdict = bench.verdict("reads_past");
  EXPECT_EQ(verdict.detail.find("reads outside x (2048 bytes): the result changes with what lies beside it; y[1] is "),
            0U)
      << verdict.detail;
}

TEST(Verify, ARareRaceIsNoReadOutside) {
  Bench bench(gemv_workload(Type::f32, 17, 512));
  for (char every = 'd'; every <= 'z'; ++every)
    for (char run = 'a'; run < every; ++run) {
      const Verdict verdict = bench.verdict(std::string("rare_race_") + every + run);
      EXPECT_TRUE(verdict.reason == Reason::wrong_result || verdict.reason == Reason::nondeterministic)
          << every << run << ": " << to_text(verdict.reason) << ": " << verdict.detail;
    }
}

// Found 0 by every run, and by whoever comes after one that did not leave it so.
TEST(Verify, WhatEveryLaunchLeavesZeroIsLookedAt) {
  Bench bench(gemv_workload(Type::f32, 10, 64));
  bench.execution.arguments.push_back(buffer_argument("tickets", Type::u32, 3, Role::zeroed));
  EXPECT_TRUE(bench.verdict("").ok());
  const Verdict kept = bench.verdict("keeps_count");
  EXPECT_EQ(kept.reason, Reason::wrong_result);
  EXPECT_EQ(kept.detail, "byte 5 of tickets, which every launch leaves 0 for the next one, is 1");
  EXPECT_TRUE(bench.verdict("").ok());
}

TEST(Verify, DetailNamesTheFirstWrongElementAndTheCount) {
  Bench bench(gemv_workload(Type::f32, 10, 64));
  EXPECT_EQ(bench.verdict("unwritten").detail, "y[4] was never written; 2 of 10 not written");
  EXPECT_EQ(bench.verdict("past_end").detail, "wrote just past the end of y (40 bytes)");
  EXPECT_EQ(bench.verdict("far_past_end").detail, "wrote 4000 bytes past the end of y (40 bytes)");
  EXPECT_EQ(bench.verdict("before_start").detail, "wrote 4 bytes before the start of y");
  EXPECT_EQ(bench.verdict("past_scratch").detail, "wrote just past the end of acc (40 bytes)");
  EXPECT_EQ(bench.verdict("change_input").detail, "A was changed");
  const std::string nan = bench.verdict("nan").detail;
  EXPECT_EQ(nan.substr(0, 24), "y[3] is nan, expected " + nan.substr(22, 2));
  EXPECT_NE(nan.find("; 1 of 10 not finite"), std::string::npos) << nan;
  const std::string wrong = bench.verdict("drop_last").detail;
  EXPECT_EQ(wrong.substr(0, 8), "y[0] is ");
  EXPECT_NE(wrong.find("; 10 of 10 wrong"), std::string::npos) << wrong;
  EXPECT_NE(bench.verdict("accumulates").detail.find("held before"), std::string::npos);
}

// Where the random set's bound would hide it, the exact set does not: every row of every size is caught.
TEST(Verify, ADroppedTermIsCaughtAtAnyLength) {
  for (const Type type : {Type::f16, Type::f32})
    for (const std::int64_t columns : {14336, 28672}) {
      Bench bench(gemv_workload(type, 5, columns));
      for (const char* fault : {"drop_last", "drop_last_vector", "warp_partial", "count_twice"}) {
        const Verdict verdict = bench.verdict(fault);
        EXPECT_EQ(verdict.reason, Reason::wrong_result) << fault << " " << columns;
        EXPECT_NE(verdict.detail.find("5 of 5 wrong"), std::string::npos) << verdict.detail;
      }
    }
}

TEST(Verify, OrderOfThreadsIsShuffledWhereThatIsPossible) {
  Bench host(gemv_workload(Type::f32, 17, 100), true);
  const Verdict verdict = host.verdict("no_barrier");
  EXPECT_EQ(verdict.reason, Reason::missing_barrier) << verdict.detail;
  EXPECT_EQ(host.verdict("block_order").reason, Reason::missing_barrier);
  EXPECT_TRUE(host.verdict("").ok());
  for (const char* fault : {"drop_last", "unwritten", "past_end", "before_start", "change_input", "nan"})
    EXPECT_NE(host.verdict(fault).reason, Reason::none) << fault;
}

// Results of a mebibyte and more are compared where they lie.
Workload large_workload(bool exact_integers = true) {
  Workload w = gemv_workload(Type::f32, (1 << 18) + 3, 4);
  w.reference.exact_integers = exact_integers;
  return w;
}

TEST(Verify, LargeRightResultsStayOnTheDevice) {
  for (const bool exact_integers : {true, false}) {
    Bench bench(large_workload(exact_integers));
    Bench small(gemv_workload(Type::f32, 1000, 4));
    const auto before = bench.device.downloaded_bytes();
    const Verdict verdict = bench.verdict("");
    EXPECT_TRUE(verdict.ok()) << verdict.detail;
    EXPECT_GT(verdict.max_err_over_bound, 0.01);
    EXPECT_LT(verdict.max_err_over_bound, 1);
    EXPECT_GT(verdict.max_rel_err, 0);
    EXPECT_EQ(bench.device.downloaded_bytes(), before);
    EXPECT_EQ(bench.device.compares(), exact_integers ? 3 : 5);
    EXPECT_TRUE(small.verdict("").ok());
    EXPECT_EQ(small.device.compares(), 0);
  }
}

TEST(Verify, LargeWrongResultsHaveTheReasonsOfSmallOnes) {
  const std::pair<const char*, Reason> faults[] = {{"last_row", Reason::wrong_result},
                                                   {"unwritten", Reason::unwritten_output},
                                                   {"past_end", Reason::out_of_bounds},
                                                   {"nan", Reason::not_finite},
                                                   {"last_row_once", Reason::wrong_result}};
  Bench bench(large_workload(false));
  for (const auto& [fault, reason] : faults) {
    const Verdict verdict = bench.verdict(fault, std::string(fault) != "last_row_once");
    EXPECT_EQ(to_text(verdict.reason), to_text(reason)) << fault << ": " << verdict.detail;
    if (std::string(fault).find("last_row") != 0) continue;
    EXPECT_NE(verdict.detail.find("y[262146] is "), std::string::npos) << verdict.detail;
    EXPECT_NE(verdict.detail.find("; 1 of 262147 wrong"), std::string::npos) << verdict.detail;
  }
}

TEST(Verify, RunsThatDifferWithinTheBoundAreTold) {
  Bench bench(large_workload(false));
  const Verdict verdict = bench.verdict("last_bit");
  EXPECT_EQ(verdict.reason, Reason::nondeterministic);
  EXPECT_NE(verdict.detail.find(" in one run and "), std::string::npos) << verdict.detail;
  EXPECT_TRUE(bench.verdict("last_bit", false).ok()) << "where the manifest allows it";
}

TEST(Verify, WithoutMemoryForTheReferenceTheHostJudges) {
  FakeDevice device;
  device.set_free_bytes(6 << 20);
  const Workload w = large_workload();
  Prepared prepared(device, w, {});
  const Execution execution = gemv_execution(w);
  for (const char* fault : {"", "last_row"}) {
    const Candidate candidate{device.load(fake_artifact(std::string("gemv:") + fault)), &execution, 0, true};
    EXPECT_EQ(verify(device, prepared, candidate, Thoroughness::main, in_time()).verdict.ok(), *fault == 0) << fault;
  }
  EXPECT_EQ(device.compares(), 0);
}

TEST(Verify, NondeterminismIsAllowedWhereTheManifestSaysSo) {
  Bench bench(gemv_workload(Type::f32, 17, 100));
  EXPECT_EQ(bench.verdict("racy", false).reason, Reason::wrong_result);  // exact sums are the same in any order
  EXPECT_EQ(bench.verdict("last_bit", false).reason, Reason::wrong_result);
}

TEST(Verify, DamageDoneByAnEarlierCandidateIsNotCharged) {
  Bench bench(gemv_workload(Type::f16, 8, 64));
  const Bound bound = bench.prepared.bind(bench.execution, DataSet::exact, 0);
  bench.device.set(bound.addresses[0] + 6, 0x11, 2);  // as a wild write would
  EXPECT_TRUE(bench.verdict("").ok());
  bench.device.set(bound.addresses[1] - 8, 0x11, 2);
  EXPECT_TRUE(bench.verdict("").ok());
}

TEST(Verify, SlowKernelsRunOnceOnTheRandomSet) {
  Bench bench(gemv_workload(Type::f32, 4, 16));
  const int before = bench.device.runs();
  EXPECT_TRUE(bench.verdict("").ok());
  const int quick = bench.device.runs() - before;
  EXPECT_TRUE(bench.verdict("@2000").ok());
  EXPECT_EQ(quick, 5);
  EXPECT_EQ(bench.device.runs() - before - quick, 3);
}

TEST(Verify, MissedDeadlineIsATimeout) {
  Bench bench(gemv_workload(Type::f32, 4, 16));
  const Candidate candidate{bench.device.load(fake_artifact("gemv:hang")), &bench.execution, 0, true};
  const auto found = verify(bench.device, bench.prepared, candidate, Thoroughness::main,
                            device::Clock::now() + std::chrono::milliseconds(20));
  EXPECT_EQ(found.verdict.reason, Reason::timeout);
  EXPECT_TRUE(found.device_lost);
}

TEST(Verify, AWrongResultNamesTheKeyThatSaysWhatIsRight) {
  Workload w = gemv_workload(Type::f32, 16, 64);
  const auto said = [&] {
    const std::string detail = Bench(w).verdict("drop_last").detail;
    return detail.substr(detail.find("wrong; ") + 7);
  };
  EXPECT_EQ(said(), "on small integers, where results are exact (else `exact_integers: false`)");
  w.reference.bound.kind = ErrorBound::Kind::exact;
  EXPECT_EQ(said(), "on small integers, with `bound: exact`");
  w.reference.bound = {ErrorBound::Kind::stated, 1e-6, 1e-6};
  w.reference.exact_integers = false;
  EXPECT_EQ(said(), "on small integers, with the stated `bound`");
  w.reference.bound = {};
  EXPECT_NE(said().find("a kernel that clamps"), std::string::npos) << said();
}

TEST(Verify, AnAwkwardShapeThatTakesTooLongNamesItsRemedy) {
  Bench bench(gemv_workload(Type::f32, 4, 16));
  const Workload tail = gemv_workload(Type::f32, 5, 67);
  Prepared prepared(bench.device, tail, {});
  const Execution execution = gemv_execution(tail);
  const auto good = bench.device.load(fake_artifact("gemv")), hangs = bench.device.load(fake_artifact("gemv:hang"));
  const Verdict verdict =
      verify_all(bench.device, bench.prepared, {good, &bench.execution, 0, true},
                 {{&prepared, {hangs, &execution, 0, true}}}, device::Clock::now() + std::chrono::milliseconds(300))
          .verdict;
  EXPECT_EQ(verdict.reason, Reason::timeout);
  EXPECT_EQ(verdict.detail,
            "at 5x67: still running at its deadline; `awkward: [37x131, 1x1]` in the manifest names smaller shapes to "
            "verify at beside its own");
}

TEST(Verify, WrongOnlyOnAnAwkwardShapeIsExactOnly) {
  Bench bench(gemv_workload(Type::f32, 16, 64));
  const Workload tail = gemv_workload(Type::f32, 5, 67, 1, 70);
  Prepared prepared(bench.device, tail, {});
  const Execution execution = gemv_execution(tail);
  const auto verdict_of = [&](const std::string& fault) {
    const auto module = bench.device.load(fake_artifact("gemv:" + fault));
    return verify_all(bench.device, bench.prepared, {module, &bench.execution, 0, true},
                      {{&prepared, {module, &execution, 0, true}}}, in_time())
        .verdict;
  };
  EXPECT_TRUE(verdict_of("").ok());
  EXPECT_FALSE(verdict_of("").exact_only);
  const Verdict only = verdict_of("only_whole_vectors");
  EXPECT_TRUE(only.ok());
  EXPECT_TRUE(only.exact_only);
  EXPECT_EQ(only.detail.substr(0, 26), "at 5x67 row_stride=70: y[0");
  EXPECT_EQ(verdict_of("crash_on_tail").reason, Reason::out_of_bounds);
  EXPECT_EQ(verdict_of("drop_last").reason, Reason::wrong_result);
}

TEST(Verify, ProbesWithoutReferenceAreHeldToTheirBuffers) {
  Workload w = gemv_workload(Type::f32, 16, 64);
  w.reference.kind = ReferencePlan::Kind::none;
  Bench bench(w);
  const auto before = bench.device.downloaded_bytes();
  EXPECT_TRUE(bench.verdict("drop_last").ok());
  EXPECT_EQ(bench.device.downloaded_bytes(), before);  // nobody judges them
  EXPECT_EQ(bench.verdict("past_end").reason, Reason::out_of_bounds);
  EXPECT_EQ(bench.verdict("change_input").reason, Reason::input_changed);
}

TEST(Prepared, ArgumentsThatAreNotTheWorkloadsAreNamed) {
  Bench bench(gemv_workload(Type::f32, 16, 64));
  Execution other = bench.execution;
  other.arguments[0].name = "B";
  EXPECT_THROW(bench.prepared.bind(other, DataSet::exact, 0), UserError);
  other = bench.execution;
  other.arguments[2].elements = 4;
  EXPECT_THROW(bench.prepared.bind(other, DataSet::exact, 0), UserError);
}

TEST(Prepared, ReleasesAllItTook) {
  FakeDevice device;
  {
    const Workload w = gemv_workload(Type::f16, 16, 64);
    Prepared prepared(device, w, {true, 1});
    const Execution execution = gemv_execution(w);
    prepared.bind(execution, DataSet::exact, 0);
    EXPECT_GT(device.allocations(), 0u);
  }
  EXPECT_EQ(device.allocations(), 0u);
  device.set_free_bytes(1000);
  EXPECT_THROW(Prepared(device, gemv_workload(Type::f16, 16, 64), {}), MachineError);
  EXPECT_EQ(device.allocations(), 0u);
}

}  // namespace
}  // namespace tuner::measure
