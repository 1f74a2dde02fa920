#include "compile/compiler.h"

#include <gtest/gtest.h>

#include <map>

#include "compile/compile_job.h"
#include "compile/compile_log.h"
#include "compile/nvrtc_paths.h"
#include "compile_fixture.h"
#include "proc/program.h"

namespace tuner::compile {
namespace {

class Compiler : public testing::Test {
 protected:
  void SetUp() override {
    const auto found = any_nvrtc();
    if (!found) GTEST_SKIP() << "needs NVRTC";
    options_.nvrtc = *found;
    options_.arch = "sm_90";
    options_.deadline = std::chrono::seconds(120);
  }

  std::map<std::size_t, Artifact> compile(const std::vector<Source>& sources) {
    std::map<std::size_t, Artifact> all;
    compile_all(sources, options_, [&](std::size_t i, const Artifact& artifact) {
      EXPECT_TRUE(all.emplace(i, artifact).second) << "reported twice";
    });
    return all;
  }
  Artifact compile(const Source& source) { return compile(std::vector<Source>{source}).at(0); }

  CompileOptions options_;
};

const char* const kGood = R"(
extern "C" __global__ void __launch_bounds__(128) k(const float* a, float* y, int n, long long s, char c) {
  __shared__ float t[256];
  t[threadIdx.x] = a[threadIdx.x * s] + c;
  __syncthreads();
  y[threadIdx.x] = t[255 - threadIdx.x] * n;
}
)";

TEST_F(Compiler, FillsTheArtifact) {
  const Artifact artifact = compile(source_of(kGood));
  ASSERT_TRUE(artifact.ok()) << artifact.log;
  EXPECT_GT(artifact.image.size(), 1000u);
  EXPECT_EQ(artifact.cubin_hash.size(), 32u);
  EXPECT_EQ(artifact.source_hash, source_of(kGood).hash);
  EXPECT_FALSE(artifact.from_cache);
  EXPECT_GT(artifact.compile_ms, 0);
  EXPECT_EQ(artifact.spill_bytes, 0);
  EXPECT_EQ(artifact.log, "");
  const auto* kernel = artifact.find("k");
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->static_shared_bytes, 1024);
  EXPECT_EQ(kernel->max_threads, 128);
  EXPECT_EQ(kernel->parameter_bytes, (std::vector<int>{8, 8, 4, 8, 1}));
  EXPECT_GT(kernel->registers, 4);
  EXPECT_EQ(kernel->local_bytes, 0);
}

TEST_F(Compiler, CompilesForEveryArchitectureAlike) {
  for (const int arch : options_.nvrtc.archs) {
    options_.arch = "sm_" + std::to_string(arch);
    const Artifact artifact = compile(source_of(kGood));
    ASSERT_TRUE(artifact.ok()) << options_.arch << artifact.log;
    EXPECT_EQ(artifact.kernels.at(0).static_shared_bytes, 1024) << options_.arch;
    EXPECT_EQ(artifact.kernels.at(0).max_threads, 128) << options_.arch;
    EXPECT_EQ(artifact.kernels.at(0).parameter_bytes.size(), 5u) << options_.arch;
    EXPECT_GT(artifact.kernels.at(0).registers, 4) << options_.arch;
  }
}

TEST_F(Compiler, ErrorsNameTheTemplatesLine) {
  const Artifact artifact = compile(source_of("// one\nextern \"C\" __global__ void k() { oops(); }\n"));
  EXPECT_EQ(artifact.reason, Reason::compile_error);
  EXPECT_NE(artifact.log.find("test.cu(2): error: identifier \"oops\" is undefined"), std::string::npos)
      << artifact.log;
  EXPECT_TRUE(artifact.image.empty());
}

