#include "device/generator.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/number.h"
#include "measure/dot_rows.h"

namespace tuner::measure {
namespace {

using device::checksum;
using device::generated;
using device::generated_bytes;
using device::hash;

device::FillRequest request(Type type, bool exact, std::uint64_t seed, std::int64_t count = 0) {
  device::FillRequest r;
  r.type = type;
  r.exact = exact;
  r.seed = seed;
  r.count = count;
  return r;
}

// From an independent implementation in another language.
TEST(Generator, ValuesArePinned) {
  EXPECT_EQ(hash(1, 0), 0x4179b061e0c0e0d0ull);
  EXPECT_EQ(hash(1, 3), 0xb1aad77756123d6ull);
  EXPECT_EQ(hash(7, 1000000000000ull), 0x9952d568abf00d36ull);
  const int exact[] = {-2, 1, -1, 2, 1, -2, 1, 1, 3, -3, -3, 3, 1, -3, 1, -1};
  for (int i = 0; i < 16; ++i) EXPECT_EQ(generated(request(Type::f16, true, 42), i), exact[i]) << i;
  const double f32[] = {-0.2193816900253296, -0.43868064880371094, -0.7540048360824585, -0.8881388902664185};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(generated(request(Type::f32, false, 42), i), f32[i]) << i;
  const std::uint16_t f16[] = {0xb305, 0xb705, 0xba08, 0xbb1b, 0xb8e1, 0xb5c4, 0x386d, 0xbb76};
  const auto bytes = generated_bytes(request(Type::f16, false, 42, 8));
  ASSERT_EQ(bytes.size(), 16u);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(to_f16(decode(Type::f16, bytes.data() + 2 * i)), f16[i]) << i;
}

TEST(Generator, ChecksumIsPinned) {
  std::vector<std::byte> bytes(21);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  EXPECT_EQ(checksum(bytes), 0x5c303f77d3f7a79aull);
  EXPECT_EQ(checksum({}), 0u);
  EXPECT_EQ(checksum(std::vector<std::byte>(8)), 0x1cc140088f3b6becull);
}

TEST(Generator, IntegersTruncateTowardZeroAndStayInRange) {
  auto r = request(Type::i8, false, 3);
  r.low = -8;
  r.high = 8;
  int zeros = 0;
  for (int i = 0; i < 4000; ++i) {
    const double v = generated(r, i);
    EXPECT_EQ(v, static_cast<int>(v));
    EXPECT_LE(std::abs(v), 8);
    zeros += v == 0;
  }
  EXPECT_NEAR(zeros, 4000 / 8, 100);  // (-1, 1) all become 0
}

TEST(Generator, ConstantRangeGivesTheConstant) {
  auto r = request(Type::bf16, false, 3);
  r.low = r.high = 0.3;
  EXPECT_EQ(generated(r, 17), rounded(Type::bf16, 0.3));
}

device::FillRequest kind(Type type, Fill::Kind kind, double low, double high) {
  auto r = request(type, false, 11);
  r.kind = kind;
  r.low = low;
  r.high = high;
  return r;
}

TEST(Generator, NormalHasItsMeanAndDeviationAndEnds) {
  const auto r = kind(Type::f32, Fill::Kind::normal, 10, 2);
  double sum = 0, squares = 0;
  int within = 0;
  constexpr int count = 100000;
  for (int i = 0; i < count; ++i) {
    const double z = (generated(r, i) - 10) / 2;
    EXPECT_LE(std::abs(z), 4.95);
    sum += z;
    squares += z * z;
    within += std::abs(z) < 1;
  }
  EXPECT_NEAR(sum / count, 0, 0.012);
  EXPECT_NEAR(squares / count, 1, 0.02);
  EXPECT_NEAR(within, 0.6827 * count, 1500) << "nearly, for a sum of eight";
}

TEST(Generator, IotaCountsInItsType) {
  EXPECT_EQ(generated(kind(Type::i32, Fill::Kind::iota, 5, -2), 10), -15);
  EXPECT_EQ(generated(kind(Type::u8, Fill::Kind::iota, 250, 1), 10), 255) << "it saturates";
  EXPECT_EQ(generated(kind(Type::i4, Fill::Kind::iota, -8, 1), 3), -5);
  EXPECT_EQ(generated(kind(Type::i64, Fill::Kind::iota, 0, 1 << 20), std::int64_t{1} << 32), 0x1p52);
  EXPECT_EQ(generated(kind(Type::f32, Fill::Kind::iota, 0.5, 0.25), 6), 2);
  EXPECT_EQ(generated(kind(Type::f16, Fill::Kind::iota, 0, 1), 2049), 2048) << "rounded to the type";
  auto r = kind(Type::i32, Fill::Kind::iota, 0, 1);
  r.exact = true;
  EXPECT_NE(generated(r, 1000), 1000) << "exact values come before the kind";
}

TEST(Generator, ExactValuesSuitTheType) {
  for (const Type type :
       {Type::u8, Type::u16, Type::u32, Type::u64, Type::u4, Type::boolean, Type::f8_e4m3, Type::i4}) {
    int seen[7] = {};
    for (int i = 0; i < 6000; ++i) {
      const double value = generated(request(type, true, 8), i);
      ASSERT_LE(std::abs(value), 3) << to_text(type);
      ++seen[static_cast<int>(value) + 3];
    }
    if (type == Type::boolean) {
      EXPECT_EQ(seen[3] + seen[4], 6000);
      EXPECT_NEAR(seen[4], 3000, 250);
    } else if (is_signed(type)) {
      EXPECT_EQ(seen[3], 0) << to_text(type);
      for (const int i : {0, 1, 2, 4, 5, 6}) EXPECT_NEAR(seen[i], 1000, 200) << to_text(type) << " " << i - 3;
    } else {
      for (const int i : {4, 5, 6}) EXPECT_NEAR(seen[i], 2000, 250) << to_text(type) << " " << i - 3;
    }
  }
}

TEST(Generator, NarrowTypesHoldWhatTheyCan) {
  for (int i = 0; i < 500; ++i) {
    const double e4m3 = generated(kind(Type::f8_e4m3, Fill::Kind::uniform, -1, 1), i);
    EXPECT_EQ(e4m3, rounded(Type::f8_e4m3, e4m3));
    EXPECT_LE(std::abs(e4m3), 1);
    EXPECT_LE(std::abs(generated(kind(Type::f8_e4m3, Fill::Kind::normal, 0, 1e4), i)), 448);
  }
  const auto bytes = generated_bytes([] {
    auto r = kind(Type::u4, Fill::Kind::uniform, 0, 16);
    r.count = 5;
    return r;
  }());
  ASSERT_EQ(bytes.size(), 3u);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(std::to_integer<int>(bytes[static_cast<std::size_t>(i / 2)]) >> (i % 2 * 4) & 15,
              generated(kind(Type::u4, Fill::Kind::uniform, 0, 16), i));
  EXPECT_EQ(bytes[2] >> 4, std::byte{0}) << "behind the last";
}

// The vectorised generator of the reference against the plain one.
TEST(Generator, FastFormAgreesWithPlainForm) {
  for (const Type type : {Type::f32, Type::f16, Type::bf16, Type::f64, Type::i8})
    for (const double scale : {1.0, 1e-4, 3e-8, 70000.0, 1e38})
      for (const bool exact : {true, false}) {
        if (type == Type::i8 && scale > 1) continue;
        auto r = request(type, exact, 99);
        r.magnitude = scale > 1 ? 5 : scale == 1 ? 3 : scale > 1e-6 ? 2 : 1;
        r.low = scale == 1.0 ? -1 : -scale * 0.7;
        r.high = scale;
        std::vector<float> fast(3001);
        generate_floats(r, 12345678901ll, 3001, fast.data());
        for (int i = 0; i < 3001; ++i)
          ASSERT_EQ(static_cast<double>(fast[static_cast<std::size_t>(i)]), generated(r, 12345678901ll + i))
              << to_text(type) << " " << scale << " " << exact << " " << i;
      }
}

}  // namespace
}  // namespace tuner::measure
