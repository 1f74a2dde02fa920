#include "repack/integer_formats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <random>

#include "files.h"
#include "layout.h"

namespace tuner::repack {
namespace {

using Words = std::vector<std::uint32_t>;

// A matrix of 4-bit integers with groups, and both of its formats, packed as their definitions say.
struct Model {
  std::int64_t rows, columns, group;  // group 0: all columns
  std::vector<unsigned> q, zero;      // [K][M], [G][M]
  std::vector<std::uint16_t> scale;   // [G][M]
  std::vector<std::int32_t> group_of;

  Model(std::int64_t m, std::int64_t k, std::int64_t g, unsigned seed) : rows(m), columns(k), group(g) {
    std::mt19937 random(seed);
    for (std::int64_t i = 0; i < m * k; ++i) q.push_back(static_cast<unsigned>(random() % 16));
    for (std::int64_t i = 0; i < groups() * m; ++i) {
      zero.push_back(static_cast<unsigned>(random() % 15 + 1));
      scale.push_back(static_cast<std::uint16_t>(random() % 0x7c00 | random() % 2 << 15));  // of every size and sign
    }
    for (std::int64_t i = 0; i < k; ++i) group_of.push_back(static_cast<std::int32_t>(group == 0 ? 0 : i / group));
  }
  std::int64_t groups() const { return group == 0 ? 1 : (columns + group - 1) / group; }
  double weight(std::int64_t row, std::int64_t k) const {
    const auto at = static_cast<std::size_t>(group_of[static_cast<std::size_t>(k)] * rows + row);
    return from_f16(scale[at]) * (int(q[static_cast<std::size_t>(k * rows + row)]) - int(zero[at]));
  }

  // GPTQ: word [k / 8][row] holds the codes of eight columns of a row, the first in the lowest bits; its zero points
  // lie along the rows.
  std::vector<Written> gptq(unsigned less) const {
    Words weights(static_cast<std::size_t>(columns / 8 * rows)), zeros(static_cast<std::size_t>(groups() * rows / 8));
    for (std::int64_t k = 0; k < columns; ++k)
      for (std::int64_t row = 0; row < rows; ++row)
        weights[static_cast<std::size_t>(k / 8 * rows + row)] |= q[static_cast<std::size_t>(k * rows + row)]
                                                                 << (k % 8 * 4);
    for (std::int64_t i = 0; i < groups() * rows; ++i)
      zeros[static_cast<std::size_t>(i / 8)] |= ((zero[static_cast<std::size_t>(i)] - less) & 15) << (i % 8 * 4);
    return {{"layer.qweight", "I32", {columns / 8, rows}, bytes_of(weights)},
            {"layer.qzeros", "I32", {groups(), rows / 8}, bytes_of(zeros)},
            {"layer.scales", "F16", {groups(), rows}, bytes_of(scale)},
            {"layer.g_idx", "I32", {columns}, bytes_of(group_of)}};
  }

  // AWQ: word [k][row / 8] holds rows 0, 2, 4, 6, 1, 3, 5, 7 of its eight.
  std::vector<Written> awq() const {
    static constexpr int kRows[] = {0, 2, 4, 6, 1, 3, 5, 7};
    const auto packed = [&](const std::vector<unsigned>& values) {
      Words words(values.size() / 8);
      for (std::size_t i = 0; i < words.size(); ++i)
        for (std::size_t half = 0; half < 8; ++half)
          words[i] |= values[i * 8 + static_cast<std::size_t>(kRows[half])] << (4 * half);
      return words;
    };
    return {{"layer.qweight", "I32", {columns, rows / 8}, bytes_of(packed(q))},
            {"layer.qzeros", "I32", {groups(), rows / 8}, bytes_of(packed(zero))},
            {"layer.scales", "F16", {groups(), rows}, bytes_of(scale)}};
  }

