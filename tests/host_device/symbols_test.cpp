// __constant__ memory on the host device.
#include <gtest/gtest.h>

#include <numeric>

#include "support.h"

namespace tuner::test {
namespace {

// a[i] = filter[i % 9] + table[0], one thread an element.
compile::Source source_with(const std::string& declaration, const std::string& plus = "") {
  compile::Source source = source_of(declaration + R"(
extern "C" __global__ void kernel(int* a) { a[threadIdx.x] = c_filter[threadIdx.x % 9])" +
                                     plus + R"(; })");
  source.symbols = {"c_filter"};
  return source;
}

struct Filtered {
  device::RunResult result;
  std::vector<int> a = std::vector<int>(32);
};

Filtered run(const Artifact& artifact, const std::vector<int>& filter, const std::string& symbol = "c_filter") {
  const auto device = device::open_host();
  const auto module = device->load(artifact);
  Execution execution;
  execution.arguments.resize(2);
  execution.arguments[0].name = "a";
  execution.arguments[0].type = Type::i32;
  execution.arguments[0].elements = 32;
  execution.arguments[1].name = "filter";
  execution.arguments[1].type = Type::i32;
  execution.arguments[1].elements = static_cast<std::int64_t>(filter.size());
  execution.arguments[1].symbol = symbol;
  Step step;
  step.entry = "kernel";
  step.block = {32, 1, 1};
  execution.steps = {step};
  const device::Bindings bindings{device->allocate(128), device->allocate(execution.arguments[1].bytes())};
  device->upload(bindings[1], std::as_bytes(std::span(filter)));
  Filtered filtered;
  filtered.result = device->run({module, &execution, bindings}, {}, device::Clock::now() + std::chrono::seconds(5));
  device->download(bindings[0], std::as_writable_bytes(std::span(filtered.a)));
  return filtered;
}

std::vector<int> nine(int first) {
  std::vector<int> values(9);
  std::iota(values.begin(), values.end(), first);
  return values;
}

TEST(HostSymbols, AreFilledBeforeEveryRun) {
  const auto artifacts =
      build({source_with("__constant__ int c_filter[9];"), source_with("__constant__ int c_filter[9];", " + 100"),
             source_with("static __constant__ int c_filter[16];")});
  for (const int first : {3, 50}) {
    for (std::size_t i = 0; i < artifacts.size(); ++i) {
      ASSERT_TRUE(artifacts[i].ok()) << artifacts[i].log;
      const Filtered filtered = run(artifacts[i], nine(first));
      ASSERT_EQ(filtered.result.detail, "");
      for (int t = 0; t < 32; ++t)
        EXPECT_EQ(filtered.a[static_cast<std::size_t>(t)], first + t % 9 + (i == 1 ? 100 : 0)) << i;
    }
  }
}

TEST(HostSymbols, WithoutAnArgumentTheyKeepWhatTheSourceSays) {
  compile::Source source = source_with("__constant__ int c_filter[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};");
  source.symbols.clear();
  const auto artifact = build({source}).front();
  ASSERT_TRUE(artifact.ok()) << artifact.log;
  EXPECT_EQ(run(artifact, {1}, "").result.reason, Reason::launch_error) << "one argument too many";
  EXPECT_EQ(run(artifact, nine(1)).result.detail,
            "the module has no __constant__ 'c_filter' for the argument 'filter'");
}

TEST(HostSymbols, WhatDoesNotFitIsRefused) {
  const auto artifacts =
      build({source_with("__constant__ int c_filter[9];"), source_with("__device__ const int c_filter[9] = {1};")});
  const Filtered filtered = run(artifacts[0], std::vector<int>(10));
  EXPECT_EQ(filtered.result.reason, Reason::launch_error);
  EXPECT_EQ(filtered.result.detail, "the __constant__ 'c_filter' has 36 bytes, the argument 'filter' 40");
  EXPECT_EQ(artifacts[1].reason, Reason::compile_error) << "a const object cannot be filled";
}

}  // namespace
}  // namespace tuner::test
