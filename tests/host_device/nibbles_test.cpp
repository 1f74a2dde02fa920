// Weights of four bits: what a code is, and the kernels that read them, right for every pair of values of their
// parameters at sizes that nothing divides, whatever the facts.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "support.h"
#include "templates.h"

namespace tuner::test {
namespace {

std::vector<int> made_by(const std::string& body, std::int64_t count) {
  Launch with;
  with.text =
      "#include \"tuner_nibbles.cuh\"\nextern \"C\" __global__ void kernel(int* a) {\n  const int t = threadIdx.x;\n" +
      body + "\n}\n";
  with.buffers = {count};
  const auto ran = launch(with);
  EXPECT_EQ(ran.result.reason, Reason::none) << ran.result.detail;
  return ran.buffers[0];
}

// A word that has code i as element j for i + j = 0 to 15 and more: both ways to read it give 4 times the value of
// each.
std::string read_words(const std::string& codes) {
  return "const int places[8] = {0, 2, 4, 6, 1, 3, 5, 7};\n"
         "unsigned int word = 0;\n"
         "for (int i = 0; i < 8; ++i) word |= (unsigned int)((t + places[i]) % 16) << 4 * i;\n"
         "unsigned int pair[4];\n" +
         codes + "::even(word, pair[0], pair[2]);\n" + codes +
         "::odd(word, pair[1], pair[3]);\n"
         "for (int j = 0; j < 8; ++j) {\n"
         "  const float half = to_float(half_t{(unsigned short)(pair[j / 2] >> j % 2 * 16 & 0xffff)});\n"
         "  const float share = j / 2 % 2 == 1 ? " +
         codes +
         "::odd_share : 1;\n"
         "  if (t < 16) a[t * 16 + j] = (int)(4 * half * share * " +
         codes +
         "::unit);\n"
         "  float one[8] = {};\n"
         "  one[j] = " +
         codes +
         "::enlarged(1, j);\n"
         "  if (t < 16) a[t * 16 + 8 + j] = (int)(4 * " +
         codes + "::add_products(word, one, 0) * " + codes + "::float_unit);\n}";
}

TEST(Nibbles, AreWhatTheirFormatSays) {
  const double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6};
  const auto integers = made_by(read_words("UnsignedNibbles"), 256), floats = made_by(read_words("E2m1Nibbles"), 256);
  for (std::size_t t = 0; t < 16; ++t)
    for (std::size_t j = 0; j < 8; ++j) {
      const std::size_t code = (t + j) % 16;
      for (const std::size_t way : {0, 8}) {
        EXPECT_EQ(integers[t * 16 + way + j], 4 * static_cast<int>(code)) << code << " as element " << j;
        EXPECT_EQ(floats[t * 16 + way + j], static_cast<int>(4 * e2m1[code])) << code << " as element " << j;
      }
    }
}

TEST(Nibbles, AScaleIsEveryPowerOfTwo) {
  const auto bits = made_by("for (int i = t; i < 255; i += 32) a[i] = (int)float_to_bits(e8m0_to_float(i));", 255);
  for (std::size_t code = 0; code < 255; ++code) {
    float scale = 0;
    std::memcpy(&scale, &bits[code], 4);
    EXPECT_EQ(scale, std::ldexp(1.0F, static_cast<int>(code) - 127)) << code;
  }
}

struct NibbleCase {
  const char* kernel;
  Facts facts;
  std::size_t most;  // configurations
};

class NibbleKernel : public testing::TestWithParam<NibbleCase> {};

TEST_P(NibbleKernel, EveryPairOfValuesIsRight) {
  Templates templates(GetParam().kernel);
  std::vector<std::vector<std::int64_t>> shapes = {{1, 1}, {37, 131}, {70, 1100}};
  if (GetParam().most >= 5) shapes.push_back({37, 8200});  // a ring's stages
  for (const auto& dims : shapes) {
    const auto problem = templates.problem(dims, GetParam().facts);
    const auto configs = templates.kernel.space.covering(templates.scope(problem), GetParam().most, 1);
    if (!configs.empty()) templates.expect_right(problem, configs);
  }
}

Value number(std::int64_t value) { return value; }

INSTANTIATE_TEST_SUITE_P(
    All, NibbleKernel,
    testing::Values(NibbleCase{"gemv_q4", {}, 8},
                    NibbleCase{"gemv_q4", {{"group", number(32)}, {"batch", number(3)}}, 3},
                    NibbleCase{"gemv_q4", {{"group", number(64)}, {"zeros", number(4)}}, 3},
                    NibbleCase{"gemv_q4", {{"zeros", number(16)}, {"batch", number(8)}, {"y", Name{"f32"}}}, 2},
                    NibbleCase{"gemv_q4", {{"group", number(0)}, {"zeros", number(4)}}, 2},
                    NibbleCase{"gemv_mxfp4", {}, 5}, NibbleCase{"gemv_mxfp4", {{"batch", number(5)}}, 2},
                    NibbleCase{"moe_gemv_q4", {}, 2},
                    NibbleCase{"moe_gemv_q4", {{"glu", true}, {"group", number(64)}}, 3},
                    NibbleCase{"moe_gemv_q4", {{"sum", true}, {"chosen", number(4)}, {"experts", number(6)}}, 2},
                    NibbleCase{"moe_gemv_mxfp4", {{"glu", true}}, 2}, NibbleCase{"moe_gemv_mxfp4", {{"sum", true}}, 2},
                    NibbleCase{"moe_gemv_f16", {}, 3}, NibbleCase{"moe_gemv_f16", {{"glu", true}}, 3},
                    NibbleCase{"moe_gemv_f16", {{"sum", true}, {"chosen", number(3)}, {"y", Name{"f32"}}}, 3}),
    [](const auto& of) {
      std::string name = of.param.kernel;
      for (const auto& [fact, value] : of.param.facts) name += "_" + fact + "_" + to_text(value);
      return name;
    });

// Of `direct`, with few warps and loads: one warp goes through several steps.
void expect_direct(Templates& templates, const std::vector<std::int64_t>& dims, const Facts& facts,
                   std::int64_t misalign = 0, const std::vector<Value>& steps = {number(2)}) {
  const Problem problem = templates.problem(dims, facts);
  const std::vector<Config> configs =
      templates.kernel.space.all(templates.scope(problem), {{"variant", {Name{"direct"}}},
                                                            {"block_size", {number(128)}},
                                                            {"row_tiles", {number(2)}},
                                                            {"steps_in_flight", steps},
                                                            {"min_blocks_per_sm", {number(1)}}});
  ASSERT_FALSE(configs.empty());
  templates.expect_right(problem, configs, misalign);
}

// Whole steps, a last one that ends with a chunk of 32 codes and one that does not; rows that have whole vectors of
// scales and that have not.
TEST(DirectNibbles, AreRightWhereNothingDividesAndWhereItDoes) {
  Templates q4("gemv_q4");
  expect_direct(q4, {24, 4096}, {});
  expect_direct(q4, {24, 7008}, {});
  expect_direct(q4, {19, 4099}, {});
  expect_direct(q4, {20, 4096}, {}, 1);
  expect_direct(q4, {24, 4100}, {{"group", number(0)}, {"y", Name{"f32"}}});
  expect_direct(q4, {20, 4128}, {{"group", number(64)}});
  expect_direct(q4, {20, 4100}, {{"group", number(32)}});
}

TEST(DirectNibbles, AreRightWithScalesOf32Codes) {
  Templates mxfp4("gemv_mxfp4");
  expect_direct(mxfp4, {24, 4096}, {});
  expect_direct(mxfp4, {24, 7008}, {});
  expect_direct(mxfp4, {19, 4099}, {});
  expect_direct(mxfp4, {20, 4096}, {}, 1);
}

TEST(DirectNibbles, AreRightOfChosenExperts) {
  const std::vector<Value> one{number(1)};
  for (const char* kernel : {"moe_gemv_q4", "moe_gemv_mxfp4"}) {
    Templates experts(kernel);
    expect_direct(experts, {32, 2048}, {});
    expect_direct(experts, {24, 1056}, {{"glu", true}}, 0, one);
    expect_direct(experts, {37, 1051}, {{"glu", true}}, 1, one);
    expect_direct(experts, {32, 1024}, {{"sum", true}, {"chosen", number(3)}});
    expect_direct(experts, {24, 1056}, {{"sum", true}});
    expect_direct(experts, {37, 1051}, {{"sum", true}, {"chosen", number(3)}});
    expect_direct(experts, {32, 3104}, {{"sum", true}}, 0, {number(3)});
  }
}

TEST(DirectNibbles, TouchWeightsAloneBeforeTheirWait) {
  Templates dependent("gemv_q4", "kernel_templates", "dependent");
  expect_direct(dependent, {72, 4100}, {});
}

}  // namespace
}  // namespace tuner::test