TEST_F(Compiler, AssemblerErrorsReachTheLog) {
  const Artifact artifact = compile(source_of(R"(
extern "C" __global__ void k(int* p) {
  __shared__ int t[20000];
  t[threadIdx.x] = p[0];
  __syncthreads();
  p[1] = t[p[2]];
})"));
  EXPECT_EQ(artifact.reason, Reason::compile_error);
  EXPECT_NE(artifact.log.find("too much shared data"), std::string::npos) << artifact.log;
}

TEST_F(Compiler, CountsSpills) {
  const Artifact artifact = compile(source_of(R"(
extern "C" __global__ void __launch_bounds__(1024, 2) k(float* p, int n) {
  float a[80];
#pragma unroll
  for (int i = 0; i < 80; ++i) a[i] = p[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 80; ++i) p[i * 1024 + (threadIdx.x ^ n)] = a[79 - i] * a[i];
}
)"));
  ASSERT_TRUE(artifact.ok()) << artifact.log;
  EXPECT_GT(artifact.spill_bytes, 0) << artifact.log;
  EXPECT_GT(artifact.kernels.at(0).local_bytes, 0);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

const char* const kTemplates = R"(
#define SIZE 64
using element = float;
template <int block_size, class T> __global__ void __launch_bounds__(block_size) k(const T* x, T* y) {
  __shared__ T t[block_size];
  t[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = t[block_size - 1 - threadIdx.x];
}
__global__ void plain(int* p) { *p = 1; }
extern "C" __global__ void c_like(int* p) { *p = 2; }
__device__ void helper(int* p) { *p = 3; }
)";

TEST_F(Compiler, EntriesAreNameExpressions) {
  const Artifact artifact =
      compile(source_of(kTemplates, {"k<256, float>", "k<SIZE, double>", "plain", "c_like", "k<256, element>"}));
  ASSERT_TRUE(artifact.ok()) << artifact.log;
  ASSERT_EQ(artifact.kernels.size(), 5u);
  const KernelAttributes& floats = *artifact.find("k<256, float>");
  EXPECT_EQ(floats.symbol, "_Z1kILi256EfEvPKT0_PS0_");
  EXPECT_EQ(floats.static_shared_bytes, 1024);
  EXPECT_EQ(floats.max_threads, 256);
  EXPECT_EQ(floats.parameter_bytes, (std::vector<int>{8, 8}));
  EXPECT_EQ(artifact.find("k<SIZE, double>")->static_shared_bytes, 512);
  EXPECT_EQ(artifact.find("k<256, element>")->symbol, floats.symbol);
  EXPECT_EQ(artifact.find("plain")->symbol, "_Z5plainPi");
  EXPECT_EQ(artifact.find("c_like")->symbol, "c_like");
}

TEST_F(Compiler, AnEntryThatDoesNotExistIsAnErrorThatNamesIt) {
  const auto fault = [&](const char* entry) {
    const Artifact artifact = compile(source_of(kTemplates, {"plain", entry}));
    EXPECT_EQ(artifact.reason, Reason::compile_error) << entry;
    EXPECT_TRUE(artifact.image.empty());
    return first_line(artifact.log);
  };
  EXPECT_EQ(fault("other"), "test.cu: no __global__ function 'other': identifier \"other\" is undefined");
  EXPECT_EQ(fault("other<3>"), "test.cu: no __global__ function 'other<3>': identifier \"other\" is undefined");
  EXPECT_EQ(fault("k<256, nothing>"),
            "test.cu: no __global__ function 'k<256, nothing>': identifier \"nothing\" is undefined");
  EXPECT_EQ(fault("helper"), "test.cu: no __global__ function 'helper'");
  EXPECT_NE(fault("k").find("test.cu: no __global__ function 'k': cannot determine which instance"), std::string::npos);
}

TEST_F(Compiler, AnErrorOfTheSourceIsNoErrorOfAnEntry) {
  const Artifact artifact = compile(source_of("__global__ void k() { oops(); }", {"other"}));
  EXPECT_EQ(artifact.log.rfind("test.cu(1): error: identifier \"oops\" is undefined", 0), 0u) << artifact.log;
}

TEST_F(Compiler, HeadersAreGivenByName) {
  Source source = source_of("#include \"sub/one.cuh\"\nextern \"C\" __global__ void k(int* p) { *p = one(); }");
  source.headers = {{"sub/one.cuh", "#include \"two.cuh\"\n__device__ int one() { return kTwo; }"},
                    {"two.cuh", "constexpr int kTwo = 2;"}};
  const Artifact artifact = compile(source);
  EXPECT_TRUE(artifact.ok()) << artifact.log;
}

TEST_F(Compiler, FoldersWithSpacesAreSearched) {
  const auto folder = fresh_folder("with space");
  put_file(folder / "far.cuh", "#include \"near.cuh\"\n__device__ int far() { return kNear; }\n");
  put_file(folder / "near.cuh", "constexpr int kNear = 2;\n");
  Source source = source_of("#include <far.cuh>\n#include \"near.cuh\"\n__global__ void k(int* p) { *p = far(); }");
  source.text.replace(source.text.find("#include \"near"), 20, "");
  source.include_dirs = {folder.string()};
  const Artifact artifact = compile(source);
  EXPECT_TRUE(artifact.ok()) << artifact.log;
}

TEST_F(Compiler, TheToolkitsHeadersAreFoundWhereItHasThem) {
  if (options_.nvrtc.path.empty() || toolkit_headers(options_.nvrtc.path).empty()) GTEST_SKIP() << "needs nvcc";
  const Artifact artifact =
      compile(source_of("#include <cuda_fp16.h>\n#include <cooperative_groups.h>\n"
                        "extern \"C\" __global__ void k(__half* p) {\n"
                        "  cooperative_groups::this_grid().sync();\n  *p = __hadd(*p, *p);\n}"));
  EXPECT_TRUE(artifact.ok()) << artifact.log;
}

TEST_F(Compiler, RegistersCanBeLimited) {
  const std::string many = R"(
__global__ void k(float* p, int n) {
  float a[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) a[i] = p[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 64; ++i) p[i * 1024 + (threadIdx.x ^ n)] = a[63 - i] * a[i];
})";
  Source source = source_of(many);
  const Artifact free = compile(source);
  source.options.push_back("--maxrregcount=32");
  source.hash = content_hash("limited");
  const Artifact limited = compile(source);
  ASSERT_TRUE(free.ok() && limited.ok()) << limited.log;
  EXPECT_GT(free.kernels.at(0).registers, 32);
  EXPECT_LE(limited.kernels.at(0).registers, 32);
}

TEST_F(Compiler, OptionsOfTheSourceNameTheArchitecture) {
  Source source = source_of(kGood);
  const std::string plain = compile(source).cubin_hash;
  source.options.push_back("--gpu-architecture=sm_80");
  source.hash = content_hash("another");
  EXPECT_NE(compile(source).cubin_hash, plain);
}

TEST_F(Compiler, EqualSourcesAreCompiledOnceAndReportedForEach) {
  const auto all = compile({source_of(kGood), source_of("broken"), source_of(kGood)});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_TRUE(all.at(0).ok());
  EXPECT_EQ(all.at(1).reason, Reason::compile_error);
  EXPECT_EQ(all.at(0).image, all.at(2).image);
  EXPECT_EQ(all.at(0).compile_ms, all.at(2).compile_ms);
}

TEST_F(Compiler, HashIsOfCodeNotOfText) {
  const std::string good = kGood;
  std::string other = good;
  other.replace(other.find("* n"), 3, "+ n");
  const auto all = compile({source_of(good), source_of("#define unused 7\n// remark\n" + good), source_of(other)});
  EXPECT_EQ(all.at(0).cubin_hash, all.at(1).cubin_hash);
  EXPECT_NE(all.at(0).cubin_hash, all.at(2).cubin_hash);
}

TEST_F(Compiler, HashKnowsLaunchBounds) {
  const auto with = [](const char* bounds) {
    return source_of(std::string("extern \"C\" __global__ void ") + bounds + " k(int* p) { *p = 1; }");
  };
  const auto all = compile({with("__launch_bounds__(64)"), with("__launch_bounds__(96)"), with("")});
  EXPECT_NE(all.at(0).cubin_hash, all.at(1).cubin_hash);
  EXPECT_NE(all.at(0).cubin_hash, all.at(2).cubin_hash);
}

TEST_F(Compiler, SecondTimeComesFromTheCache) {
  Cache cache(fresh_folder());
  options_.cache = &cache;
  const std::vector<Source> sources{source_of(kGood), source_of("broken"), source_of(std::string(kGood) + "//2")};
  const auto first = compile(sources);
  const auto second = compile(sources);
  ASSERT_EQ(second.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_FALSE(first.at(i).from_cache);
    EXPECT_TRUE(second.at(i).from_cache);
    EXPECT_EQ(first.at(i).image, second.at(i).image);
    EXPECT_EQ(first.at(i).log, second.at(i).log);
    EXPECT_EQ(first.at(i).reason, second.at(i).reason);
    EXPECT_EQ(first.at(i).cubin_hash, second.at(i).cubin_hash);
  }
  EXPECT_EQ(second.at(0).kernels.at(0).parameter_bytes, first.at(0).kernels.at(0).parameter_bytes);
  options_.arch = "sm_80";
  EXPECT_FALSE(compile(source_of(kGood)).from_cache);
  options_.arch = "sm_90";
  options_.nvrtc.version += "9";
  EXPECT_FALSE(compile(source_of(kGood)).from_cache);
}

TEST_F(Compiler, HangIsKilledAtTheDeadlineAndNotCached) {
  const auto slow = source_of(R"(
extern "C" __global__ void k(unsigned long long* p) {
#pragma unroll
  for (int i = 0; i < 30000; ++i) p[i + 5] = __shfl_xor_sync(~0u, (int)p[i * 7], i & 31) * p[i * 3 + 1] + i;
}
)");
  Cache cache(fresh_folder());
  options_.cache = &cache;
  options_.deadline = std::chrono::milliseconds(20);  // loading NVRTC alone takes longer
  const Artifact artifact = compile(slow);
  EXPECT_EQ(artifact.reason, Reason::compile_timeout);
  EXPECT_EQ(artifact.log, "the compiler did not finish within 20 ms");
  EXPECT_EQ(cache.entries(), 0);
}

TEST_F(Compiler, StopsWhenAsked) {
  std::vector<Source> sources;
  for (int i = 0; i < 50; ++i) sources.push_back(source_of(kGood + std::string("//") + std::to_string(i)));
  int count = 0;
  options_.stop = [&] { return count > 0; };
  compile_all(sources, options_, [&](std::size_t, const Artifact&) { ++count; });
  EXPECT_GT(count, 0);
  EXPECT_LT(count, 50);
}

TEST_F(Compiler, LibraryThatCannotBeLoadedIsADeadCompiler) {
  options_.nvrtc.path = put_file(fresh_folder() / "libnvrtc.so", "not a library");
  const Artifact artifact = compile(source_of(kGood));
  EXPECT_EQ(artifact.reason, Reason::compile_crash);
  EXPECT_NE(artifact.log.find("the compiler died: exit 1"), std::string::npos) << artifact.log;
}

TEST(CompilerCrash, NamesTheSignal) {
  const auto program = put_file(fresh_folder() / "crash.sh", "#!/bin/sh\necho going down >&2\nkill -SEGV $$\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string old = proc::own_program();
  proc::set_own_program(program);
  Artifact artifact;
  CompileOptions options;
  options.arch = "sm_90";
  compile_all({source_of(kGood)}, options, [&](std::size_t, const Artifact& a) { artifact = a; });
  proc::set_own_program(old);
  EXPECT_EQ(artifact.reason, Reason::compile_crash);
  EXPECT_EQ(artifact.log, "the compiler died: signal 11 (segmentation fault)\ngoing down");
}

TEST(CompilerCrash, KilledByOthersIsTriedAgainAlone) {
  const auto folder = fresh_folder();
  const auto mark = (folder / "mark").string();
  const auto program = put_file(folder / "killed.sh", "#!/bin/sh\necho x >> " + mark + "\nkill -KILL $$\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string old = proc::own_program();
  proc::set_own_program(program);
  int reports = 0;
  CompileOptions options;
  options.arch = "sm_90";
  compile_all({source_of(kGood)}, options, [&](std::size_t, const Artifact& artifact) {
    ++reports;
    EXPECT_EQ(artifact.reason, Reason::compile_crash);
    EXPECT_EQ(artifact.log, "the compiler died: signal 9 (killed)");
  });
  proc::set_own_program(old);
  EXPECT_EQ(reports, 1);
  EXPECT_EQ(std::filesystem::file_size(mark), 4u);  // two lines
}

TEST(CompileJob, RoundTrip) {
  CompileJob job{"/lib/libnvrtc.so", "sm_75", source_of("text \xff \"quoted\"\n")};
  job.source.headers = {{"a.cuh", "aaa"}, {"b.cuh", ""}};
  job.source.include_dirs = {"/a b"};
  job.source.nvcc = true;
  job.folder = "/tmp/f";
  const auto back = decode_job(encode_job(job));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->library, job.library);
  EXPECT_EQ(back->arch, job.arch);
  EXPECT_EQ(back->source.text, job.source.text);
  EXPECT_EQ(back->source.options, job.source.options);
  EXPECT_EQ(back->source.entries, job.source.entries);
  EXPECT_EQ(back->source.hash, job.source.hash);
  EXPECT_EQ(back->source.include_dirs, job.source.include_dirs);
  EXPECT_TRUE(back->source.nvcc);
  EXPECT_EQ(back->folder, "/tmp/f");
  ASSERT_EQ(back->source.headers.size(), 2u);
  EXPECT_EQ(back->source.headers[0].text, "aaa");
  EXPECT_EQ(back->source.headers[1].name, "b.cuh");
}

TEST(CompileJob, RefusesNonsense) {
  const std::string good = encode_job({"l", "a", source_of("text")});
  EXPECT_FALSE(decode_job(""));
  EXPECT_FALSE(decode_job("hello"));
  EXPECT_FALSE(decode_job(good.substr(0, good.size() - 1)));
  EXPECT_FALSE(decode_job(good + "x"));
}

TEST(CompileLog, SpillBytes) {
  const std::string lead = "ptxas warning : Registers are spilled to local memory in function ";
  EXPECT_EQ(spill_bytes(""), 0);
  EXPECT_EQ(spill_bytes(lead + "'k', 24 bytes spill stores, 40 bytes spill loads\n" + lead +
                        "'m', 8 bytes spill stores, 4 bytes spill loads"),
            48);
  EXPECT_EQ(spill_bytes(" bytes spill stores"), 0);
}

TEST(CompileLog, TrimmingKeepsBothEnds) {
  EXPECT_EQ(trimmed_log("short"), "short");
  const auto text = trimmed_log("begin" + std::string(200000, '.') + "end");
  EXPECT_EQ(text.size(), 65536u);
  EXPECT_EQ(text.substr(0, 5), "begin");
  EXPECT_EQ(text.substr(text.size() - 3), "end");
}

}  // namespace
}  // namespace tuner::compile
