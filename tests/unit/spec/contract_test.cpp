// What people write about their own kernels: types, structs, roles, steps that repeat, references, bounds.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/scalar_bits.h"
#include "expect_error.h"
#include "manifest_text.h"
#include "spec/kernel_spec.h"
#include "spec/resolve.h"
#include "spec/struct_bytes.h"
#include "spec/vector_types.h"

namespace tuner::spec {
namespace {

// clang-format off
constexpr std::string_view kOwn = R"yaml(tuner: 1
kernel: own
source: own.cu
dims: [N, K]
facts: {t: f32}
params: {block: [64, 128], width: [1, 2, 4]}
args:
  - {name: in, type: float4, size: "ceil_div(N, 4)", role: weight}
  - {name: out, type: t, size: N, role: output}
  - {name: sums, type: f32, size: N, role: accumulator, set: 2.5}
  - {name: state, type: half2, size: N, role: in_place, fill: "normal(1, 0.5)"}
  - {name: taps, type: f32, size: 9, role: weight, symbol: c_taps}
  - {name: alpha, type: f32, value: -0.125}
  - {name: pass, type: i32, value: pass * 3 + 1}
  - {name: flag, type: bool, value: N > 4}
  - {name: both, fields: [{type: i8, value: 3}, {type: f64, value: 0.5}, {type: i16, value: N}]}
steps:
  - {memset: out, value: 255}
  - {launch: first, grid: N, block: block, args: [in, out, alpha], cluster: [2, 1], cooperative: width == 4}
  - {repeat: K, index: pass, steps: [{launch: step, grid: [pass + 1], block: block, template: [block, t], when: "pass != 1"}, {memset: out, value: 0}]}
  - {launch: again, grid: 1, block: 32, repeat: 2, args: [out]}
reference: none
)yaml";
// clang-format on

class Own : public testing::Test {
 protected:
  explicit Own() { gpu_.sm_count = 132; }
  static KernelSpec read(std::string_view text) { return parse_kernel(text, "/k/own.yaml"); }
  Execution resolved(const KernelSpec& kernel, const std::vector<std::int64_t>& dims, const Facts& facts = {},
                     const space::Partial& wanted = {}) const {
    const Problem problem = make_problem(kernel, dims, facts, "--shape");
    return resolve(kernel, problem, kernel.space.complete(base_scope(kernel, problem, gpu_), wanted).value(), gpu_);
  }
  GpuFacts gpu_ = gpu_of_arch(90);
};

TEST_F(Own, BuffersCountInTheirVectors) {
  const Execution e = resolved(read(kOwn), {10, 1});
  EXPECT_EQ(e.arguments[0].type, Type::f32);
  EXPECT_EQ(e.arguments[0].elements, 12);
  EXPECT_EQ(e.arguments[0].align_bytes, 16);
  EXPECT_EQ(e.arguments[3].type, Type::f16);
  EXPECT_EQ(e.arguments[3].elements, 20);
  EXPECT_EQ(e.arguments[3].align_bytes, 4);
  EXPECT_EQ(e.arguments[1].align_bytes, 4);
}

TEST_F(Own, VectorTypesAreCudas) {
  EXPECT_EQ(vector_type("uchar3")->type, Type::u8);
  EXPECT_EQ(vector_type("uchar3")->lanes, 3);
  EXPECT_EQ(vector_type("ulonglong2")->type, Type::u64);
  EXPECT_EQ(vector_type("double4")->lanes, 4);
  EXPECT_EQ(vector_type("__nv_bfloat162")->type, Type::bf16);
  for (const char* none : {"half4", "half1", "float5", "float0", "float", "4", "", "bool2", "f324"})
    EXPECT_FALSE(vector_type(none)) << none;
}

TEST_F(Own, RolesFillsAndSymbolsReachTheArguments) {
  const Execution e = resolved(read(kOwn), {10, 1});
  EXPECT_EQ(e.arguments[2].role, Role::accumulator);
  EXPECT_EQ(e.arguments[2].initial, 2.5);
  EXPECT_EQ(e.arguments[3].fill, (Fill{Fill::Kind::normal, 1, 0.5, {}}));
  EXPECT_EQ(e.arguments[4].symbol, "c_taps");
  EXPECT_EQ(e.arguments[5].real, -0.125);
  EXPECT_EQ(e.arguments[7].value, 1) << "true";
  EXPECT_EQ(resolved(read(kOwn), {4, 1}).arguments[7].value, 0);
  EXPECT_EQ(execution_from_json(to_json(e)), e);
}

TEST_F(Own, AStructLiesAsCLaysIt) {
  struct Both {
    std::int8_t a;
    double b;
    std::int16_t c;
  };
  Both both;
  std::memset(&both, 0, sizeof both);
  both.a = 3;
  both.b = 0.5;
  both.c = 10;
  const Argument argument = resolved(read(kOwn), {10, 1}).arguments[8];
  EXPECT_EQ(argument.bytes_by_value, std::string(reinterpret_cast<const char*>(&both), sizeof both));
  EXPECT_EQ(argument.parameter_bytes(), 24);
}

template <class T>
std::size_t layout_of(Type type) {
  struct Both {
    char first;
    T second;
    char third;
  };
  Argument narrow, wide;
  narrow.type = Type::u8;
  narrow.value = 1;
  wide.type = type;
  wide.value = 1;
  wide.real = 1;
  const std::string bytes = struct_bytes({narrow, wide, narrow});
  EXPECT_EQ(bytes.size(), sizeof(Both)) << to_text(type);
  EXPECT_EQ(bytes[offsetof(Both, third)], 1) << to_text(type);
  T second;
  std::memcpy(&second, bytes.data() + offsetof(Both, second), sizeof second);
  EXPECT_EQ(second, T{1}) << to_text(type);
  return bytes.size();
}

TEST_F(Own, EveryFieldLiesWhereCLaysIt) {
  layout_of<double>(Type::f64);
  layout_of<float>(Type::f32);
  layout_of<std::int8_t>(Type::i8);
  layout_of<std::uint16_t>(Type::u16);
  layout_of<std::int32_t>(Type::i32);
  layout_of<std::uint64_t>(Type::u64);
  layout_of<bool>(Type::boolean);
}

TEST_F(Own, StepsRepeatWithTheirIndex) {
  const Execution e = resolved(read(kOwn), {10, 3}, {{"t", Name{"bf16"}}});
  // memset, first, then three turns of which the second launches nothing, then `again` twice.
  ASSERT_EQ(e.steps.size(), 9u);
  EXPECT_EQ(e.steps[0].byte, 255);
  EXPECT_EQ(e.steps[1].entry, "first");
  EXPECT_EQ(e.steps[1].arguments, (std::vector<std::string>{"in", "out", "alpha"}));
  EXPECT_EQ(e.steps[1].cluster, (Dim3{2, 1, 1}));
  EXPECT_FALSE(e.steps[1].cooperative);
  EXPECT_TRUE(e.steps[1].values.empty());
  EXPECT_EQ(e.steps[2].entry, "step<64, bf16_t>");
  EXPECT_EQ(e.steps[2].grid, (Dim3{1, 1, 1}));
  EXPECT_EQ(e.steps[2].values, (std::vector<std::pair<std::string, std::int64_t>>{{"pass", 1}}));
  EXPECT_EQ(e.steps[3].kind, Step::Kind::memset);
  EXPECT_EQ(e.steps[4].kind, Step::Kind::memset) << "of the turn that launches nothing";
  EXPECT_EQ(e.steps[5].grid, (Dim3{3, 1, 1}));
  EXPECT_EQ(e.steps[5].values, (std::vector<std::pair<std::string, std::int64_t>>{{"pass", 7}}));
  EXPECT_EQ(e.steps[7].entry, "again");
  EXPECT_EQ(e.steps[8], e.steps[7]);
  EXPECT_EQ(e.arguments[6].value, 1) << "outside of every repeat the index is 0";
  EXPECT_EQ(steps_from_json(to_json(e.steps)), e.steps);
  EXPECT_TRUE(resolved(read(kOwn), {10, 1}, {}, {{"width", {std::int64_t{4}}}}).steps[1].cooperative);
}

TEST_F(Own, AFunctionMayStandInNamespaces) {
  const auto with = [](const std::string& name) { return edited(kOwn, "launch: again", "launch: \"" + name + "\""); };
  EXPECT_EQ(resolved(read(with("a::b::again")), {8, 1}).steps.back().entry, "a::b::again");
  expect_error([&] { read(edited(with("a::width"), "block: [64", "block: [32, 64")); },
               "the macro 'width' of the parameter 'width' would hide the entry 'width'", "/k/own.yaml:6:32",
               "rename one of them");
  for (const char* name : {"a:b", "::a", "a::", "a::3", "a b", "a::b<3>"})
    expect_error([&] { read(with(name)); },
                 "'launch' must be a function's name (letters, digits and _; its namespaces in front, a::f), not '" +
                     std::string(name) + "'",
                 "/k/own.yaml:21:15", "");
}

TEST_F(Own, RepeatsHaveLimits) {
  EXPECT_EQ(resolved(read(edited(kOwn, "repeat: K", "repeat: K - 1")), {10, 1}).steps.size(), 4u);
  const KernelSpec kernel = read(edited(kOwn, "repeat: K", "repeat: K - 2"));
  expect_error(
      [&] {
        (void)resolved(kernel, {10, 1});
      },
      "'repeat' is -1, it must be 0 to 4096 in 'K - 2'", "/k/own.yaml:20:14", "");
  expect_error(
      [&] {
        (void)resolved(kernel, {10, 4099});
      },
      "'repeat' is 4097, it must be 0 to 4096 in 'K - 2'", "/k/own.yaml:20:14", "");
  EXPECT_NO_THROW((void)resolved(kernel, {10, 4098}));
}

TEST_F(Own, AScalarOfATurnMustFitItsType) {
  const KernelSpec kernel = read(edited(kOwn, "type: i32, value: pass * 3 + 1", "type: u8, value: pass * 100"));
  EXPECT_NO_THROW((void)resolved(kernel, {10, 3}));
  expect_error(
      [&] {
        (void)resolved(kernel, {10, 4});
      },
      "the argument 'pass' is 300, which does not fit its type u8", "own 10x4", "");
}

TEST_F(Own, AnAccumulatorSetInsideIsTheFirstStep) {
  const Execution e = resolved(read(edited(kOwn, "set: 2.5", "timed: true")), {10, 1});
  EXPECT_EQ(e.steps[0].kind, Step::Kind::memset);
  EXPECT_EQ(e.steps[0].argument, "sums");
  EXPECT_EQ(e.steps[0].byte, 0);
  EXPECT_EQ(e.steps[1].argument, "out");
}

TEST_F(Own, BoundsTermsAndExactness) {
  const auto workload = [&](const std::string& lines) {
    const KernelSpec kernel = read(std::string(kOwn) + lines);
    return workload_of(kernel, make_problem(kernel, {10, 7}, {}, "--shape"), gpu_);
  };
  EXPECT_EQ(workload("").terms, 1);
  EXPECT_EQ(workload("terms: K * 2\n").terms, 14);
  EXPECT_EQ(workload("terms: 0\n").terms, 1);
  EXPECT_EQ(workload("").reference.bound.kind, ErrorBound::Kind::terms);
  EXPECT_TRUE(workload("").reference.exact_integers);
  EXPECT_EQ(workload("bound: exact\n").reference.bound.kind, ErrorBound::Kind::exact);
  EXPECT_FALSE(workload("exact_integers: false\n").reference.exact_integers);
  const Workload stated = workload("bound: {relative: 1e-3, absolute: 2e-4, why: exp}\n");
  EXPECT_EQ(stated.reference.bound, (ErrorBound{ErrorBound::Kind::stated, 1e-3, 2e-4}));
  EXPECT_FALSE(stated.reference.exact_integers);
  EXPECT_EQ(to_json(workload_from_json(to_json(stated))), to_json(stated));
}

class OwnFiles : public Own {
 protected:
  OwnFiles() {
    std::filesystem::create_directories(folder_);
    for (const char* name : {"ref.cpp", "ref.cu", "out.npy", "sums.npy", "state.npy"}) std::ofstream(folder_ / name);
  }
  ~OwnFiles() override { std::filesystem::remove_all(folder_); }
  KernelSpec with(const std::string& reference, const std::string& more = "") const {
    return parse_kernel(edited(kOwn, "reference: none", "reference: " + reference) + more,
                        (folder_ / "own.yaml").string());
  }
  Workload workload(const KernelSpec& kernel) const {
    return workload_of(kernel, make_problem(kernel, {10, 7}, {}, "--shape"), gpu_);
  }
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("own_" + std::to_string(::getpid()));
};

TEST_F(OwnFiles, ReferencesAreAFunctionAKernelOrFiles) {
  const KernelSpec host = with("{host: f, source: ref.cpp}");
  EXPECT_EQ(host.reference.source_path, (folder_ / "ref.cpp").string());
  EXPECT_EQ(workload(host).reference.kind, ReferencePlan::Kind::host);
  EXPECT_EQ(workload(host).reference.function, "f");
  const KernelSpec kernel = with("{kernel: g, source: ref.cu, grid: N, block: [32, 2], shared: K * 4}");
  const ReferencePlan plan = workload(kernel).reference;
  EXPECT_EQ(plan.kind, ReferencePlan::Kind::kernel);
  ASSERT_EQ(plan.steps.size(), 1u);
  EXPECT_EQ(plan.steps[0].entry, "g");
  EXPECT_EQ(plan.steps[0].grid, (Dim3{10, 1, 1}));
  EXPECT_EQ(plan.steps[0].block, (Dim3{32, 2, 1}));
  EXPECT_EQ(plan.steps[0].shared_bytes, 28);
  const KernelSpec summing = with("{kernel: g, magnitude: h, source: ref.cu, grid: N, block: 32}");
  const ReferencePlan sums = workload(summing).reference;
  ASSERT_EQ(sums.steps.size(), 2u);
  EXPECT_EQ(sums.steps[1].entry, "h");
  EXPECT_EQ(sums.steps[1].grid, (Dim3{10, 1, 1}));
  expect_error([&] { (void)with("{kernel: g, magnitude: g, source: ref.cu, grid: N, block: 32}"); },
               "'magnitude' is the reference itself", (folder_ / "own.yaml").string() + ":22:35",
               "name the entry that sums the terms' absolute values");
  const ReferencePlan data = workload(with("{data: {out: out.npy, sums: sums.npy, state: state.npy}}")).reference;
  ASSERT_EQ(data.expected.size(), 3u);
  EXPECT_EQ(data.expected[1], (std::pair<std::string, std::string>{"sums", (folder_ / "sums.npy").string()}));
  EXPECT_FALSE(data.exact_integers) << "its inputs are those of the files";
  expect_error([&] { (void)with("{kernel: g, source: ref.cu, grid: block, block: 32}"); },
               "'block' is a parameter and cannot be used in the reference's 'grid' in 'block'",
               (folder_ / "own.yaml").string() + ":22:46", "");
  expect_error([&] { (void)with("{data: {out: out.npy, sums: sums.npy}}"); },
               "'data' has no file for the result 'state'", (folder_ / "own.yaml").string() + ":22:19", "");
}

TEST_F(OwnFiles, AwkwardShapesAreMadeOfTheDimsOrGiven) {
  const auto shapes = [&](const KernelSpec& kernel) {
    std::vector<std::vector<std::int64_t>> dims;
    for (const Awkward& each : awkward_problems(kernel, make_problem(kernel, {4096, 8}, {}, "--shape")))
      dims.push_back(each.problem.dims);
    return dims;
  };
  EXPECT_GE(shapes(with("{host: f, source: ref.cpp}")).size(), 4u);
  const std::vector<std::vector<std::int64_t>> given{{37, 3}, {1, 1}};
  EXPECT_EQ(shapes(with("{host: f, source: ref.cpp}", "awkward: [37x3, 1x1]\n")), given);
  EXPECT_TRUE(shapes(with("{host: f, source: ref.cpp}", "awkward: []\n")).empty());
  const auto filled = [&](const char* size) {
    KernelSpec kernel = with("{host: f, source: ref.cpp}", "awkward: [37x3, 1x1]\n");
    ArgSpec table = kernel.args.front();
    table.name = "table";
    table.size = space::Expr::parse(size);
    table.fill.kind = Fill::Kind::file;
    kernel.args.push_back(table);
    return kernel;
  };
  const auto fixed = [&](const KernelSpec& kernel) {
    return of_one_size(kernel, make_problem(kernel, {4096, 8}, {}, "--shape"));
  };
  EXPECT_EQ(shapes(filled("7")), given) << "the same file fits";
  EXPECT_TRUE(fixed(filled("7")).empty());
  EXPECT_TRUE(shapes(filled("N")).empty());
  EXPECT_EQ(fixed(filled("N")), std::vector<std::string>{"table"});
  EXPECT_TRUE(shapes(with("none")).empty()) << "nothing is judged";
  EXPECT_TRUE(shapes(with("{data: {out: out.npy, sums: sums.npy, state: state.npy}}")).empty())
      << "a file has one size";
}

}  // namespace
}  // namespace tuner::spec
