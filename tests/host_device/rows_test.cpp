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

// One element of 16384 changes the sum by less than half a step of f16, where none dominates.
TEST(SoftmaxRows, WhatLeavesOutAnElementIsRejected) {
  expect_rejections("wrong_softmax", {3, 16384},
                    {{"none", Reason::none},
                     {"first", Reason::wrong_result},
                     {"last", Reason::wrong_result},
                     {"vector_end", Reason::wrong_result},
                     {"warp_begin", Reason::wrong_result},
                     {"half", Reason::wrong_result},
                     {"last_part", Reason::wrong_result},
                     {"other_row", Reason::wrong_result}});
}

// One run of one configuration on these x, row by row; what other inputs hold is 1.
std::vector<double> y_of(Templates& templates, const Problem& problem, const Config& config, const Artifact& artifact,
                         const std::vector<std::vector<double>>& rows, std::uint64_t order_seed) {
  device::Device& device = *templates.device;
  const Execution execution = spec::resolve(templates.kernel, problem, config, device.facts());
  const std::int64_t row_stride = std::get<std::int64_t>(*problem.fact("row_stride"));
  device::Bindings bindings;
  for (const Argument& argument : execution.arguments) {
    bindings.push_back(argument.is_buffer ? device.allocate(argument.bytes()) : 0);
    if (!argument.is_buffer || !is_read(argument.role)) continue;
    std::vector<std::byte> bytes(static_cast<std::size_t>(bytes_of(argument.type, problem.dims[1])));
    if (argument.name != "x") {
      bytes.resize(static_cast<std::size_t>(argument.bytes()));
      encode_all(argument.type, std::vector<double>(static_cast<std::size_t>(argument.elements), 1.0), bytes.data());
      device.upload(bindings.back(), bytes);
      continue;
    }
    for (std::size_t row = 0; row < rows.size(); ++row) {
      encode_all(argument.type, rows[row], bytes.data());
      const std::int64_t at = bytes_of(argument.type, static_cast<std::int64_t>(row) * row_stride);
      device.upload(bindings.back() + static_cast<device::Address>(at), bytes);
    }
  }
  const auto module = device.load(artifact);
  device::RunOptions options;
  options.order_seed = order_seed;
  const auto ran = device.run({module, &execution, bindings}, options, device::Clock::now() + std::chrono::seconds(30));
  EXPECT_EQ(ran.reason, Reason::none) << config.label() << ": " << ran.detail;
  std::vector<double> y;
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    const Argument& argument = execution.arguments[i];
    if (argument.name == "y") {
      std::vector<std::byte> bytes(static_cast<std::size_t>(argument.bytes()));
      device.download(bindings[i], bytes);
      y = decoded(argument.type, bytes);
    }
    if (argument.is_buffer) device.release(bindings[i]);
  }
  device.unload(module);
  return y;
}

using Row = std::vector<double>;

Row softmax(Row row) {
  double largest = -infinity, sum = 0;
  for (const double x : row) largest = std::fmax(largest, x);
  for (double& x : row) sum += x = std::exp(x - largest);
  for (double& x : row) x /= sum;
  return row;
}

Row norm(Row row) {
  double sum = 0;
  for (const double x : row) sum += x * x;
  for (double& x : row) x /= std::sqrt(sum / static_cast<double>(row.size()) + 1e-6);
  return row;
}

