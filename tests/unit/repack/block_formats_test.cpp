#include "repack/block_formats.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <random>

#include "files.h"
#include "layout.h"

namespace tuner::repack {
namespace {

using Block = std::vector<std::uint8_t>;

std::uint16_t half_at(const Block& block, std::size_t byte) {
  return static_cast<std::uint16_t>(block[byte] | block[byte + 1] << 8);
}
void put_half(Block& block, std::size_t byte, std::uint16_t bits) {
  block[byte] = static_cast<std::uint8_t>(bits & 255);
  block[byte + 1] = static_cast<std::uint8_t>(bits >> 8);
}
double f16_at(const Block& block, std::size_t byte) { return from_f16(half_at(block, byte)); }

// The formats' definitions, a block at a time.
std::vector<double> q4_0(const Block& b) {
  std::vector<double> w(32);
  for (std::size_t j = 0; j < 16; ++j) {
    w[j] = f16_at(b, 0) * ((b[2 + j] & 15) - 8);
    w[j + 16] = f16_at(b, 0) * ((b[2 + j] >> 4) - 8);
  }
  return w;
}
std::vector<double> q8_0(const Block& b) {
  std::vector<double> w;
  for (std::size_t j = 0; j < 32; ++j) w.push_back(f16_at(b, 0) * static_cast<std::int8_t>(b[2 + j]));
  return w;
}
std::vector<double> mxfp4(const Block& b) {
  std::vector<double> w(32);
  for (std::size_t j = 0; j < 16; ++j) {
    w[j] = std::ldexp(e2m1(b[1 + j] & 15), b[0] - 127);
    w[j + 16] = std::ldexp(e2m1(b[1 + j] >> 4), b[0] - 127);
  }
  return w;
}
// The twelve bytes as a number of 96 bits would be unwieldy: scales and minima 0 to 3 are whole, 4 to 7 in two parts.
std::vector<double> q4_k(const Block& b) {
  std::vector<double> w(256);
  for (std::size_t i = 0; i < 256; ++i) {
    const std::size_t j = i / 32, pair = i / 64;
    const std::uint8_t* s = &b[4];
    const int scale = j < 4 ? s[j] % 64 : s[j + 4] % 16 + s[j - 4] / 64 * 16;
    const int least = j < 4 ? s[j + 4] % 64 : s[j + 4] / 16 + s[j] / 64 * 16;
    const int byte = b[16 + pair * 32 + i % 32], q = j % 2 == 0 ? byte % 16 : byte / 16;
    w[i] = f16_at(b, 0) * scale * q - f16_at(b, 2) * least;
  }
  return w;
}

struct BlockFormat {
  std::string type;  // GGUF's number
  std::size_t bytes, weights;
  std::vector<double> (*definition)(const Block&);
  std::vector<std::size_t> halves;  // where f16 numbers stand
};
const std::vector<BlockFormat>& all_formats() {
  static const std::vector<BlockFormat> formats{
      {"2", 18, 32, q4_0, {0}}, {"8", 34, 32, q8_0, {0}}, {"12", 144, 256, q4_k, {0, 2}}, {"39", 17, 32, mxfp4, {}}};
  return formats;
}

// Random bytes, with finite scales: of every size where `any`, else such that their products stay below 2^12.
Block random_block(const BlockFormat& format, std::mt19937& random, bool any) {
  Block block(format.bytes);
  for (std::uint8_t& byte : block) byte = static_cast<std::uint8_t>(random());
  for (const std::size_t at : format.halves)
    put_half(block, at, static_cast<std::uint16_t>(random() % (any ? 0x7c00 : 0x5400) | random() % 2 << 15));
  if (format.halves.empty() && block[0] == 255) block[0] = 254;
  return block;
}

Packed repacked(const BlockFormat& format, const std::vector<std::int64_t>& shape, const std::vector<Block>& blocks) {
  std::string bytes;
  for (const Block& block : blocks) bytes.append(block.begin(), block.end());
  const File written(gguf_of({{"other", "0", {3}, std::string(12, '\1')}, {"w", format.type, shape, bytes}}, 64));
  const TensorFile file(written.path());
  return from_gguf(file, *file.find("w"));
}

void expect_same(const Packed& packed, const BlockFormat& format, const std::vector<Block>& blocks) {
  const auto in_row = static_cast<std::size_t>(packed.columns) / format.weights;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const std::vector<double> wanted = format.definition(blocks[b]);
    const auto row = static_cast<std::int64_t>(b / in_row);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const double got = weight_at(packed, row / packed.rows, row % packed.rows,
                                   static_cast<std::int64_t>(b % in_row * format.weights + i));
      ASSERT_LE(std::abs(got - wanted[i]), packed.rounding) << "block " << b << " weight " << i;
      if (packed.rounding == 0) {
        ASSERT_EQ(std::signbit(got), std::signbit(wanted[i])) << "block " << b << " weight " << i;
      }
    }
  }
}

