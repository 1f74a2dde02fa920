#include "repack/repack.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "files.h"
#include "repack/output.h"

namespace tuner::repack {
namespace {

std::string zeros(std::size_t bytes) { return std::string(bytes, '\0'); }

// A layer of 16 rows and 64 columns of each format of safetensors, and what is none.
std::vector<Written> model() {
  return {{"g.qweight", "I32", {8, 16}, zeros(512)},
          {"g.qzeros", "I32", {2, 2}, zeros(16)},
          {"g.scales", "F16", {2, 16}, zeros(64)},
          {"a.qweight", "I32", {64, 2}, zeros(512)},
          {"a.qzeros", "I32", {2, 2}, zeros(16)},
          {"a.scales", "F16", {2, 16}, zeros(64)},
          {"m.blocks", "U8", {16, 2, 16}, zeros(512)},
          {"m.scales", "U8", {16, 2}, zeros(32)},
          {"e_blocks", "U8", {2, 8, 2, 16}, zeros(512)},
          {"e_scales", "U8", {2, 8, 2}, zeros(32)},
          {"norm", "F16", {16}, zeros(32)}};
}

TEST(Repack, ListsWhatCanBeRepacked) {
  const File written(safetensors_of(model()));
  std::string all;
  for (const Weight& weight : weights_in(TensorFile(written.path())))
    all += weight.name + " " + weight.format + " " + shape_text(weight.shape) + "\n";
  EXPECT_EQ(all, "a awq [16,64]\ne mxfp4 [2,8,64]\ng gptq or gptq_v2 [16,64]\nm mxfp4 [16,64]\n");
  const File gguf(
      gguf_of({{"w", "2", {3, 2, 32}, zeros(108)}, {"x", "0", {1, 1}, zeros(4)}, {"y", "14", {1, 256}, zeros(210)}}));
  const auto weights = weights_in(TensorFile(gguf.path()));
  ASSERT_EQ(weights.size(), 1U);
  EXPECT_EQ(weights[0].format, "Q4_0");
  EXPECT_EQ(weights[0].shape, (std::vector<std::int64_t>{3, 2, 32}));
}

TEST(Repack, TakesTheFormatFromTheFileWhereItTells) {
  const File written(safetensors_of(model()));
  const TensorFile file(written.path());
  EXPECT_EQ(repack(file, "a").zeros, Zeros::u4);
  EXPECT_EQ(repack(file, "m").kind, Codes::mxfp4);
  EXPECT_EQ(repack(file, "e").matrices, 2);
  EXPECT_EQ(repack(file, "g", {Format::gptq, {}}).zero_points[0], 0x11);
  EXPECT_EQ(repack(file, "g", {Format::gptq_v2, {}}).zero_points[0], 0);
  EXPECT_EQ(refusal([&] { repack(file, "g"); }), "'g' is of one of two formats, which the file does not tell apart");
  EXPECT_EQ(refusal([&] { repack(file, "g", {Format::mxfp4, {}}); }), "'g' is not of format mxfp4");
  EXPECT_EQ(refusal([&] { repack(file, "m", {Format::awq, {}}); }), "'m' is not of format awq");
  EXPECT_EQ(refusal([&] { repack(file, "a", {Format::gptq, {}}); }), "'a': its shapes are those of another format");
  EXPECT_EQ(refusal([&] { repack(file, "a", {Format::gguf, {}}); }), "this is a safetensors file");
  EXPECT_EQ(refusal([&] { repack(file, "norm"); }), "there is no 'norm'");
  const File gguf(gguf_of({{"w", "2", {2, 32}, zeros(36)}}));
  const TensorFile of_gguf(gguf.path());
  EXPECT_EQ(repack(of_gguf, "w").rows, 2);
  EXPECT_EQ(refusal([&] { repack(of_gguf, "w", {Format::awq, {}}); }), "'w' is a tensor of a GGUF file, of type Q4_0");
}

TEST(Repack, TakesOneOfStackedMatrices) {
  std::string blocks, scales;
  for (int i = 0; i < 512; ++i) blocks += static_cast<char>(i * 7);
  for (int i = 0; i < 32; ++i) scales += static_cast<char>(i);
  auto tensors = model();
  tensors[8].bytes = blocks;
  tensors[9].bytes = scales;
  const File written(safetensors_of(tensors));
  const TensorFile file(written.path());
  const Packed both = repack(file, "e");
  for (std::int64_t matrix = 0; matrix < 2; ++matrix) {
    const Packed one = repack(file, "e", {{}, matrix});
    EXPECT_EQ(one.matrices, 1);
    ASSERT_EQ(one.codes.size() * 2, both.codes.size());
    EXPECT_TRUE(std::equal(one.codes.begin(), one.codes.end(), both.codes.begin() + matrix * 256));
    EXPECT_TRUE(std::equal(one.exponents.begin(), one.exponents.end(), both.exponents.begin() + matrix * 16));
  }
  EXPECT_EQ(refusal([&] { repack(file, "e", {{}, 2}); }), "'e' has no matrix 2");
  EXPECT_EQ(refusal([&] { repack(file, "e", {{}, -1}); }), "'e' has no matrix -1");
  EXPECT_EQ(repack(file, "m", {{}, 0}).rows, 16);
  EXPECT_EQ(refusal([&] { repack(file, "a", {{}, 1}); }), "'a' is one matrix");
}

TEST(Repack, NamesItsFormats) {
  for (const Format format : {Format::gptq, Format::gptq_v2, Format::awq, Format::mxfp4, Format::gguf})
    EXPECT_EQ(format_from_text(to_text(format)), format);
  EXPECT_FALSE(format_from_text("exl2"));
}

TEST(Output, IsNumPys) {
  const std::string file = npy("<f2", {2, 3}, "abcdefghijkl");
  EXPECT_EQ(file.substr(0, 8), std::string("\x93NUMPY\x01\0", 8));
  const auto length = static_cast<std::size_t>(static_cast<unsigned char>(file[8]));
  EXPECT_EQ(file[9], 0);
  EXPECT_EQ((10 + length) % 64, 0U);
  EXPECT_EQ(file.substr(10, length).substr(0, 59), "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }");
  EXPECT_EQ(file[9 + length], '\n');
  EXPECT_EQ(file.substr(10 + length), "abcdefghijkl");
  EXPECT_NE(npy("|u1", {4}, "abcd").find("'shape': (4,), }"), std::string::npos);
}

TEST(Output, SaysWhatToAskFor) {
  const File written(safetensors_of(model()));
  const TensorFile file(written.path());
  const auto said = [&](const Packed& packed) {
    return description_json(packed, files_of(packed), {"model.safetensors", "layer", "of it"});
  };
  EXPECT_EQ(said(repack(file, "a")), R"({
  "schema": 1,
  "kernel": "gemv_q4",
  "shape": [
    16,
    64
  ],
  "facts": {
    "group": 32,
    "zeros": 4
  },
  "files": {
    "w": "w.npy",
    "scale": "scale.npy",
    "zero": "zero.npy"
  },
  "rounding": 0.0,
  "source": {
    "file": "model.safetensors",
    "name": "layer",
    "format": "of it"
  }
}
)");
  const std::string stacked = said(repack(file, "e"));
  EXPECT_NE(stacked.find("\"kernel\": \"moe_gemv_mxfp4\""), std::string::npos);
  EXPECT_NE(stacked.find("\"experts\": 2"), std::string::npos);
  EXPECT_EQ(stacked.find("group"), std::string::npos);
}

}  // namespace
}  // namespace tuner::repack
