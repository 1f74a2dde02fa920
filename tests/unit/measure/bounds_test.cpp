// What the reference gives for the inputs' absolute values bounds nothing where a kernel subtracts.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tuner::measure