TEST(BlockFormats, AgreeWithTheirDefinitions) {
  std::mt19937 random(1);
  for (const BlockFormat& format : all_formats()) {
    std::vector<Block> blocks;
    for (int i = 0; i < 2 * 3 * 5; ++i) blocks.push_back(random_block(format, random, format.type != "12"));
    const auto columns = static_cast<std::int64_t>(5 * format.weights);
    const Packed matrix = repacked(format, {6, columns}, blocks);
    EXPECT_EQ(matrix.rows, 6);
    EXPECT_EQ(matrix.matrices, 1);
    expect_same(matrix, format, blocks);
    const Packed stacked = repacked(format, {2, 3, columns}, blocks);
    EXPECT_EQ(stacked.rows, 3);
    EXPECT_EQ(stacked.matrices, 2);
    expect_same(stacked, format, blocks);
    if (format.type == "12") {
      // Two roundings to f16 of numbers below 2^12: 15 times half a unit of the one and half a unit of the other.
      EXPECT_GT(matrix.rounding, 0);
      EXPECT_LE(matrix.rounding, 16);
    } else {
      EXPECT_EQ(matrix.rounding, 0);
    }
  }
}

TEST(BlockFormats, KeepExtremes) {
  for (const BlockFormat& format : all_formats()) {
    std::vector<Block> blocks;
    for (const int byte : {0, 0x11, 0x80, 0x88, 0xff}) {
      for (const std::uint16_t scale : std::array<std::uint16_t, 7>{0, 0x8000, 1, 0x8001, 0x03ff, 0x0400, 0x3c00}) {
        Block block(format.bytes, static_cast<std::uint8_t>(byte));
        for (const std::size_t at : format.halves) put_half(block, at, scale);
        if (format.halves.empty()) block[0] = static_cast<std::uint8_t>(scale >> 8);
        blocks.push_back(block);
      }
    }
    if (format.halves.empty()) blocks.back()[0] = 254;
    expect_same(
        repacked(format, {static_cast<std::int64_t>(blocks.size()), static_cast<std::int64_t>(format.weights)}, blocks),
        format, blocks);
  }
}

TEST(BlockFormats, Q4KOfAllZeroBytesIsExact) {
  const BlockFormat& q4k = all_formats()[2];
  const Packed packed = repacked(q4k, {1, 256}, {Block(144, 0)});
  EXPECT_EQ(packed.rounding, 0);
  EXPECT_EQ(weight_at(packed, 0, 0, 255), 0);
}

TEST(BlockFormats, RefuseScalesThatAreNoNumbers) {
  for (const BlockFormat& format : all_formats()) {
    std::vector<std::function<void(Block&)>> faults;
    if (format.halves.empty()) faults.push_back([](Block& block) { block[0] = 255; });
    for (const std::size_t at : format.halves)
      for (const std::uint16_t bits : std::array<std::uint16_t, 4>{0x7c00, 0xfc00, 0x7e00, 0x7c01})
        faults.push_back([at, bits = bits](Block& block) { put_half(block, at, bits); });
    for (const auto& fault : faults) {
      std::vector<Block> blocks(4, Block(format.bytes, 0));
      fault(blocks[3]);
      const std::string said = refusal([&] {
        repacked(format, {2, static_cast<std::int64_t>(2 * format.weights)}, blocks);
      });
      EXPECT_EQ(said.find("'w', row 1, columns from " + std::to_string(format.weights) + " on: "), 0U) << said;
      EXPECT_TRUE(said.find("no finite number") != std::string::npos || said.find("not a number") != std::string::npos)
          << said;
    }
  }
}

TEST(BlockFormats, RefuseProductsBeyondHalf) {
  const BlockFormat& q4k = all_formats()[2];
  Block block(144, 0);
  put_half(block, 0, 0x7bff);  // 65504
  block[4] = 1;
  EXPECT_EQ(weight_at(repacked(q4k, {1, 256}, {block}), 0, 0, 0), 0);
  block[4] = 2;
  EXPECT_EQ(refusal([&] {
              repacked(q4k, {1, 256}, {block});
            }),
            "'w', row 0, columns from 0 on: d times its scale is 131008, beyond what f16 holds");
  block[4] = 0;
  put_half(block, 2, 0xfbff);
  block[8] = 63;
  EXPECT_EQ(refusal([&] {
              repacked(q4k, {1, 256}, {block});
            }),
            "'w', row 0, columns from 0 on: dmin times its minimum is -4126752, beyond what f16 holds");
}

