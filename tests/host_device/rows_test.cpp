// Kernels of rows: configurations that cover every pair of values at lengths that nothing divides, rows that hold
// infinities, NaN and mask values, rows far apart.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "core/number.h"
#include "templates.h"

namespace tuner::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct RowsCase {
  const char* kernel;
  std::vector<std::vector<std::int64_t>> shapes;
  Facts facts;
  std::size_t most;  // configurations
};

class Rows : public testing::TestWithParam<RowsCase> {};

TEST_P(Rows, EveryPairOfValuesIsRight) {
  Templates templates(GetParam().kernel);
  for (const auto& dims : GetParam().shapes) {
    const auto problem = templates.problem(dims, GetParam().facts);
    templates.expect_right(problem, templates.kernel.space.covering(templates.scope(problem), GetParam().most, 1));
  }
}

const std::vector<std::vector<std::int64_t>> lengths = {{1, 1}, {3, 131}, {2, 4099}, {1, 16391}};

INSTANTIATE_TEST_SUITE_P(
    All, Rows,
    testing::Values(RowsCase{"softmax_f16", lengths, {}, 24}, RowsCase{"softmax_bf16", {{2, 4099}}, {}, 6},
                    RowsCase{"softmax_f32", {{3, 131}, {2, 4099}}, {{"row_stride", {std::int64_t{4103}}}}, 6},
                    RowsCase{"softmax_f16", {{2, 4099}}, {{"y", Name{"f32"}}, {"row_stride", {std::int64_t{4104}}}}, 6},
                    RowsCase{"rmsnorm_f16", lengths, {}, 16}, RowsCase{"rmsnorm_bf16", {{2, 4099}}, {}, 4},
                    RowsCase{"rmsnorm_f32", {{3, 131}, {2, 4099}}, {{"row_stride", {std::int64_t{4103}}}}, 4},
                    RowsCase{"rmsnorm_f16", {{3, 131}, {2, 4099}}, {{"residual", {true}}}, 12}),
    [](const auto& of) { return std::string(of.param.kernel) + "_" + std::to_string(of.index); });

}  // namespace
}  // namespace tuner::test