// Runs these configurations on rows of x, which are rounded to the kernel's type first.
void expect_rows_of(Templates& templates, const Problem& problem, const std::vector<Config>& configs, Type type,
                    std::vector<Row> rows, Row (*right)(Row), double relative) {
  const std::string& kernel = templates.kernel.name;
  for (Row& row : rows)
    for (double& x : row) x = rounded(type, x);
  const auto artifacts = templates.artifacts(problem, configs);
  for (std::size_t c = 0; c < configs.size(); ++c) {
    const Config& config = configs[c];
    ASSERT_TRUE(artifacts[c].ok()) << artifacts[c].log;
    const Row y = y_of(templates, problem, config, artifacts[c], rows, c);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const Row wanted = right(rows[r]);
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        const double got = y[r * wanted.size() + i];
        if (std::isnan(wanted[i]) ? std::isnan(got)
                                  : std::fabs(got - wanted[i]) <= relative * std::fabs(wanted[i]) + 4e-8)
          continue;
        ADD_FAILURE() << kernel << " " << config.label() << ": " << got << " for " << wanted[i] << " in row " << r
                      << " at " << i;
        break;
      }
    }
  }
}

// Those that cover the space.
void expect_rows(const std::string& kernel, Type type, const std::vector<Row>& rows, Row (*right)(Row), double relative,
                 const Facts& facts = {}, std::size_t most = 14) {
  Templates templates(kernel);
  const auto columns = static_cast<std::int64_t>(rows.front().size());
  const Problem problem = templates.problem({static_cast<std::int64_t>(rows.size()), columns}, facts);
  const auto configs = templates.kernel.space.covering(templates.scope(problem), most, 1);
  expect_rows_of(templates, problem, configs, type, rows, right, relative);
}

Row row_of(std::size_t columns, const std::function<double(std::size_t)>& value) {
  Row row(columns);
  for (std::size_t i = 0; i < columns; ++i) row[i] = value(i);
  return row;
}

// What attention masks leave: flashinfer-ai/flashinfer#1178 and #4401, intel/torch-xpu-ops#5022, and rows shorter than
// the block that has them, gabrieldemarmiesse/torch-mojo-backend#319.
std::vector<Row> masked_rows(std::size_t columns, double lowest) {
  const double sentinel = lowest * 0.75;
  const auto wave = [](std::size_t i) { return std::sin(static_cast<double>(i)) * 3; };
  const auto all_but = [&](std::size_t place, double there, double elsewhere) {
    return row_of(columns, [=](std::size_t i) { return i == place ? there : elsewhere; });
  };
  return {all_but(0, 1.5, -infinity),
          all_but(columns - 1, -2, -infinity),
          all_but(columns / 2, 0, -infinity),
          row_of(columns, [](std::size_t) { return -infinity; }),
          all_but(columns / 3, nan, -infinity),
          all_but(columns / 2, infinity, 1),
          row_of(columns, [=](std::size_t i) { return i == 5 ? nan : wave(i); }),
          row_of(columns, [=](std::size_t i) { return i % 2 != 0 ? sentinel : wave(i); }),
          row_of(columns, [=](std::size_t) { return sentinel; }),
          row_of(columns, [=](std::size_t) { return lowest; }),
          row_of(columns, [=](std::size_t i) { return i % 3 == 0 ? sentinel : lowest; }),
          row_of(columns, [=](std::size_t i) { return i % 5 == 0 ? -lowest : lowest; }),
          row_of(columns, [=](std::size_t i) { return i < columns / 2 ? -infinity : wave(i); })};
}

TEST(SoftmaxRows, InfinitiesNanAndMaskValuesAreAsInPyTorch) {
  for (const std::size_t columns : {3, 1027}) {
    expect_rows("softmax_f16", Type::f16, masked_rows(columns, -65504), softmax, 1e-3);
    expect_rows("softmax_bf16", Type::bf16, masked_rows(columns, -3.38e38), softmax, 6e-3, {}, 6);
    expect_rows("softmax_f32", Type::f32, masked_rows(columns, -3.4e38), softmax, 3e-5, {}, 6);
  }
}