  void expect_same(const Packed& packed) const {
    ASSERT_EQ(packed.rows, rows);
    ASSERT_EQ(packed.columns, columns);
    for (std::int64_t k = 0; k < columns; ++k) {
      const std::int64_t from = packed.order.empty() ? k : packed.order[static_cast<std::size_t>(k)];
      for (std::int64_t row = 0; row < rows; ++row)
        ASSERT_EQ(weight_at(packed, 0, row, k), weight(row, from)) << "row " << row << " column " << k;
    }
  }
};

Packed gptq(const std::vector<Written>& tensors, bool less_one) {
  const File file(safetensors_of(tensors));
  return from_gptq(TensorFile(file.path()), "layer", less_one);
}

Packed awq(const std::vector<Written>& tensors) {
  const File file(safetensors_of(tensors));
  return from_awq(TensorFile(file.path()), "layer");
}

TEST(IntegerFormats, AgreeWithTheirDefinitions) {
  unsigned seed = 0;
  for (const auto& [rows, columns, group] :
       {std::tuple{8, 64, 32}, {24, 256, 128}, {16, 192, 64}, {8, 40, 32}, {8, 8, 0}, {72, 136, 0}, {136, 200, 128}}) {
    const Model model(rows, columns, group, ++seed);
    model.expect_same(gptq(model.gptq(1), true));
    model.expect_same(gptq(model.gptq(0), false));
    model.expect_same(awq(model.awq()));
    auto without = model.gptq(0);
    without.pop_back();  // g_idx
    model.expect_same(gptq(without, false));
  }
}

TEST(IntegerFormats, HaveNoZerosWhereAllAreEight) {
  Model model(16, 128, 64, 3);
  std::fill(model.zero.begin(), model.zero.end(), 8U);
  for (const Packed& packed : {gptq(model.gptq(1), true), gptq(model.gptq(0), false), awq(model.awq())}) {
    EXPECT_EQ(packed.zeros, Zeros::none);
    EXPECT_TRUE(packed.zero_points.empty());
    model.expect_same(packed);
  }
  model.zero.back() = 9;
  EXPECT_EQ(awq(model.awq()).zeros, Zeros::u4);
}

TEST(IntegerFormats, KeepExtremes) {
  Model model(8, 64, 32, 4);
  for (std::size_t i = 0; i < model.scale.size(); ++i)
    model.scale[i] = std::array<std::uint16_t, 6>{0, 0x8000, 1, 0x8001, 0x7bff, 0xfbff}[i % 6];
  std::fill(model.q.begin(), model.q.begin() + 64, 0U);
  std::fill(model.q.end() - 64, model.q.end(), 15U);
  std::fill(model.zero.begin(), model.zero.begin() + 4, 0U);
  model.expect_same(gptq(model.gptq(0), false));
  model.expect_same(awq(model.awq()));
}

TEST(IntegerFormats, SortTheColumnsOfActOrder) {
  Model model(16, 256, 64, 5);
  std::shuffle(model.group_of.begin(), model.group_of.end(), std::mt19937(1));
  const Packed packed = gptq(model.gptq(1), true);
  ASSERT_EQ(packed.order.size(), 256U);
  model.expect_same(packed);
  std::vector<std::int32_t> all = packed.order;
  std::sort(all.begin(), all.end());
  for (std::int32_t k = 0; k < 256; ++k) EXPECT_EQ(all[static_cast<std::size_t>(k)], k);
}

TEST(IntegerFormats, RefuseGroupsThatCannotBeBroughtTogether) {
  Model model(8, 128, 32, 6);
  model.group_of[0] = 3;
  EXPECT_EQ(refusal([&] { gptq(model.gptq(1), true); }), "'layer': g_idx puts 31 columns into group 0, which has 32");
  model.group_of[0] = 4;
  EXPECT_EQ(refusal([&] { gptq(model.gptq(1), true); }), "'layer': g_idx puts column 0 into group 4 of 4");
  model.group_of[0] = -1;
  EXPECT_EQ(refusal([&] { gptq(model.gptq(1), true); }), "'layer': g_idx puts column 0 into group -1 of 4");
}

TEST(IntegerFormats, RefuseAZeroPointThatOverflowed) {
  Model model(8, 64, 32, 7);
  model.zero[9] = 0;  // stored less one: 15
  EXPECT_EQ(
      refusal([&] { gptq(model.gptq(1), true); }),
      "'layer': the zero point of row 1 in group 1 is stored as 15, which means 16 to some readers and 0 to others: "
      "it overflowed when it was written");
  model.expect_same(gptq(model.gptq(0), false));
}

TEST(IntegerFormats, RefuseScalesThatAreNoNumbers) {
  for (const std::uint16_t bits : std::array<std::uint16_t, 4>{0x7c00, 0xfc00, 0x7e00, 0x7c01}) {
    Model model(8, 64, 32, 8);
    model.scale[11] = bits;
    const std::string said = "'layer': the scale of row 3 in group 1 is no finite number";
    EXPECT_EQ(refusal([&] { gptq(model.gptq(1), true); }), said);
    EXPECT_EQ(refusal([&] { awq(model.awq()); }), said);
  }
}

TEST(IntegerFormats, RefuseTensorsThatDoNotFit) {
  const Model model(16, 128, 32, 9);
  const auto with = [&](const std::function<void(std::vector<Written>&)>& change) {
    auto tensors = model.gptq(1);
    change(tensors);
    return refusal([&] { gptq(tensors, true); });
  };
  EXPECT_EQ(with([](auto& t) { t.erase(t.begin() + 1); }), "'layer': there is no tensor 'layer.qzeros'");
  EXPECT_EQ(with([](auto& t) { t[2].type = "BF16"; }), "'layer': 'layer.scales' is of BF16, not F16");
  EXPECT_EQ(with([](auto& t) { t[0].shape = {256}; }), "'layer': 'layer.qweight' has 1 dimensions, not 2");
  EXPECT_EQ(with([](auto& t) {
              t[1].shape = {2, 4};
            }),
            "'layer': qzeros [2, 4] and scales [4, 16] do not belong to 16 rows of 128 columns");
  EXPECT_EQ(with([](auto& t) {
              t[3].shape = {64};
              t[3].bytes.resize(256);
            }),
            "'layer': g_idx is not of the 128 columns that 4-bit codes would make");
  EXPECT_EQ(refusal([&] { gptq(model.awq(), true); }), "'layer': its shapes are those of another format");
  EXPECT_EQ(refusal([&] { awq(model.gptq(1)); }), "'layer': its shapes are those of another format");
  const Model odd(8, 160, 40, 1);
  EXPECT_EQ(refusal([&] { awq(odd.awq()); }),
            "'layer': 4 groups of 160 columns are of none of 32, 64, 128 or all columns");
}

// docs/formats.md: a row is whole 16 bytes; behind the last column stands 0.
TEST(IntegerFormats, PadRows) {
  Model model(8, 40, 0, 10);
  std::fill(model.q.begin(), model.q.end(), 15U);
  const Packed packed = awq(model.awq());
  EXPECT_EQ(packed.pitch(), 32);
  for (std::int64_t byte = 0; byte < 8 * 32; ++byte)
    EXPECT_EQ(packed.codes[static_cast<std::size_t>(byte)], byte % 32 < 20 ? 0xff : 0) << byte;
}

}  // namespace
}  // namespace tuner::repack
