// Kernels that nvcc compiles: how entries are found, what goes wrong, and where nvcc itself is found.
#include "compile/nvcc.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "compile/bare_code.h"
#include "compile/compiler.h"
#include "compile/host_code.h"
#include "compile_fixture.h"
#include "core/error.h"

namespace tuner::compile {
namespace {

const char* const kHostAndDevice = R"(
#include <cstdint>
#include <vector>
using element = float;
enum class Mode { one, two };
template <int block_size, class T = float, Mode mode = Mode::two>
__global__ void __launch_bounds__(block_size) k(const T* x, T* y, int64_t n) {
  __shared__ T t[block_size];
  t[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < n) y[threadIdx.x] = t[block_size - 1 - threadIdx.x];
}
__global__ void plain(int* p) { *p = 1; }
static __global__ void own(int* p) { *p = 4; }
namespace a { namespace b { __global__ void plain(float* p) { *p = 5; } } }
extern "C" __global__ void c_like(int* p) { *p = 2; }
__device__ void helper(int* p) { *p = 3; }
int main() {
  std::vector<int> v(3);
  plain<<<1, 1>>>(v.data());
  k<32, double><<<1, 32>>>(nullptr, nullptr, 1);
}
)";

class NvccCompiler : public testing::Test {
 protected:
  void SetUp() override {
    options_.nvcc = find_nvcc();
    if (!options_.nvcc.problem.empty()) GTEST_SKIP() << "needs nvcc";
    options_.arch = "sm_90";
  }
  Artifact compile(std::vector<std::string> entries, const std::string& text = kHostAndDevice) {
    Source source = source_of(text, std::move(entries));
    source.options = {"--std=c++17", "--ptxas-options=--warn-on-spills"};
    source.options.insert(source.options.end(), more_.begin(), more_.end());
    source.include_dirs = include_dirs_;
    source.nvcc = true;
    Artifact artifact;
    compile_all({source}, options_, [&](std::size_t, const Artifact& made) { artifact = made; });
    return artifact;
  }
  CompileOptions options_;
  std::vector<std::string> more_;
  std::vector<std::string> include_dirs_;
};

TEST_F(NvccCompiler, FindsEveryKindOfEntry) {
  const Artifact artifact = compile({"k<256, element>", "k<128>", "plain", "c_like", "own", "a::b::plain"});
  ASSERT_TRUE(artifact.ok()) << artifact.log;
  EXPECT_EQ(artifact.find("k<256, element>")->static_shared_bytes, 1024);
  EXPECT_EQ(artifact.find("k<256, element>")->parameter_bytes, (std::vector<int>{8, 8, 8}));
  EXPECT_EQ(artifact.find("k<128>")->max_threads, 128);
  EXPECT_EQ(artifact.find("plain")->symbol, "_Z5plainPi");
  EXPECT_EQ(artifact.find("c_like")->symbol, "c_like");
  EXPECT_NE(artifact.find("own"), nullptr);
  EXPECT_EQ(artifact.find("a::b::plain")->symbol, "_ZN1a1b5plainEPf");
  for (const auto& kernel : artifact.kernels) EXPECT_EQ(kernel.entry.find("marker"), std::string::npos);
}

TEST_F(NvccCompiler, AnEntryThatIsNoKernelIsAnErrorThatNamesIt) {
  const auto fault = [&](const char* entry) {
    const Artifact artifact = compile({"plain", entry});
    EXPECT_EQ(artifact.reason, Reason::compile_error);
    return artifact.log.substr(0, artifact.log.find('\n'));
  };
  EXPECT_EQ(fault("other<3>"), "test.cu: no __global__ function 'other<3>': identifier \"other\" is undefined");
  EXPECT_EQ(fault("helper").rfind("test.cu: no __global__ function 'helper'; there is ", 0), 0u) << fault("helper");
}

TEST_F(NvccCompiler, ErrorsNameTheSourcesLine) {
  const Artifact artifact = compile({"k"}, "// one\n__global__ void k() { oops(); }\n");
  EXPECT_EQ(artifact.log.rfind("test.cu(2): error: identifier \"oops\" is undefined", 0), 0u) << artifact.log;
}

TEST_F(NvccCompiler, FoldersWithSpacesAndOptionsReachIt) {
  const auto folder = fresh_folder("with space");
  put_file(folder / "far.cuh", "__device__ int far() { return FAR; }\n");
  include_dirs_ = {folder.string()};
  more_ = {"-DFAR=7"};
  const Artifact artifact = compile({"k"}, "#include <far.cuh>\n__global__ void k(int* p) { *p = far(); }\n");
  EXPECT_TRUE(artifact.ok()) << artifact.log;
}

TEST_F(NvccCompiler, WhatHangsIsKilledWithItsPasses) {
  options_.nvcc_deadline = std::chrono::milliseconds(50);
  EXPECT_EQ(compile({"plain"}).reason, Reason::compile_timeout);
}

TEST_F(NvccCompiler, TheCacheKnowsNvccFromNvrtcAndByItsVersion) {
  Source source = source_of(kHostAndDevice);
  source.nvcc = true;
  const std::string key = cache_key(source, options_);
  options_.nvrtc.version = "1.2.3";
  EXPECT_EQ(cache_key(source, options_), key);
  options_.nvcc.version += "9";
  EXPECT_NE(cache_key(source, options_), key);
}

TEST(Nvcc, ANamedOneThatIsNotThereIsTheMachinesFault) {
  const char* before = std::getenv("TUNER_NVCC");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TUNER_NVCC", "/nowhere/nvcc", 1);
  EXPECT_EQ(find_nvcc().problem, "no such program");
  EXPECT_THROW(choose_nvcc(), MachineError);
  const auto program = put_file(fresh_folder() / "nvcc", "#!/bin/sh\necho 'Cuda, release 12.4, V12.4.131'\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  ::setenv("TUNER_NVCC", program.c_str(), 1);
  EXPECT_EQ(choose_nvcc().version, "12.4.131");
  before == nullptr ? ::unsetenv("TUNER_NVCC") : ::setenv("TUNER_NVCC", kept.c_str(), 1);
}

TEST(HostCode, OnlyWhatLaunchesGoes) {
  EXPECT_EQ(
      without_host_code("__global__ void k() { f(); }\nint main(int c) {\n  \"}\"; k<<<1, 1>>>();\n}\nint after;"),
      "__global__ void k() { f(); }\n                 \n                     \n \nint after;");
  const std::string kept =
      "namespace a { template <class T> struct S { T x; };\n__device__ int main_of(int i) { return i << 3; } }\n"
      "// main() { cudaFree\nextern \"C\" { __global__ void k() { const char* t = \"<<<\"; } }\n";
  EXPECT_EQ(without_host_code(kept), kept);
  EXPECT_EQ(without_host_code("namespace a { static void f() { cudaMalloc(0); } int x; }").find("cudaMalloc"),
            std::string::npos);
  EXPECT_NE(without_host_code("void f() {\n#if 1\n  cudaFree(0);\n#endif\n}").find("#endif"), std::string::npos);
}

}  // namespace
}  // namespace tuner::compile
