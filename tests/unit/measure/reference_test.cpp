#include "measure/reference.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "core/number.h"
#include "device/generator.h"
#include "unit/measure/workloads.h"

namespace tuner::measure {
namespace {

using device::generated;

void expect_naive(const Workload& w, DataSet set) {
  const Reference reference = compute_reference(w, set);
  const auto a = fill_request(w, 0, set), x = fill_request(w, 1, set);
  const std::int64_t rows = w.dims[0], columns = w.dims[1];
  ASSERT_EQ(static_cast<std::int64_t>(reference.value.size()), rows * w.batch);
  for (std::int64_t b = 0; b < w.batch; ++b)
    for (std::int64_t i = 0; i < rows; ++i) {
      double sum = 0, magnitude = 0;
      for (std::int64_t j = 0; j < columns; ++j) {
        const double term = generated(a, i * w.row_stride + j) * generated(x, b * columns + j);
        sum += term;
        magnitude += std::fabs(term);
      }
      const auto at = static_cast<std::size_t>(b * rows + i);
      ASSERT_NEAR(reference.value[at], sum, set == DataSet::exact ? 0 : 1e-12 * magnitude) << i;
      ASSERT_NEAR(reference.magnitude[at], magnitude, 1e-12 * magnitude) << i;
    }
}

TEST(Reference, AgreesWithTheNaiveSum) {
  for (const DataSet set : {DataSet::exact, DataSet::random}) {
    expect_naive(gemv_workload(Type::f16, 37, 1030), set);
    expect_naive(gemv_workload(Type::bf16, 5, 77, 3, 91), set);
    expect_naive(gemv_workload(Type::f32, 1, 300001), set);
    expect_naive(gemv_workload(Type::f32, 1000, 1), set);
    expect_naive(gemv_workload(Type::f64, 3, 100), set);
  }
}

TEST(Reference, ExactSetIsExactInAFloatAccumulator) {
  for (const std::int64_t terms : {1ll, 4096ll, 28672ll, 1864135ll, 1864136ll, 4194304ll, 4194305ll, 16777216ll}) {
    const int m = exact_magnitude(terms);
    EXPECT_GE(m, 1);
    EXPECT_LE(m * m * terms, 1 << 24) << terms;
    EXPECT_TRUE(m == 3 || (m + 1) * (m + 1) * terms > 1 << 24) << terms;
  }
  EXPECT_EQ(exact_magnitude(16777217), 1);
  const Workload w = gemv_workload(Type::f16, 64, 28672);
  const Reference reference = compute_reference(w, DataSet::exact);
  for (std::size_t i = 0; i < reference.value.size(); ++i) {
    EXPECT_LE(reference.magnitude[i], 1 << 24);
    EXPECT_EQ(reference.value[i], std::nearbyint(reference.value[i]));
  }
}

TEST(Reference, BeyondTheExactLengthPartialSumsStaySmall) {
  const Workload w = gemv_workload(Type::f16, 1, (1 << 24) + 5);
  const Reference reference = compute_reference(w, DataSet::exact);
  EXPECT_EQ(reference.magnitude[0], (1 << 24) + 5);
  EXPECT_LT(std::fabs(reference.value[0]), 1 << 15);
}

TEST(Reference, DataSetsAndArgumentsDiffer) {
  const Workload w = gemv_workload(Type::f16, 4, 4);
  EXPECT_NE(fill_request(w, 0, DataSet::exact).seed, fill_request(w, 0, DataSet::random).seed);
  EXPECT_NE(fill_request(w, 0, DataSet::exact).seed, fill_request(w, 1, DataSet::exact).seed);
  EXPECT_NE(fill_request(w, 0, DataSet::exact).seed, fill_request(w, 0, DataSet::exact, 1).seed);
}

TEST(Reference, UnfitArgumentsAreNamed) {
  Workload w = gemv_workload(Type::f16, 4, 4);
  w.arguments[0].fill.kind = Fill::Kind::iota;
  try {
    compute_reference(w, DataSet::exact);
    FAIL();
  } catch (const UserError& e) {
    EXPECT_STREQ(e.what(),
                 "reference 'gemv' does not fit kernel 'gemv_f16': 'A' is filled neither uniform nor constant");
  }
  w.arguments[0].fill.kind = Fill::Kind::uniform;
  w.arguments[2].elements = 3;
  EXPECT_THROW(compute_reference(w, DataSet::exact), UserError);
  w.arguments.erase(w.arguments.begin());
  EXPECT_THROW(compute_reference(w, DataSet::exact), UserError);
  w.reference.kind = ReferencePlan::Kind::none;
  EXPECT_TRUE(compute_reference(w, DataSet::exact).empty());
}

}  // namespace
}  // namespace tuner::measure
