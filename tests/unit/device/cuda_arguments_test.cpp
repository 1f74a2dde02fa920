#include "device/cuda_arguments.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace tuner::device {
namespace {

TEST(CudaArguments, ScalarsAreRoundedToTheirType) {
  EXPECT_EQ(scalar_bits(Type::i32, -1) & 0xffffffffu, 0xffffffffu);
  EXPECT_EQ(scalar_bits(Type::i64, std::numeric_limits<std::int64_t>::min()), 0x8000000000000000u);
  EXPECT_EQ(scalar_bits(Type::u8, 255) & 0xffu, 255u);
  EXPECT_EQ(scalar_bits(Type::f32, 3), 0x40400000u);
  EXPECT_EQ(scalar_bits(Type::f64, -2), 0xc000000000000000u);
}

TEST(CudaArguments, SixteenBitFloatsRoundToNearestEven) {
  EXPECT_EQ(scalar_bits(Type::f16, 0), 0u);
  EXPECT_EQ(scalar_bits(Type::f16, 1), 0x3c00u);
  EXPECT_EQ(scalar_bits(Type::f16, -2), 0xc000u);
  EXPECT_EQ(scalar_bits(Type::f16, 2048), 0x6800u);
  EXPECT_EQ(scalar_bits(Type::f16, 2049), 0x6800u);  // half way: to the even one
  EXPECT_EQ(scalar_bits(Type::f16, 2051), 0x6802u);
  EXPECT_EQ(scalar_bits(Type::f16, 4095), 0x6c00u);  // rounds up into the next power of two
  EXPECT_EQ(scalar_bits(Type::f16, 65504), 0x7bffu);
  EXPECT_EQ(scalar_bits(Type::f16, 65520), 0x7c00u);
  EXPECT_EQ(scalar_bits(Type::f16, -1000000), 0xfc00u);
  EXPECT_EQ(scalar_bits(Type::bf16, 1), 0x3f80u);
  EXPECT_EQ(scalar_bits(Type::bf16, -3), 0xc040u);
  EXPECT_EQ(scalar_bits(Type::bf16, 257), 0x4380u);
  EXPECT_EQ(scalar_bits(Type::bf16, 259), 0x4382u);
  EXPECT_EQ(scalar_bits(Type::bf16, std::numeric_limits<std::int64_t>::min()), 0xdf00u);
}

TEST(CudaArguments, PointersFollowAMove) {
  Argument buffer, scalar;
  scalar.is_buffer = false;
  scalar.type = Type::i32;
  scalar.value = 7;
  PackedArguments packed = pack_arguments({buffer, scalar}, {0x1234, 0});
  const PackedArguments moved = std::move(packed);
  ASSERT_EQ(moved.pointers.size(), 2u);
  EXPECT_EQ(*static_cast<std::uint64_t*>(moved.pointers[0]), 0x1234u);
  EXPECT_EQ(*static_cast<std::int32_t*>(moved.pointers[1]), 7);
}

}  // namespace
}  // namespace tuner::device
