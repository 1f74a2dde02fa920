// What vec can do beside sharing rows out: pieces of rows that blocks add up, x in shared memory, rows of one length, a
// later start of the launch that follows. In either regime, where nothing divides and where it does.
#include <gtest/gtest.h>

#include "templates.h"

namespace tuner::test {
namespace {

Value value_of(std::int64_t value) { return value; }
Value value_of(const char* text) { return Name{text}; }

// `wanted`, else what is first legal.
Config config_of(const Templates& templates, const Problem& problem, space::Partial wanted) {
  wanted.push_back({"variant", {value_of("vec")}});
  const auto config = templates.kernel.space.complete(templates.scope(problem), wanted);
  EXPECT_TRUE(config.has_value());
  return config.value_or(Config{});
}

void expect_parts(const char* name, const char* regime, const std::vector<std::int64_t>& dims, const Facts& facts,
                  const std::vector<space::Partial>& wanted, std::int64_t misalign = 0) {
  Templates templates(name, "kernel_templates", regime);
  const Problem problem = templates.problem(dims, facts);
  std::vector<Config> configs;
  for (const space::Partial& partial : wanted) configs.push_back(config_of(templates, problem, partial));
  templates.expect_right(problem, configs, misalign);
}

space::Partial split(std::int64_t blocks, std::int64_t warps, std::int64_t rows) {
  return {{"split_k", {value_of(blocks)}}, {"warps_per_row", {value_of(warps)}}, {"rows_per_warp", {value_of(rows)}}};
}
space::Partial staged(std::int64_t blocks_per_sm) {
  return {{"x_from", {value_of("shared")}}, {"blocks_per_sm", {value_of(blocks_per_sm)}}};
}
space::Partial fixed(std::int64_t length, std::int64_t warps, std::int64_t unroll) {
  return {{"fixed_n", {value_of(length)}}, {"warps_per_row", {value_of(warps)}}, {"unroll", {value_of(unroll)}}};
}
space::Partial triggered(const char* at) { return {{"trigger", {value_of(at)}}}; }

// 4099 is no whole number of vectors, and its pieces are not alike; 13 rows are no whole number of groups.
TEST(GemvParts, PiecesOfRowsAreAddedUpByTheLastBlock) {
  const std::vector<space::Partial> pieces{split(2, 1, 2), split(8, 1, 2), split(4, 4, 4)};
  expect_parts("gemv_f16", "plain", {13, 4099}, {}, pieces);
  expect_parts("gemv_f16", "plain", {13, 4099}, {{"row_stride", value_of(4104)}}, pieces);
  expect_parts("gemv_f16", "plain", {13, 4099}, {}, pieces, 1);
  expect_parts("gemv_bf16", "dependent", {13, 4096}, {{"batch", value_of(3)}, {"y", value_of("f32")}}, {pieces[0]});
  expect_parts("gemv_f32", "dependent", {13, 4099}, {{"row_stride", value_of(4100)}}, {pieces[1]});
}

TEST(GemvParts, XComesToSharedMemoryOnce) {
  expect_parts("gemv_f16", "plain", {77, 1032}, {{"batch", value_of(3)}}, {staged(0), staged(2)});
  expect_parts("gemv_f16", "plain", {77, 1030}, {{"row_stride", value_of(1032)}}, {staged(0), staged(2)});
  expect_parts("gemv_f16", "plain", {77, 1030}, {}, {staged(2)}, 1);
  expect_parts("gemv_f32", "dependent", {77, 1028}, {}, {staged(0), staged(2)});
}

// 2880 is no whole number of turns of a warp, nor its rest one of vectors a lane.
TEST(GemvParts, RowsOfOneLength) {
  const std::vector<space::Partial> lengths{fixed(2880, 1, 4), fixed(2880, 4, 4), fixed(2880, 2, 1)};
  expect_parts("gemv_f16", "plain", {5, 2880}, {{"row_stride", value_of(2888)}}, lengths);
  expect_parts("gemv_f16", "dependent", {5, 2880}, {}, lengths);
  expect_parts("gemv_f16", "plain", {5, 2880}, {{"batch", value_of(2)}}, {lengths[0]}, 1);
  expect_parts("gemv_f32", "plain", {5, 4096}, {}, {fixed(4096, 1, 4)});
}

TEST(GemvParts, TheTriggerIsOfTheDependentRegime) {
  expect_parts("gemv_f16", "dependent", {5, 520}, {}, {triggered("loads"), triggered("end")});
  const Templates templates("gemv_f16");
  const Problem problem = templates.problem({5, 520});
  EXPECT_FALSE(templates.kernel.space.complete(templates.scope(problem), triggered("loads")));
}

TEST(GemvParts, ARowOfAnotherLengthIsNotLegal) {
  const Templates templates("gemv_f16");
  const Problem problem = templates.problem({5, 4096});
  const auto legal = [&](std::int64_t length) {
    return templates.kernel.space.complete(templates.scope(problem), {{"fixed_n", {value_of(length)}}}).has_value();
  };
  EXPECT_TRUE(legal(4096));
  EXPECT_FALSE(legal(2880));
}

}  // namespace
}  // namespace tuner::test
