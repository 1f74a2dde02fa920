#include "core/number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tuner {
namespace {

struct Case {
  const char* name;
  std::uint16_t (*to)(double);
  double (*from)(std::uint16_t);
  std::uint16_t infinity;
};
const Case cases[] = {{"f16", to_f16, from_f16, 0x7c00}, {"bf16", to_bf16, from_bf16, 0x7f80}};

TEST(Number, EveryPatternSurvivesTheRoundTrip) {
  for (const auto& c : cases)
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
      const auto pattern = static_cast<std::uint16_t>(bits);
      if (std::isnan(c.from(pattern))) {
        EXPECT_TRUE(std::isnan(c.from(c.to(c.from(pattern)))));
        EXPECT_GT(bits & 0x7fff, c.infinity);
        continue;
      }
      ASSERT_EQ(c.to(c.from(pattern)), pattern) << c.name << " " << bits;
    }
}

// Between every two neighbours: the tie goes to the even pattern, anything off it to the nearer one.
TEST(Number, TiesGoToEvenBetweenAllNeighbours) {
  for (const auto& c : cases)
    for (unsigned bits = 0; bits < c.infinity; ++bits) {
      const auto below = static_cast<std::uint16_t>(bits), above = static_cast<std::uint16_t>(bits + 1);
      const double low = c.from(below);
      const double high = above == c.infinity ? 2 * low - c.from(static_cast<std::uint16_t>(bits - 1)) : c.from(above);
      const double middle = low + (high - low) / 2;
      ASSERT_EQ(c.to(middle), bits % 2 == 0 ? below : above) << c.name << " " << bits;
      ASSERT_EQ(c.to(std::nextafter(middle, 0)), below) << c.name << " " << bits;
      ASSERT_EQ(c.to(std::nextafter(middle, INFINITY)), above) << c.name << " " << bits;
      ASSERT_EQ(c.to(-middle), 0x8000 | (bits % 2 == 0 ? below : above)) << c.name << " " << bits;
    }
}

TEST(Number, KnownValues) {
  EXPECT_EQ(to_f16(65504), 0x7bff);
  EXPECT_EQ(to_f16(65519.999), 0x7bff);
  EXPECT_EQ(to_f16(65520), 0x7c00);
  EXPECT_EQ(to_f16(0x1p-24), 1);
  EXPECT_EQ(to_f16(0x1p-25), 0);
  EXPECT_EQ(to_f16(0x1.8p-24), 2);
  EXPECT_EQ(to_f16(-0.0), 0x8000);
  EXPECT_EQ(to_bf16(1.0), 0x3f80);
  EXPECT_EQ(to_bf16(1 + 0x1p-8), 0x3f80);
  EXPECT_EQ(to_bf16(1 + 0x1.8p-8 + 0x1p-30), 0x3f81);
  EXPECT_EQ(overflow_threshold(Type::f16), 65520);
  EXPECT_EQ(half_step(Type::f16, 1), 0x1p-11);
  EXPECT_EQ(half_step(Type::f16, 0), 0x1p-25);
  EXPECT_EQ(half_step(Type::f16, 0x1p-20), 0x1p-25);
  EXPECT_EQ(half_step(Type::f32, 1.5), 0x1p-24);
  EXPECT_EQ(half_step(Type::bf16, -2), 0x1p-7);
}

TEST(Number, IntegersRoundAndSaturate) {
  EXPECT_EQ(rounded(Type::i8, 1000), 127);
  EXPECT_EQ(rounded(Type::i8, -1000), -128);
  EXPECT_EQ(rounded(Type::u8, -3), 0);
  EXPECT_EQ(rounded(Type::i32, 2.5), 2);
  EXPECT_EQ(rounded(Type::i32, -3.5), -4);
}

}  // namespace
}  // namespace tuner
