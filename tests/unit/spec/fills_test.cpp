// An input of integers whose fill is 0 all over, on which a wrong kernel is right.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "expect_error.h"
#include "manifest_text.h"
#include "spec/kernel_spec.h"
#include "spec/resolve.h"

namespace tuner::spec {
namespace {

constexpr std::string_view kPlain = R"yaml(tuner: 1
kernel: plain
source: plain.cu
dims: [n]
facts: {t: f32}
args:
  - {ARG, name: s, size: n}
  - {name: y, type: t, size: n, role: output}
steps: [{launch: plain, grid: n, block: 1}]
reference: none
)yaml";

KernelSpec plain(const std::string& keys) { return parse_kernel(edited(kPlain, "ARG", keys), "k.yaml"); }

std::string needs_fill(const std::string& type) {
  return "'s' is read and holds integers (" + type + "): it needs a 'fill'";
}

std::string hint(const std::string& fill) {
  return "all of it would be 0, where a wrong kernel passes: e.g. fill: \"" + fill +
         "\"; an index must stay within what it indexes, at the awkward shapes as well";
}

TEST(Fills, AnInputOfIntegersHasOne) {
  for (const char* role : {"weight", "activation", "in_place"})
    for (const auto& [type, element, fill] :
         std::vector<std::array<std::string, 3>>{{"i32", "i32", "uniform(-1000, 1000)"},
                                                 {"u64", "u64", "uniform(0, 1000)"},
                                                 {"uint4", "u32", "uniform(0, 1000)"},
                                                 {"i8", "i8", "uniform(-128, 128)"},
                                                 {"uchar2", "u8", "uniform(0, 256)"},
                                                 {"bool", "bool", "uniform(0, 2)"},
                                                 {"i4", "i4", "uniform(-8, 8)"},
                                                 {"u4", "u4", "uniform(0, 16)"}}) {
      const std::string keys = "type: " + type + ", role: " + role;
      expect_error([&] { plain(keys); }, needs_fill(element), "k.yaml:7:5", hint(fill));
      EXPECT_NO_THROW(plain(keys + ", fill: \"" + fill + "\"")) << keys;
    }
  for (const char* role : {"output", "accumulator", "scratch"})
    EXPECT_NO_THROW(plain(std::string("type: i32, role: ") + role)) << role;
  EXPECT_NO_THROW(plain("type: f8_e4m3, role: weight"));
}

TEST(Fills, OfIntegersReachBeyondZero) {
  using Fills = std::vector<std::pair<std::string, std::string>>;
  const auto filled = [](const auto& one) {
    return plain("type: " + one.first + ", role: weight, fill: \"" + one.second + "\"");
  };
  for (const auto& one :
       Fills{{"i32", "uniform(-1, 1)"}, {"u8", "uniform(-9, 1)"}, {"bool", "uniform(0, 1)"}, {"i16", "normal(0, 0.2)"}})
    try {
      filled(one);
      ADD_FAILURE() << one.second;
    } catch (const UserError& fault) {
      EXPECT_EQ(fault.what(), "'s' is read and holds integers (" + one.first + "): its 'fill' gives nothing but 0");
      EXPECT_EQ(fault.where(), "k.yaml:7:" + std::to_string(35 + one.first.size()));
    }
  for (const auto& one : Fills{{"i32", "uniform(-2, 1)"},
                               {"u8", "uniform(0, 2)"},
                               {"i16", "normal(0, 0.3)"},
                               {"i32", "constant(0)"},
                               {"i32", "iota"},
                               {"f32", "uniform(0, 1)"}})
    EXPECT_NO_THROW(filled(one)) << one.first << " " << one.second;
}

// By default, and as a problem has it.
TEST(Fills, AFactMayMakeItOneOfIntegers) {
  const std::string text = edited(kPlain, "ARG", "type: t, role: weight");
  expect_error([&] { (void)parse_kernel(edited(text, "t: f32", "t: i8"), "k.yaml"); }, needs_fill("i8"), "k.yaml:7:5",
               hint("uniform(-128, 128)"));
  const KernelSpec kernel = parse_kernel(text, "k.yaml");
  expect_error(
      [&] {
        (void)make_problem(kernel, {8}, {{"t", Name{"u8"}}}, "--set");
      },
      needs_fill("u8"), "--set", hint("uniform(0, 256)"));
  EXPECT_NO_THROW((void)make_problem(kernel, {8}, {{"t", Name{"f16"}}}, "--set"));
}

}  // namespace
}  // namespace tuner::spec
