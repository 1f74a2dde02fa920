// Candidates of the dependent regime, on a device whose predecessors write late.
#include "measure/dependent.h"

#include <gtest/gtest.h>

#include "core/number.h"
#include "device/generator.h"
#include "unit/measure/fake_device.h"
#include "unit/measure/workloads.h"

namespace tuner::measure {
namespace {

device::Clock::time_point in_time() { return device::Clock::now() + std::chrono::seconds(20); }

Workload fed_workload(Type type, std::int64_t rows, std::int64_t columns) {
  Workload w = gemv_workload(type, rows, columns);
  w.feeds = {{"x", "y"}};
  return w;
}

struct Bench {
  explicit Bench(const Workload& workload) : prepared(device, workload, {}), execution(gemv_execution(workload)) {
    execution.dependent = true;
  }
  Verdict verdict(const std::string& fault, Thoroughness thoroughness = Thoroughness::main) {
    return verify_dependent(device, prepared, candidate(fault), thoroughness, in_time()).verdict;
  }
  Candidate candidate(const std::string& fault) {
    return {device.load(fake_artifact("gemv:" + fault)), &execution, 0, true};
  }
  FakeDevice device;
  Prepared prepared;
  Execution execution;
};

TEST(Dependent, RightKernelsPassAndTheirResultsAreFedBack) {
  for (const Type type : {Type::f32, Type::f16, Type::bf16})
    for (const auto& [rows, columns] : {std::pair{64, 64}, std::pair{13, 257}, std::pair{100, 33}, std::pair{1, 5}}) {
      Bench bench(fed_workload(type, rows, columns));
      ASSERT_EQ(bench.prepared.feeds().size(), 1u);
      const Verdict verdict = bench.verdict("");
      EXPECT_TRUE(verdict.ok()) << to_text(type) << rows << "x" << columns << ": " << verdict.detail;
      EXPECT_EQ(bench.device.links(), 3) << "exact, what it gave, random";
    }
}

TEST(Dependent, WhatIsFedIsTheReferenceOfTheFedResult) {
  Bench bench(fed_workload(Type::f32, 5, 7));
  const Workload& w = bench.prepared.workload();
  const auto a = device::generated_bytes(fill_request(w, 0, DataSet::exact));
  const Reference first = compute_reference(w, DataSet::exact);
  const std::vector<Expectation> fed = bench.prepared.fed_expectations();
  ASSERT_EQ(fed.size(), 1u);
  for (std::size_t row = 0; row < 5; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < 7; ++i)
      sum += decode(Type::f32, a.data() + (row * 7 + i) * 4) * device::small_of(first.value[i % 5], 3);
    EXPECT_EQ(fed[0].value(row), sum) << row;
  }
}

TEST(Dependent, WhoReadsOrWritesEarlyIsRejected) {
  Bench bench(fed_workload(Type::f32, 64, 64));
  const Verdict early = bench.verdict("early"), writes = bench.verdict("writes_early");
  EXPECT_EQ(early.reason, Reason::wrong_result) << early.detail;
  EXPECT_NE(early.detail.find("before wait_for_predecessor()"), std::string::npos) << early.detail;
  EXPECT_FALSE(writes.ok());
  EXPECT_NE(writes.detail.find("before wait_for_predecessor()"), std::string::npos) << writes.detail;
  EXPECT_FALSE(bench.verdict("early", Thoroughness::awkward).ok());
  EXPECT_TRUE(bench.verdict("").ok()) << "activations are what they were";
  const Candidate right = bench.candidate("");
  EXPECT_TRUE(verify(bench.device, bench.prepared, right, Thoroughness::main, in_time()).verdict.ok());
}

TEST(Dependent, VerifyAllAsksItOfDependentExecutionsAlone) {
  Bench bench(fed_workload(Type::f32, 64, 64));
  const Candidate early = bench.candidate("early");
  EXPECT_EQ(verify_all(bench.device, bench.prepared, early, {}, in_time()).verdict.reason, Reason::wrong_result);
  bench.execution.dependent = false;
  EXPECT_TRUE(verify_all(bench.device, bench.prepared, early, {}, in_time()).verdict.ok());
}

TEST(Dependent, NothingIsFedWhereResultsAreNotExact) {
  Workload w = fed_workload(Type::f32, 8, 8);
  w.reference.exact_integers = false;
  Bench bench(w);
  EXPECT_TRUE(bench.prepared.feeds().empty());
  EXPECT_TRUE(bench.verdict("").ok());
  EXPECT_EQ(bench.device.links(), 2);
  EXPECT_FALSE(bench.verdict("early").ok());
}

}  // namespace
}  // namespace tuner::measure
