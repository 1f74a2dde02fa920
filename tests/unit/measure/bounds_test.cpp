// What bounds a result: nothing where a kernel subtracts; integers must be equal.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>

#include "measure/judge.h"
#include "measure/reference.h"

namespace tuner::measure {
namespace {

TEST(Magnitude, OfWhatSubtractsIsNeverBelowTheResult) {
  Reference reference{"y", Type::f32, {1.0, -3.0, 2.0, 0.0}, {}};
  take_magnitude(reference, {1.0, -0.5, 1.0, -2.0});
  EXPECT_EQ(reference.magnitude, (std::vector<double>{1.0, 3.0, 2.0, 0.0}));
  ASSERT_TRUE(reference.lesser);
  EXPECT_EQ(*reference.lesser, -2.0);
  const Expectation expected = expect_within(reference, {}, 0, 4);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_GE(expected.bound(i), 0) << i;
}

TEST(Magnitude, OfASumStaysWhatItIs) {
  Reference reference{"y", Type::f32, {1.0, -3.0}, {}};
  take_magnitude(reference, {1.0 - 1e-12, 5.0});
  EXPECT_EQ(reference.magnitude, (std::vector<double>{1.0 - 1e-12, 5.0}));
  EXPECT_FALSE(reference.lesser);
  Reference integers{"n", Type::i32, {5.0}, {}};
  take_magnitude(integers, {-5.0});
  EXPECT_FALSE(integers.lesser);
}

// Whatever the manifest states.
TEST(Expectation, OfIntegersIsExact) {
  const Reference counts{"n", Type::i32, {9e8, -1}, {9e8, 1}};
  const std::int32_t right[] = {900000000, -1}, wrong[] = {900000001, -1};
  for (const ErrorBound& bound : {ErrorBound{}, ErrorBound{ErrorBound::Kind::stated, 0.5, 2}}) {
    const Expectation expected = expect_within(counts, bound, 1000, 1000);
    EXPECT_TRUE(judge(expected, std::as_bytes(std::span(right))).ok());
    EXPECT_EQ(judge(expected, std::as_bytes(std::span(wrong))).reason, Reason::wrong_result);
  }
  const Reference sums{"y", Type::f32, {9e8}, {9e8}};
  const float near[] = {9e8F + 64};
  EXPECT_TRUE(judge(expect_within(sums, {}, 1000, 1000), std::as_bytes(std::span(near))).ok());
}

}  // namespace
}  // namespace tuner::measure
