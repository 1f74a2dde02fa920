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

double from_bits(Type type, unsigned bits) {
  const auto byte = static_cast<std::byte>(bits);
  return decode(type, &byte);
}

unsigned to_bits(Type type, double value) {
  std::byte byte{};
  encode(type, value, &byte);
  return std::to_integer<unsigned>(byte);
}

TEST(Number, EveryEightBitPatternSurvivesTheRoundTrip) {
  for (const Type type : {Type::f8_e4m3, Type::f8_e5m2})
    for (unsigned bits = 0; bits < 256; ++bits) {
      const double value = from_bits(type, bits);
      if (std::isnan(value))
        EXPECT_EQ(to_bits(type, value), 0x7fu);
      else if (std::isinf(value))
        EXPECT_EQ(to_bits(type, value), (bits & 0x80u) | 0x7bu) << "it saturates";
      else
        EXPECT_EQ(to_bits(type, value), bits) << to_text(type);
      if (!std::isnan(value)) {
        EXPECT_EQ(std::signbit(value), bits >= 128) << to_text(type) << " " << bits;
      }
    }
}

TEST(Number, EightBitTiesGoToEvenBetweenAllNeighbours) {
  for (const auto& [type, most] : {std::pair{Type::f8_e4m3, 0x7eu}, std::pair{Type::f8_e5m2, 0x7bu}}) {
    for (unsigned bits = 0; bits < most; ++bits) {
      const double low = from_bits(type, bits), high = from_bits(type, bits + 1), middle = (low + high) / 2;
      ASSERT_LT(low, high) << to_text(type) << " " << bits;
      ASSERT_EQ(to_bits(type, middle), bits % 2 == 0 ? bits : bits + 1) << to_text(type) << " " << bits;
      ASSERT_EQ(to_bits(type, std::nextafter(middle, 0)), bits) << to_text(type) << " " << bits;
      ASSERT_EQ(to_bits(type, std::nextafter(middle, INFINITY)), bits + 1) << to_text(type) << " " << bits;
      ASSERT_EQ(rounded(type, -middle), bits % 2 == 0 ? -low : -high) << to_text(type) << " " << bits;
      ASSERT_EQ(half_step(type, low), (high - low) / 2) << to_text(type) << " " << bits;
    }
    for (const double large : {1e6, 1e300, static_cast<double>(INFINITY)}) {
      EXPECT_EQ(to_bits(type, large), most);
      EXPECT_EQ(to_bits(type, -large), most | 0x80u);
    }
  }
}

TEST(Number, KnownEightBitValues) {
  EXPECT_EQ(from_bits(Type::f8_e4m3, 0x7e), 448);
  EXPECT_EQ(from_bits(Type::f8_e4m3, 0x38), 1);
  EXPECT_EQ(from_bits(Type::f8_e4m3, 0x08), 0x1p-6);
  EXPECT_EQ(from_bits(Type::f8_e4m3, 0x01), 0x1p-9);
  EXPECT_TRUE(std::isnan(from_bits(Type::f8_e4m3, 0x7f)));
  EXPECT_EQ(from_bits(Type::f8_e5m2, 0x7b), 57344);
  EXPECT_EQ(from_bits(Type::f8_e5m2, 0x3c), 1);
  EXPECT_EQ(from_bits(Type::f8_e5m2, 0x04), 0x1p-14);
  EXPECT_EQ(from_bits(Type::f8_e5m2, 0x01), 0x1p-16);
  EXPECT_TRUE(std::isinf(from_bits(Type::f8_e5m2, 0x7c)));
  EXPECT_TRUE(std::isnan(from_bits(Type::f8_e5m2, 0x7d)));
}

TEST(Number, PackedTypesLieTwoInAByteTheFirstInTheLowHalf) {
  EXPECT_EQ(bytes_of(Type::i4, 5), 3);
  EXPECT_EQ(bytes_of(Type::u4, 4), 2);
  std::byte bytes[3] = {std::byte{0xff}, std::byte{0xff}, std::byte{0xff}};
  encode_all(Type::i4, std::vector<double>{-8, 7, -1, 3, -100}, bytes);
  EXPECT_EQ(bytes[0], std::byte{0x78});
  EXPECT_EQ(bytes[1], std::byte{0x3f});
  EXPECT_EQ(bytes[2], std::byte{0x08}) << "the half byte behind the last is 0";
  EXPECT_EQ(decoded(Type::i4, bytes), (std::vector<double>{-8, 7, -1, 3, -8, 0}));
  encode_all(Type::u4, std::vector<double>{15, 100, -3, 8}, bytes);
  EXPECT_EQ(bytes[0], std::byte{0xff});
  EXPECT_EQ(bytes[1], std::byte{0x80});
  EXPECT_EQ(decoded(Type::u4, std::span(bytes).first(2)), (std::vector<double>{15, 15, 0, 8}));
}

// Of every type: what is decoded is what was encoded, for values that it holds.
TEST(Number, WholeBuffersSurviveTheRoundTrip) {
  for (const Type type :
       {Type::f64, Type::f32, Type::f16, Type::bf16, Type::i8, Type::u8, Type::i16, Type::u16, Type::i32, Type::u32,
        Type::i64, Type::u64, Type::f8_e4m3, Type::f8_e5m2, Type::boolean, Type::i4, Type::u4}) {
    std::vector<double> values{0, 1, 1, 0};
    if (type != Type::boolean) values.insert(values.end(), {2, 7});
    if (is_signed(type)) values.insert(values.end(), {-1, -7});
    std::vector<std::byte> bytes(static_cast<std::size_t>(bytes_of(type, static_cast<std::int64_t>(values.size()))));
    encode_all(type, values, bytes.data());
    EXPECT_EQ(decoded(type, bytes), values) << to_text(type);
  }
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