// Each way to keep a row and to meet, of rows whose parts are of nothing but -inf in some threads, warps and blocks.
// The polynomial never makes 0, so that a part of nothing must not count either.
TEST(SoftmaxRows, WhatIsKeptIsAsInPyTorchHoweverItIsKept) {
  Templates templates("softmax_f16");
  constexpr std::size_t columns = 5001;
  const std::vector<Row> rows = masked_rows(columns, -65504);
  const Problem problem = templates.problem({static_cast<std::int64_t>(rows.size()), columns});
  const auto scope = templates.scope(problem);
  std::vector<Config> configs;
  const auto take = [&](const std::vector<std::pair<const char*, const char*>>& names,
                        const std::vector<std::pair<const char*, std::int64_t>>& numbers) {
    space::Partial only = {{"variant", {Name{"kept"}}}};
    for (const auto& [param, value] : names) only.push_back({param, {Name{value}}});
    for (const auto& [param, value] : numbers) only.push_back({param, {value}});
    const auto config = templates.kernel.space.complete(scope, only);
    ASSERT_TRUE(config) << "not in the space: number " << configs.size();
    configs.push_back(*config);
  };
  take({{"exponentials", "kept"}, {"place", "registers"}},
       {{"blocks_per_row", 1}, {"block_size", 128}, {"vectors", 8}, {"polynomial", 2}});
  take({{"exponentials", "kept"}, {"place", "half"}}, {{"blocks_per_row", 1}, {"block_size", 256}, {"vectors", 5}});
  take({{"exponentials", "kept"}, {"place", "shared"}}, {{"blocks_per_row", 1}, {"block_size", 256}, {"vectors", 3}});
  take({{"exponentials", "kept"}, {"place", "most"}, {"cluster_exchange", "barrier"}},
       {{"blocks_per_row", 2}, {"block_size", 256}, {"vectors", 10}, {"polynomial", 1}});
  take({{"exponentials", "kept"}, {"place", "registers"}, {"cluster_exchange", "async"}},
       {{"blocks_per_row", 16}, {"block_size", 128}, {"vectors", 1}});
  take({{"exponentials", "recomputed"}, {"place", "registers"}, {"cluster_exchange", "async"}},
       {{"blocks_per_row", 8}, {"block_size", 64}, {"vectors", 2}});
  take({{"exponentials", "recomputed"},
        {"place", "shared"},

        {"load_hint", "evict_first"}},
       {{"blocks_per_row", 1}, {"block_size", 1024}, {"vectors", 2}, {"polynomial", 2}});
  expect_rows_of(templates, problem, configs, Type::f16, rows, softmax, 1e-3);
}

TEST(RmsnormRows, InfinitiesAndNanStayInTheirRow) {
  const auto wave = [](std::size_t i) { return std::sin(static_cast<double>(i)) * 3; };
  const std::size_t columns = 1027;
  const std::vector<Row> rows = {row_of(columns, wave),
                                 row_of(columns, [&](std::size_t i) { return i == 1020 ? nan : wave(i); }),
                                 row_of(columns, wave),
                                 row_of(columns, [&](std::size_t i) { return i == 0 ? infinity : wave(i); }),
                                 row_of(columns, [](std::size_t) { return 0.0; }),
                                 row_of(columns, [](std::size_t i) { return i % 2 != 0 ? 60000.0 : -60000.0; })};
  expect_rows("rmsnorm_f16", Type::f16, rows, norm, 1.1e-3);
  expect_rows("rmsnorm_bf16", Type::bf16, rows, norm, 8e-3, {}, 4);
}

// flashinfer-ai/flashinfer#3391, microsoft/onnxruntime#32299, vllm-project/vllm#28103: a row begins beyond 2^31
// elements, and in every pass over it.
TEST(FarRows, AreReadWhereTheyAre) {
  const Facts far = {{"row_stride", (std::int64_t{1} << 31) + 5}};
  const std::vector<Row> rows(3, row_of(300, [](std::size_t i) { return std::cos(static_cast<double>(i)); }));
  expect_rows("softmax_f16", Type::f16, rows, softmax, 1e-3, far);
  expect_rows("rmsnorm_f16", Type::f16, rows, norm, 1.1e-3, far);
}

}  // namespace
}  // namespace tuner::test
