#include "measure/user_reference.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "measure/prepared.h"
#include "measure/timed.h"
#include "measure/verify.h"
#include "unit/measure/fake_device.h"
#include "unit/measure/workloads.h"

namespace tuner::measure {
namespace {

device::Clock::time_point moments_ahead() { return device::Clock::now() + std::chrono::seconds(20); }

double* doubles(WideArgument& argument) { return reinterpret_cast<double*>(argument.bytes.data()); }

WideArgument& named(std::vector<WideArgument>& arguments, const std::string& name) {
  for (WideArgument& argument : arguments)
    if (argument.name == name) return argument;
  throw std::runtime_error("no argument " + name);
}

// y = A x, or y += A x where y is read.
void host_gemv(const Workload& workload, std::vector<WideArgument>& arguments) {
  const double *a = doubles(named(arguments, "A")), *x = doubles(named(arguments, "x"));
  double* y = doubles(named(arguments, "y"));
  for (std::int64_t row = 0; row < workload.dims[0]; ++row) {
    double sum = workload.arguments[2].role == Role::output ? 0 : y[row];
    for (std::int64_t j = 0; j < workload.dims[1]; ++j) sum += a[row * workload.dims[1] + j] * x[j];
    y[row] = sum;
  }
}

Workload host_workload(Type type = Type::f32, Role role = Role::output) {
  Workload w = gemv_workload(type, 16, 64);
  w.reference.kind = ReferencePlan::Kind::host;
  w.reference.function = "ref";
  w.arguments[2].role = role;
  return w;
}

PrepareOptions options_with(HostFunction host, bool timed = false) {
  PrepareOptions options;
  options.timed = timed;
  options.reference.host = std::move(host);
  return options;
}

template <class F>
void expect_user_error(F&& action, const std::string& what) {
  try {
    action();
    ADD_FAILURE() << "no error, expected: " << what;
  } catch (const UserError& fault) {
    EXPECT_EQ(std::string(fault.what()), what);
  }
}

std::vector<std::vector<std::byte>> exact_bytes(const Prepared& prepared) {
  std::vector<std::vector<std::byte>> all;
  for (const auto& result : prepared.exact_results(DataSet::exact)) all.push_back(*result.bytes);
  return all;
}

TEST(UserReference, AHostFunctionGivesWhatTheBuiltInOneGives) {
  FakeDevice device;
  const Workload built_in = gemv_workload(Type::f16, 16, 64);
  Prepared own(device, host_workload(Type::f16), options_with(host_gemv));
  Prepared theirs(device, built_in, {});
  EXPECT_EQ(exact_bytes(own), exact_bytes(theirs));
  for (const DataSet set : {DataSet::exact, DataSet::random}) {
    const auto& mine = own.expectations(set, 16);
    ASSERT_EQ(mine.size(), 1u);
    const Expectation built = theirs.expectations(set, 16)[0];
    ASSERT_EQ(mine[0].elements(), built.elements());
    for (std::size_t i = 0; i < built.elements(); ++i) {
      EXPECT_EQ(mine[0].value(i), built.value(i)) << i;
      EXPECT_EQ(mine[0].bound(i), built.bound(i)) << i << ", from the call on absolute values";
    }
  }
}

TEST(UserReference, FloatingValuesAreWideTheRestAsTheyAreAndScratchIsLeftOut) {
  FakeDevice device;
  Workload w = host_workload(Type::bf16);
  w.arguments.push_back(buffer_argument("index", Type::i4, 9, Role::activation));
  w.arguments.push_back(buffer_argument("tmp", Type::f32, 5, Role::scratch));
  Argument scale;
  scale.name = "scale";
  scale.is_buffer = false;
  scale.type = Type::f16;
  scale.real = -0.3;
  w.arguments.push_back(scale);
  scale.name = "count";
  scale.type = Type::i32;
  scale.value = -7;
  w.arguments.push_back(scale);
  scale.name = "both";
  scale.bytes_by_value = "12345678";
  w.arguments.push_back(scale);
  int calls = 0;
  Prepared prepared(device, w, options_with([&](const Workload& workload, std::vector<WideArgument>& arguments) {
                      ++calls;
                      ASSERT_EQ(arguments.size(), 7u);
                      EXPECT_EQ(arguments[0].type, Type::f64);
                      EXPECT_EQ(arguments[0].bytes.size(), 16u * 64 * 8);
                      EXPECT_TRUE(arguments[2].is_result);
                      EXPECT_EQ(arguments[2].bytes.size(), 16u * 8);
                      EXPECT_EQ(arguments[3].name, "index");
                      EXPECT_EQ(arguments[3].type, Type::i4);
                      EXPECT_EQ(arguments[3].bytes.size(), 5u);
                      EXPECT_EQ(arguments[4].name, "scale");
                      EXPECT_FALSE(arguments[4].is_buffer);
                      EXPECT_EQ(std::fabs(*doubles(arguments[4])), 0.3);
                      std::int32_t count = 0;
                      std::memcpy(&count, arguments[5].bytes.data(), 4);
                      EXPECT_EQ(count, -7);
                      EXPECT_TRUE(arguments[6].is_struct);
                      EXPECT_EQ(arguments[6].bytes.size(), 8u);
                      host_gemv(workload, arguments);
                    }));
  EXPECT_EQ(calls, 3) << "the exact set, the random set, and that on absolute values";
}

TEST(UserReference, ABoundOfItsOwnNeedsNoSecondCall) {
  FakeDevice device;
  Workload w = host_workload();
  w.reference.bound = {ErrorBound::Kind::stated, 0.25, 0.5};
  w.reference.exact_integers = false;
  int calls = 0;
  Prepared prepared(device, w, options_with([&](const Workload& workload, std::vector<WideArgument>& arguments) {
                      ++calls;
                      host_gemv(workload, arguments);
                    }));
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(exact_bytes(prepared).empty());
  const Expectation expected = prepared.expectations(DataSet::random, 0)[0];
  EXPECT_GE(expected.bound(3), 0.25 * std::fabs(expected.value(3)) + 0.5);
}

TEST(UserReference, AnUnwrittenElementIsNamed) {
  FakeDevice device;
  expect_user_error(
      [&] {
        Prepared prepared(device, host_workload(),
                          options_with([](const Workload& workload, std::vector<WideArgument>& arguments) {
                            host_gemv(workload, arguments);
                            std::memset(doubles(arguments[2]) + 5, 0xff, 8);
                          }));
      },
      "the reference 'ref' never wrote y[5]");
  expect_user_error([&] { Prepared prepared(device, host_workload(), {}); }, "this process runs no host reference");
}

TEST(UserReference, AKernelRunsInDoubleOnTheDevice) {
  FakeDevice device;
  Workload w = host_workload(Type::f16);
  w.reference.kind = ReferencePlan::Kind::kernel;
  w.reference.steps = {Step{}};
  w.reference.steps[0].entry = "gemv";
  PrepareOptions options;
  options.reference.module = device.load(fake_artifact("gemv"));
  Prepared prepared(device, w, options);
  Prepared built_in(device, gemv_workload(Type::f16, 16, 64), {});
  EXPECT_EQ(exact_bytes(prepared), exact_bytes(built_in));
  for (const DataSet set : {DataSet::exact, DataSet::random})
    for (std::size_t row = 0; row < 16; ++row)
      EXPECT_NEAR(prepared.expectations(set, 64)[0].bound(row), built_in.expectations(set, 64)[0].bound(row), 1e-9);
  options.reference.module = device.load(fake_artifact("gemv:no_launch"));
  expect_user_error([&] { Prepared refused(device, w, options); },
                    "the reference kernel 'gemv' failed at 16x64: too many threads");
  options.reference.module = device.load(fake_artifact("gemv:unwritten"));
  expect_user_error([&] { Prepared refused(device, w, options); }, "the reference 'ref' never wrote y[4]");
  options.reference.module = device.load(fake_artifact("gemv:trap"));
  EXPECT_THROW(Prepared(device, w, options), device::DeviceFault);
}

TEST(UserReference, AKernelTakesAbsoluteScalarsForTheSumsOfTerms) {
  FakeDevice device;
  Workload w = host_workload(Type::f32);
  w.reference.kind = ReferencePlan::Kind::kernel;
  w.reference.steps = {Step{}};
  Argument scale;
  scale.name = "scale";
  scale.is_buffer = false;
  scale.type = Type::f32;
  scale.real = -0.5;
  w.arguments.push_back(scale);
  PrepareOptions options;
  options.reference.module = device.load(fake_artifact("gemv:scaled"));
  Prepared prepared(device, w, options);
  const Reference& reference = *prepared.expectations(DataSet::random, 64)[0].reference;
  for (std::size_t row = 0; row < 16; ++row) EXPECT_GE(reference.magnitude[row], std::fabs(reference.value[row]));
}

TEST(UserReference, ASecondKernelSumsTheTerms) {
  FakeDevice device;
  Workload w = host_workload(Type::f32);
  w.reference.kind = ReferencePlan::Kind::kernel;
  w.reference.steps = {Step{}, Step{}};
  w.reference.steps[0].entry = "gemv";
  w.reference.steps[1].entry = "sums";
  PrepareOptions options;
  options.reference.module = device.load(fake_artifact("gemv"));
  Prepared prepared(device, w, options);
  const Reference& reference = *prepared.expectations(DataSet::random, 64)[0].reference;
  // The fake device knows no second entry: it gives the result again, of the inputs as they are, which sums no terms.
  ASSERT_TRUE(reference.lesser);
  EXPECT_EQ(*reference.lesser, *std::min_element(reference.value.begin(), reference.value.end()));
  for (std::size_t i = 0; i < reference.value.size(); ++i)
    EXPECT_EQ(reference.magnitude[i], std::fabs(reference.value[i])) << i;
}

TEST(UserReference, FilesHoldTheResultsOfBothSets) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("expected_" + std::to_string(::getpid()) + ".bin")).string();
  std::vector<float> values(16);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) - 8;
  const auto write = [&](std::size_t count) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(count * 4));
  };
  write(16);
  FakeDevice device;
  Workload w = host_workload();
  w.reference.kind = ReferencePlan::Kind::data;
  w.reference.expected = {{"y", path}};
  w.reference.exact_integers = false;
  Prepared prepared(device, w, {});
  for (const DataSet set : {DataSet::exact, DataSet::random})
    EXPECT_EQ(prepared.expectations(set, 0)[0].reference->value, std::vector<double>(values.begin(), values.end()));
  const Execution execution = gemv_execution(w);
  EXPECT_EQ(
      verify(device, prepared, {device.load(fake_artifact("gemv")), &execution}, Thoroughness::main, moments_ahead())
          .verdict.reason,
      Reason::wrong_result);
  write(15);
  expect_user_error([&] { Prepared again(device, w, {}); }, "it holds 60 bytes, 16 elements of f32 are 64");
  std::filesystem::remove(path);
}

