// Weights of eight bits: every code is decoded as its format has it, and their kernels are right at sizes that nothing
// divides, with any facts and off any alignment but the codes'.
#include <gtest/gtest.h>

#include <cstring>

#include "core/number.h"
#include "templates.h"

namespace tuner::test {
namespace {

// Times the decoder's scale; the codes 4 i to 4 i + 3 are in one word.
std::vector<double> decoded_by(const std::string& decoder) {
  Launch launch_of;
  launch_of.text =
      "#include \"tuner_codes8.cuh\"\n"
      "extern \"C\" __global__ void kernel(int* a) {\n"
      "  const unsigned int i = blockIdx.x * 32 + threadIdx.x;\n"
      "  unsigned int halves[2];\n"
      "  " +
      decoder +
      "::to_halves(i * 0x04040404u + 0x03020100u, halves);\n"
      "  for (int j = 0; j < 4; ++j) {\n"
      "    const half_t half{static_cast<unsigned short>(halves[j / 2] >> j % 2 * 16)};\n"
      "    a[4 * i + j] = static_cast<int>(float_to_bits(to_float(half) * " +
      decoder +
      "::scale));\n"
      "  }\n"
      "}\n";
  launch_of.buffers = {256};
  launch_of.grid = {2, 1, 1};
  const Launched launched = launch(launch_of);
  EXPECT_EQ(launched.result.reason, Reason::none) << launched.result.detail;
  std::vector<double> values;
  for (const int bits : launched.buffers.front()) {
    float value = 0;
    std::memcpy(&value, &bits, 4);
    values.push_back(value);
  }
  return values;
}

TEST(Codes8, SignedOnesAreTheirIntegers) {
  const auto values = decoded_by("SignedCodes");
  for (int code = 0; code < 256; ++code)
    EXPECT_EQ(values[static_cast<std::size_t>(code)], static_cast<signed char>(code));
}

TEST(Codes8, E4M3OnesAreTheirNumbersSubnormalsIncluded) {
  for (const char* decoder : {"E4M3ByBits", "E4M3ByConversion"}) {
    const auto values = decoded_by(decoder);
    for (int code = 0; code < 256; ++code) {
      if ((code & 0x7f) == 0x7f) continue;  // no weights: repacking refuses them
      const auto byte = static_cast<std::byte>(code);
      EXPECT_EQ(values[static_cast<std::size_t>(code)], decode(Type::f8_e4m3, &byte)) << decoder << " " << code;
    }
  }
}

struct Weights8 {
  const char* kernel;
  std::size_t configurations;  // at most
  Facts facts;
  std::int64_t misalign;
};

class Gemv8 : public testing::TestWithParam<Weights8> {};

TEST_P(Gemv8, EveryPairOfValuesIsRight) {
  Templates templates(GetParam().kernel);
  for (const auto& dims : std::vector<std::vector<std::int64_t>>{{1, 1}, {37, 131}, {70, 1040}, {3, 4099}}) {
    const auto problem = templates.problem(dims, GetParam().facts);
    const auto configs = templates.kernel.space.covering(templates.scope(problem), GetParam().configurations, 1);
    templates.expect_right(problem, configs, GetParam().misalign);
  }
}

Value whole(std::int64_t number) { return number; }

INSTANTIATE_TEST_SUITE_P(
    All, Gemv8,
    testing::Values(Weights8{"gemv_q8", 8, {}, 0}, Weights8{"gemv_q8", 3, {{"group", whole(32)}}, 1},
                    Weights8{"gemv_q8", 3, {{"group", whole(64)}, {"batch", whole(3)}}, 1},
                    Weights8{"gemv_fp8", 4, {}, 0},
                    Weights8{"gemv_fp8", 3, {{"block", whole(128)}, {"batch", whole(2)}, {"y", Name{"f32"}}}, 1}));

}  // namespace
}  // namespace tuner::test
