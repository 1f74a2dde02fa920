#include "core/scalar_bits.h"

#include <gtest/gtest.h>

#include <limits>

namespace tuner {
namespace {

std::uint64_t bits(Type type, std::int64_t value) {
  Argument scalar;
  scalar.is_buffer = false;
  scalar.type = type;
  scalar.value = value;
  scalar.real = static_cast<double>(value);
  return scalar_bits(scalar);
}

TEST(ScalarBits, AreRoundedToTheirType) {
  EXPECT_EQ(bits(Type::i32, -1) & 0xffffffffu, 0xffffffffu);
  EXPECT_EQ(bits(Type::i64, std::numeric_limits<std::int64_t>::min()), 0x8000000000000000u);
  EXPECT_EQ(bits(Type::u8, 255) & 0xffu, 255u);
  EXPECT_EQ(bits(Type::boolean, 1) & 0xffu, 1u);
  EXPECT_EQ(bits(Type::f32, 3), 0x40400000u);
  EXPECT_EQ(bits(Type::f64, -2), 0xc000000000000000u);
}

TEST(ScalarBits, NarrowFloatsRoundToNearestEven) {
  EXPECT_EQ(bits(Type::f16, 0), 0u);
  EXPECT_EQ(bits(Type::f16, 1), 0x3c00u);
  EXPECT_EQ(bits(Type::f16, -2), 0xc000u);
  EXPECT_EQ(bits(Type::f16, 2048), 0x6800u);
  EXPECT_EQ(bits(Type::f16, 2049), 0x6800u);  // half way: to the even one
  EXPECT_EQ(bits(Type::f16, 2051), 0x6802u);
  EXPECT_EQ(bits(Type::f16, 4095), 0x6c00u);  // rounds up into the next power of two
  EXPECT_EQ(bits(Type::f16, 65504), 0x7bffu);
  EXPECT_EQ(bits(Type::f16, 65520), 0x7c00u);
  EXPECT_EQ(bits(Type::f16, -1000000), 0xfc00u);
  EXPECT_EQ(bits(Type::bf16, 1), 0x3f80u);
  EXPECT_EQ(bits(Type::bf16, -3), 0xc040u);
  EXPECT_EQ(bits(Type::bf16, 257), 0x4380u);
  EXPECT_EQ(bits(Type::bf16, 259), 0x4382u);
  EXPECT_EQ(bits(Type::bf16, std::numeric_limits<std::int64_t>::min()), 0xdf00u);
  EXPECT_EQ(bits(Type::f8_e4m3, 1), 0x38u);
  EXPECT_EQ(bits(Type::f8_e4m3, 448), 0x7eu);
  EXPECT_EQ(bits(Type::f8_e5m2, -1), 0xbcu);
}

}  // namespace
}  // namespace tuner
