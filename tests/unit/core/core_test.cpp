#include <gtest/gtest.h>

#include "core/config.h"
#include "core/error.h"
#include "core/gpu.h"
#include "core/hash.h"
#include "core/problem.h"
#include "core/statistics.h"
#include "core/suggest.h"
#include "core/trial.h"

namespace tuner {
namespace {

std::string shape_fault(const std::string& text) {
  try {
    parse_shape(text, "--shape");
  } catch (const UserError& error) {
    EXPECT_EQ(error.where(), "--shape");
    EXPECT_EQ(error.hint(), "write rows x columns as whole numbers, e.g. 4096x14336");
    return error.what();
  }
  return "accepted";
}

TEST(Shape, ReadsDecimalNumbers) {
  EXPECT_EQ(parse_shape("4096x14336", ""), (std::vector<std::int64_t>{4096, 14336}));
  EXPECT_EQ(parse_shape("010x1", ""), (std::vector<std::int64_t>{10, 1}));
  EXPECT_EQ(shape_text({3, 4, 5}), "3x4x5");
}

TEST(Shape, RefusesWhatIsNone) {
  EXPECT_EQ(shape_fault("0x5"), "'0x5' is not a shape: '0' is less than 1");
  EXPECT_EQ(shape_fault("-1x4"), "'-1x4' is not a shape: '-1' is less than 1");
  EXPECT_EQ(shape_fault("4096x"), "'4096x' is not a shape: a number is missing after 'x'");
  EXPECT_EQ(shape_fault(""), "'' is not a shape: it does not begin with a number");
  EXPECT_EQ(shape_fault("4096X4096"), "'4096X4096' is not a shape: '4096X4096' is not a whole number");
  EXPECT_EQ(shape_fault("9999999999999x9999999"),
            "'9999999999999x9999999' is not a shape: it has more than 2^63 elements");
  EXPECT_EQ(shape_fault("99999999999999999999x9"),
            "'99999999999999999999x9' is not a shape: '99999999999999999999' does not fit 64 bits");
}

TEST(Value, TextRoundTrip) {
  EXPECT_EQ(to_text(*value_from_text("010")), "10");
  EXPECT_EQ(std::get<bool>(*value_from_text("true")), true);
  EXPECT_EQ(std::get<Name>(*value_from_text("y")).text, "y");
  EXPECT_FALSE(value_from_text("9223372036854775808"));
  EXPECT_FALSE(value_from_text("1.5"));
  EXPECT_FALSE(value_from_text(""));
}

TEST(Config, JsonKeepsOrderAndKinds) {
  const Config config{{{"variant", Name{"vec"}}, {"block_size", std::int64_t{256}}, {"fast", true}}};
  EXPECT_EQ(to_json(config), R"({"variant":"vec","block_size":256,"fast":true})");
  EXPECT_EQ(config_from_json(to_json(config)), config);
  EXPECT_EQ(config.label(), "variant=vec block_size=256 fast=true");
  EXPECT_THROW(config_from_json("[1]"), UserError);
  EXPECT_THROW(config_from_json(R"({"a": 1.5})"), UserError);
}

// The quick reader of what is stored takes nothing else: the rest goes the long way.
TEST(Config, JsonOfAnyWriting) {
  const Config config{{{"a", std::int64_t{-3}}, {"b", Name{"x"}}, {"c", true}}};
  EXPECT_EQ(config_from_json(R"({"a":-3,"b":"x","c":true})"), config);
  EXPECT_EQ(config_from_json(" { \"a\": -3, \"b\" : \"x\",\n\"c\":true } "), config);
  EXPECT_EQ(config_from_json(R"({"\u0061":-3,"b":"\u0078","c":true})"), config);
  EXPECT_EQ(config_from_json("{}"), Config{});
  EXPECT_EQ(config_from_json(R"({"a":0,"b":"é"})"), (Config{{{"a", std::int64_t{0}}, {"b", Name{"é"}}}}));
  EXPECT_EQ(config_from_json(R"({"a":9223372036854775807})"), (Config{{{"a", std::int64_t{9223372036854775807}}}}));
  for (const char* bad :
       {R"({"a":01})", R"({"a":1)", R"({"a":1}})", R"({"a":1,})", R"({"a":})", R"({a:1})", R"({"a":1.5})",
        R"({"a":null})", R"({"a":[1]})", R"({"a":"x)", R"({"a" 1})", R"({,})", "", "{"})
    EXPECT_THROW(config_from_json(bad), UserError) << bad;
}

TEST(Execution, JsonRoundTrip) {
  Execution execution;
  Argument a;
  a.name = "A";
  a.type = Type::f16;
  a.elements = 12;
  a.align_bytes = 16;
  Argument m;
  m.name = "M";
  m.type = Type::i32;
  m.is_buffer = false;
  m.value = -3;
  execution.arguments = {a, m};
  Step clear;
  clear.kind = Step::Kind::memset;
  clear.argument = "A";
  clear.byte = 7;
  Step launch;
  launch.entry = "gemv";
  launch.grid = {5, 2, 1};
  launch.block = {256, 1, 1};
  launch.shared_bytes = 99;
  execution.steps = {clear, launch};
  EXPECT_EQ(execution_from_json(to_json(execution)), execution);
  EXPECT_EQ(steps_from_json(to_json(execution.steps)), execution.steps);
  EXPECT_THROW(execution_from_json("{}"), UserError);
}

TEST(Gpu, ArchitecturesAndJson) {
  EXPECT_EQ(arch_from_text("sm_90"), 90);
  EXPECT_EQ(arch_from_text("9.0"), 90);
  EXPECT_EQ(arch_from_text("120"), 120);
  EXPECT_FALSE(arch_from_text("ninety"));
  const GpuFacts gpu = gpu_of_arch(90);
  EXPECT_EQ(gpu.shared_max, 232448);
  EXPECT_EQ(to_json(gpu_from_json(to_json(gpu))), to_json(gpu));
  EXPECT_THROW(gpu_of_arch(70), UserError);
}

TEST(Trial, NamesRoundTrip) {
  for (int i = 0; i <= static_cast<int>(Reason::spills); ++i) {
    const auto reason = static_cast<Reason>(i);
    EXPECT_EQ(reason_from_text(to_text(reason)), reason) << i;
    EXPECT_FALSE(title(reason).empty());
  }
  for (int i = 0; i <= static_cast<int>(Status::rejected); ++i) {
    const auto status = static_cast<Status>(i);
    EXPECT_EQ(status_from_text(to_text(status)), status) << i;
  }
  Verdict verdict;
  verdict.reason = Reason::wrong_result;
  verdict.detail = "y[3] is \"1\"";
  verdict.max_rel_err = 0.5;
  EXPECT_EQ(to_json(verdict_from_json(to_json(verdict))), to_json(verdict));
}

TEST(Suggest, NearestWord) {
  EXPECT_EQ(edit_distance("block_zise", "block_size"), 2);
  EXPECT_EQ(edit_distance("ab", "ba"), 1);
  EXPECT_EQ(did_you_mean("block_zise", {"variant", "block_size"}), "did you mean 'block_size'?");
  EXPECT_EQ(did_you_mean("zzzz", {"variant", "block_size"}), "known: variant, block_size");
}

TEST(Hash, IsPinned) {
  EXPECT_EQ(content_hash(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_NE(content_hash("a"), content_hash("b"));
}

TEST(Statistics, MedianQuantileSpread) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(quantile({1, 2, 3, 4, 5}, 0.25), 2);
  EXPECT_DOUBLE_EQ(spread({1, 2, 3, 4, 5}), 1.0 / 3.0);
  EXPECT_EQ(median({}), 0);
}

TEST(Problem, SmallerShapesAreNamedInTheManifestsWords) {
  const auto begins = [](std::size_t dims) {
    return smaller_awkward(dims).substr(0, smaller_awkward(dims).find(" in"));
  };
  EXPECT_EQ(begins(1), "`awkward: [131, 1]`");
  EXPECT_EQ(begins(2), "`awkward: [37x131, 1x1]`");
  EXPECT_EQ(begins(4), "`awkward: [37x131x5x2, 1x1x1x1]`");
}

}  // namespace
}  // namespace tuner