TEST(BlockFormats, RefuseOtherTypes) {
  const File written(gguf_of({{"w", "14", {1, 256}, std::string(210, '\0')}, {"v", "2", {32}, std::string(18, '\0')}}));
  const TensorFile file(written.path());
  EXPECT_EQ(refusal([&] { from_gguf(file, *file.find("w")); }), "'w' is of Q6_K");
  EXPECT_EQ(refusal([&] { from_gguf(file, *file.find("v")); }), "'v' has 1 dimensions: it is no matrix");
}

// As gpt-oss has them: the low half of a byte is the even column.
struct Mx {
  std::string blocks, scales;
  std::vector<std::int64_t> shape{2, 3, 4};  // experts, rows, blocks
  Packed packed() const {
    const File written(safetensors_of({{"w_blocks", "U8", with(16), blocks}, {"w_scales", "U8", shape, scales}}));
    const TensorFile file(written.path());
    return from_mxfp4(file, *file.find("w_blocks"), *file.find("w_scales"));
  }
  std::vector<std::int64_t> with(std::int64_t last) const {
    std::vector<std::int64_t> all = shape;
    all.push_back(last);
    return all;
  }
};

TEST(BlockFormats, Mxfp4OfSafetensorsAgreesWithItsDefinition) {
  Mx mx;
  std::mt19937 random(2);
  for (int i = 0; i < 24; ++i) mx.scales += static_cast<char>(i == 0 ? 0 : i == 1 ? 254 : random() % 255);
  for (int i = 0; i < 24 * 16; ++i) mx.blocks += static_cast<char>(random());
  const Packed packed = mx.packed();
  ASSERT_EQ(packed.matrices, 2);
  ASSERT_EQ(packed.rows, 3);
  ASSERT_EQ(packed.columns, 128);
  for (std::int64_t row = 0; row < 6; ++row)
    for (std::int64_t k = 0; k < 128; ++k) {
      const auto block = static_cast<std::size_t>(row * 4 + k / 32);
      const auto byte = static_cast<std::uint8_t>(mx.blocks[block * 16 + static_cast<std::size_t>(k % 32 / 2)]);
      const double wanted =
          std::ldexp(e2m1(k % 2 ? byte >> 4 : byte & 15), static_cast<std::uint8_t>(mx.scales[block]) - 127);
      const double got = weight_at(packed, row / 3, row % 3, k);
      ASSERT_EQ(got, wanted);
      ASSERT_EQ(std::signbit(got), std::signbit(wanted));  // negative zero stays
    }
  mx.scales[9] = '\xff';
  EXPECT_EQ(refusal([&] { mx.packed(); }),
            "'w_blocks', row 2, columns from 32 on: the scale is not a number (E8M0 255)");
  mx.shape = {6, 4};
  mx.scales[9] = 0;
  EXPECT_EQ(mx.packed().matrices, 1);
}

TEST(BlockFormats, RefuseMxfp4ThatDoesNotFit) {
  const auto said = [](const Written& blocks, const Written& scales) {
    const File written(safetensors_of({blocks, scales}));
    const TensorFile file(written.path());
    return refusal([&] { from_mxfp4(file, *file.find("b"), *file.find("s")); });
  };
  const std::string zeros(64, '\0');
  EXPECT_EQ(said({"b", "U8", {2, 2, 16}, zeros}, {"s", "U8", {2, 1}, "aa"}), "'s' is not of the shape of its blocks");
  EXPECT_EQ(said({"b", "U8", {2, 1, 32}, zeros}, {"s", "U8", {2, 1}, "aa"}), "'b' does not end in blocks of 16 bytes");
  EXPECT_EQ(said({"b", "I8", {2, 2, 16}, zeros}, {"s", "U8", {2, 2}, "aaaa"}), "'b' is of I8, not U8");
  EXPECT_EQ(said({"b", "U8", {0, 2, 16}, ""}, {"s", "U8", {0, 2}, ""}), "'b' is empty");
  EXPECT_EQ(said({"b", "U8", {4, 16}, zeros}, {"s", "U8", {4}, "aaaa"}), "'b' has 2 dimensions: it is no matrix");
}

}  // namespace
}  // namespace tuner::repack
