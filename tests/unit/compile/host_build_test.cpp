// The host build: what a unit looks like, and that one bad configuration harms no other.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "compile/host_build.h"
#include "compile/host_unit.h"
#include "core/error.h"
#include "core/hash.h"

namespace tuner::compile {
namespace {

Source host_source(const std::string& text) {
  Source source;
  source.name = "k.cu";
  source.text = "#define size 4\n#line 1 \"k.cu\"\n" + text;
  source.entries = {"k"};
  source.hash = content_hash(text);
  return source;
}

std::string good(int number) {
  return "#define LOCAL " + std::to_string(number) +
         "\nstruct Own { int v[size]; };\nextern \"C\" __global__ void k(int* a) { a[0] = LOCAL; }\n";
}

std::map<std::size_t, Artifact> built(const std::vector<Source>& sources, const HostBuildOptions& options = {}) {
  std::map<std::size_t, Artifact> artifacts;
  host_build_all(sources, options, [&](std::size_t i, const Artifact& artifact) { artifacts[i] = artifact; });
  return artifacts;
}

class HostBuild : public testing::Test {
 protected:
  HostBuild() : folder_(std::filesystem::temp_directory_path() / ("host-build-test-" + std::to_string(::getpid()))) {}
  ~HostBuild() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST(HostUnit, FindsTheMacrosOfAText) {
  EXPECT_EQ(macros_of("#define b 1\n  #  define a(x) x\n// #define c\n#undef b\n#define b 2\nint define;"),
            (std::vector<std::string>{"a", "b"}));
}

// One that is a part of the source may use what stands before it there.
TEST(HostUnit, AHeaderThatUsesAParameterOrIsAPartComesWithEveryConfiguration) {
  Source a = host_source("#include \"uses.h\"\n#include \"plain.h\"\n#include \"part.h\"\n"), b = a;
  a.headers = {{"uses.h", "#pragma once\nint uses_size[size];\n"},
               {"plain.h", "#pragma once\nint plain;\n"},
               {"part.h", "int part;\n"}};
  b.headers = a.headers;
  const std::string unit = host_unit({&a, &b});
  const auto count = [&](const std::string& what) {
    int n = 0;
    for (auto at = unit.find(what); at != std::string::npos; at = unit.find(what, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count("int uses_size[size];"), 2);
  EXPECT_EQ(count("int plain;"), 1);
  EXPECT_EQ(count("int part;"), 2);
}

// Whichever include comes first for the preprocessor; a header without a guard comes with each.
TEST_F(HostBuild, HeadersAreIncludedWhereConditionsHold) {
  const std::string text =
      "#if which == 0\n#include \"zero.h\"\n#else\n#include \"one.h\"\n#endif\n#include \"common.h\"\n"
      "enum {\n#define NAME a\n#include \"name.h\"\n#undef NAME\n#define NAME b\n#include \"name.h\"\n#undef NAME\n};\n"
      "extern \"C\" __global__ void k(int* p) { *p = chosen + common + guarded + a + b; }\n";
  std::vector<Source> sources;
  for (const char* which : {"0", "1"}) {
    sources.push_back(host_source("#define which " + std::string(which) + "\n#line 1 \"k.cu\"\n" + text));
    sources.back().headers = {
        {"zero.h", "#pragma once\n#include \"common.h\"\n#include \"guarded.h\"\nconstexpr int chosen = common;\n"},
        {"one.h", "#pragma once\n#include \"common.h\"\n#include \"guarded.h\"\nconstexpr int chosen = common + 1;\n"},
        {"common.h", "#pragma once\nconstexpr int common = which;\n"},
        {"guarded.h",
         "#ifndef GUARDED\n#define GUARDED\n#include \"common.h\"\nconstexpr int guarded = common;\n#endif\n"},
        {"name.h", "NAME,\n"}};
  }
  for (const auto& [place, artifact] : built(sources, {})) EXPECT_EQ(artifact.reason, Reason::none) << artifact.log;
}

TEST_F(HostBuild, OneThatDoesNotCompileHarmsNoOther) {
  std::vector<Source> sources;
  for (int i = 0; i < 9; ++i) sources.push_back(host_source(good(i)));
  sources[6] = host_source("extern \"C\" __global__ void k(int* a) {\n  a[0] = undeclared_name;\n}\n");
  HostBuildOptions options;
  options.jobs = 1;
  const auto artifacts = built(sources, options);
  ASSERT_EQ(artifacts.size(), 9u);
  for (const auto& [i, artifact] : artifacts) {
    EXPECT_EQ(artifact.ok(), i != 6) << artifact.log;
    EXPECT_EQ(artifact.source_hash, sources[i].hash);
  }
  EXPECT_EQ(artifacts.at(6).reason, Reason::compile_error);
  EXPECT_NE(artifacts.at(6).log.find("k.cu:2:"), std::string::npos) << artifacts.at(6).log;
  EXPECT_NE(artifacts.at(6).log.find("undeclared_name"), std::string::npos);
}

Source source_with(const std::string& text, std::vector<std::string> entries) {
  Source source = host_source(text);
  source.entries = std::move(entries);
  source.hash += source.entries.back();
  return source;
}

const char* const kHostTemplates = R"(
#define SIZE 64
template <int block_size, class T> __global__ void t(const T* x, T* y) { y[0] = x[block_size]; }
namespace { __global__ void plain(int* p) { *p = 1; } }
extern "C" __global__ void __launch_bounds__(32) c_like(int* p) { *p = 2; }
__device__ void helper(int* p) { *p = 3; }
__global__ int number(int* p) { return *p = 3; }
)";

TEST_F(HostBuild, EntriesAreNameExpressions) {
  const std::vector<std::string> entries{"t<256, float>", "t<SIZE, double>", "plain", "c_like"};
  HostBuildOptions options;
  options.jobs = 1;
  const auto artifacts = built({source_with(kHostTemplates, entries), source_with(kHostTemplates, {"plain"})}, options);
  for (const auto& [i, artifact] : artifacts) ASSERT_TRUE(artifact.ok()) << artifact.log;
  for (const auto& entry : entries) EXPECT_NE(artifacts.at(0).find(entry), nullptr);
  EXPECT_EQ(artifacts.at(0).image, artifacts.at(1).image);
}

TEST_F(HostBuild, AnEntryThatDoesNotExistIsAnErrorThatNamesIt) {
  for (const char* entry : {"other", "other<3>", "t<256, nothing>", "t", "helper", "number"}) {
    const Artifact artifact = built({source_with(kHostTemplates, {"plain", entry})}).at(0);
    EXPECT_EQ(artifact.reason, Reason::compile_error) << entry;
    EXPECT_EQ(artifact.log.substr(0, artifact.log.find('\n')),
              "k.cu: no __global__ function '" + std::string(entry) + "'");
  }
}

TEST_F(HostBuild, AKernelMayLieInAHeader) {
  Source a = source_with("#include \"plain.h\"\n", {"k"}), b = a;
  a.headers = {{"plain.h", "#pragma once\n__global__ void k(int* p) { *p = 1; }\n"}};
  b.headers = a.headers;
  b.hash = content_hash("b");
  const auto artifacts = built({a, b});
  EXPECT_TRUE(artifacts.at(0).ok()) << artifacts.at(0).log;
  EXPECT_TRUE(artifacts.at(1).ok()) << artifacts.at(1).log;
}

TEST_F(HostBuild, FoldersAndMacrosReachItAndOtherOptionsDoNot) {
  const auto folder = folder_ / "with space";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "far.cuh") << "#pragma once\n__device__ inline int far_of(int i) { return i * FAR + size; }\n";
  Source a = source_with("#include <far.cuh>\n__global__ void k(int* p) { *p = far_of(1); }\n", {"k"}), b = a, c = a;
  a.include_dirs = b.include_dirs = c.include_dirs = {folder.string()};
  a.options = {"--maxrregcount=32", "-DFAR=7", "--std=c++20"};
  b.options = {"--maxrregcount=64", "-DFAR=7"};
  c.options = {"--maxrregcount=64"};
  b.hash += "b", c.hash += "c";
  const auto artifacts = built({a, b, c});
  EXPECT_TRUE(artifacts.at(0).ok()) << artifacts.at(0).log;
  EXPECT_TRUE(artifacts.at(1).ok()) << artifacts.at(1).log;
  EXPECT_EQ(artifacts.at(2).reason, Reason::compile_error);
}

TEST_F(HostBuild, HostCodeOfAnNvccSourceIsLeftOut) {
  Source source = source_with(
      "#include <cuda_runtime.h>\n#include <cstdint>\n__global__ void k(int64_t* p) { *p = 1; }\n"
      "int main() { int64_t* p; cudaMalloc(&p, 8); k<<<1, 1>>>(p); }\n",
      {"k"});
  source.nvcc = true;
  const Artifact whole = built({source}).at(0);
  EXPECT_TRUE(whole.ok()) << whole.log;
  source.text += "#include <cub/cub.cuh>\n";
  source.hash += "cub";
  const Artifact needs_cub = built({source}).at(0);
  EXPECT_EQ(needs_cub.reason, Reason::compile_error);
  EXPECT_EQ(needs_cub.log.substr(0, needs_cub.log.find('\n')),
            "k.cu: the host device lacks the header 'cub/cub.cuh'; CUDA's compilers have it: use a GPU, or put another "
            "way under #ifdef TUNER_HOST");
}

TEST_F(HostBuild, EqualSourcesAreBuiltOnceAndReportedForEach) {
  const auto artifacts = built({host_source(good(1)), host_source(good(2)), host_source(good(1))});
  ASSERT_EQ(artifacts.size(), 3u);
  EXPECT_EQ(artifacts.at(0).image, artifacts.at(2).image);
  EXPECT_EQ(artifacts.at(0).host_index, artifacts.at(2).host_index);
  EXPECT_NE(artifacts.at(0).cubin_hash, artifacts.at(1).cubin_hash);
}

TEST_F(HostBuild, IsKeptInTheCache) {
  Cache cache(folder_.string());
  HostBuildOptions options;
  options.cache = &cache;
  const std::vector<Source> sources{host_source(good(1)), host_source(good(2))};
  const auto first = built(sources, options);
  EXPECT_FALSE(first.at(0).from_cache);
  const auto second = built(sources, options);
  EXPECT_TRUE(second.at(0).from_cache);
  EXPECT_EQ(second.at(1).image, first.at(1).image);
  EXPECT_EQ(second.at(1).host_index, first.at(1).host_index);
  std::filesystem::remove(first.at(0).image);
  const auto third = built(sources, options);
  EXPECT_TRUE(third.at(0).ok());
  EXPECT_TRUE(std::filesystem::exists(third.at(0).image));
}

TEST_F(HostBuild, NoCompilerIsTheMachinesFault) {
  HostBuildOptions options;
  options.compiler = "/nowhere/c++";
  EXPECT_THROW(built({host_source(good(1))}, options), MachineError);
  EXPECT_EQ(host_compiler_version().substr(0, 1).find_first_of("gc"), 0u);
}

// A compiler that notes how many of it run, and compiles nothing.
TEST_F(HostBuild, RunsNoMoreCompilersAtOnceThanItMay) {
  std::filesystem::create_directories(folder_ / "running");
  const std::string script = (folder_ / "compiler").string();
  std::ofstream(script) << "#!/bin/sh\n[ \"$1\" = -dumpfullversion ] && echo 1 && exit\ncd " << folder_.string()
                        << "/running\n: > $$\nset -- *\necho $# >> ../counts\nsleep 0.05\nrm $$\nexit 1\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  HostBuildOptions options;
  options.compiler = script;
  options.jobs = 2;
  options.per_unit = 1;
  std::vector<Source> sources;
  for (int i = 0; i < 6; ++i) sources.push_back(host_source(good(i)));
  EXPECT_EQ(built(sources, options).size(), 6u);
  std::ifstream counts(folder_ / "counts");
  int runs = 0, most = 0;
  for (int count = 0; counts >> count; ++runs) most = std::max(most, count);
  EXPECT_EQ(runs, 6);
  EXPECT_EQ(most, 2);
}

}  // namespace
}  // namespace tuner::compile