// What an execution adds to or changes is put back before every launch that is judged or timed.
class Restored : public testing::TestWithParam<Role> {
 protected:
  Workload workload() const {
    Workload w = host_workload(Type::f32, GetParam());
    w.arguments[2].initial = 2;
    return w;
  }
  FakeDevice device_;
};

TEST_P(Restored, BeforeEveryVerifyingRun) {
  const Workload w = workload();
  Prepared prepared(device_, w, options_with(host_gemv));
  const Execution execution = gemv_execution(w);
  const auto verdict_of = [&](const std::string& image) {
    return verify(device_, prepared, {device_.load(fake_artifact(image)), &execution}, Thoroughness::main,
                  moments_ahead())
        .verdict;
  };
  EXPECT_TRUE(verdict_of("gemv:accumulates").ok()) << verdict_of("gemv:accumulates").detail;
  EXPECT_EQ(verdict_of("gemv").reason, Reason::wrong_result) << "it does not add to what was there";
}

TEST_P(Restored, BeforeEveryTimedLaunch) {
  const Workload w = workload();
  Prepared prepared(device_, w, options_with(host_gemv, true));
  ASSERT_GT(prepared.copies(), 1);
  const auto module = device_.load(fake_artifact("gemv:accumulates@1"));
  const Execution execution = gemv_execution(w);
  const TimedGraph timed = record_kernel(device_, prepared, module, execution, 0, moments_ahead());
  ASSERT_EQ(timed.problem, "");
  EXPECT_LE(timed.launches, prepared.copies()) << "a copy is restored once a replay";
  const auto verdict = check_timed(device_, prepared, timed, 64, moments_ahead());
  EXPECT_TRUE(verdict->ok()) << verdict->detail;
  const device::GraphId graphs[] = {timed.graph};
  for (int i = 0; i < 3; ++i) device_.replay(graphs, moments_ahead());
  EXPECT_TRUE(check_timed(device_, prepared, timed, 64, moments_ahead())->ok()) << "after other replays";
}

TEST_P(Restored, HoldWhatTheyAreSaidTo) {
  const Workload w = workload();
  Prepared prepared(device_, w, options_with(host_gemv));
  for (const DataSet set : {DataSet::exact, DataSet::random}) {
    const Bound bound = prepared.bind(gemv_execution(w), set, 0);
    const BoundBuffer& y = bound.buffers[2];
    ASSERT_NE(y.before, 0u);
    EXPECT_NE(y.before, y.memory->address());
    float first = 0;
    device_.download(y.before, std::as_writable_bytes(std::span(&first, 1)));
    if (GetParam() == Role::accumulator)
      EXPECT_EQ(first, 2);
    else
      EXPECT_NE(first, 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Roles, Restored, testing::Values(Role::in_place, Role::accumulator));

}  // namespace
}  // namespace tuner::measure
