#include "compile/render.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compile/bare_code.h"
#include "compile/includes.h"
#include "compile/own_defines.h"
#include "compile/unused_params.h"
#include "compile_fixture.h"
#include "core/error.h"

namespace tuner::compile {
namespace {

std::vector<std::string> names(const std::vector<IncludeLine>& includes) {
  std::vector<std::string> all;
  for (const auto& one : includes) all.push_back(one.name + ":" + std::to_string(one.line));
  return all;
}

TEST(Includes, QuotedOnesOutsideComments) {
  EXPECT_EQ(names(includes_of("#include \"a.h\"\n"
                              "  #  include   \"b/c.h\" // remark\n"
                              "#include <cuda_fp16.h>\n"
                              "// #include \"no.h\"\n"
                              "/* #include \"no.h\"\n"
                              "#include \"no.h\"\n"
                              "*/ int x; /* one */ // /*\n"
                              "const char* s = \"/*\"; char c = '\"'; int n = 1'000;\n"
                              "#include \"last.h\"")),
            (std::vector<std::string>{"a.h:1", "b/c.h:2", "last.h:9"}));
}

TEST(Includes, ClosureFollowsHeadersOnceEach) {
  const auto folder = fresh_folder();
  const auto source = put_file(folder / "k.cu", "#include \"one.cuh\"\n#include \"sub/two.cuh\"\n");
  put_file(folder / "include" / "one.cuh", "#include \"three.cuh\"\n");
  put_file(folder / "include" / "three.cuh", "#include \"one.cuh\"\n");  // a circle
  put_file(folder / "sub" / "two.cuh", "#include \"beside.cuh\"\n");
  put_file(folder / "sub" / "beside.cuh", "int beside;");
  const auto headers = include_closure("#include \"one.cuh\"\n#include \"sub/two.cuh\"\n", source,
                                       {{folder.string(), (folder / "include").string()}, {}});
  std::vector<std::string> found;
  for (const auto& header : headers) found.push_back(header.name);
  EXPECT_EQ(found, (std::vector<std::string>{"one.cuh", "three.cuh", "sub/two.cuh", "beside.cuh"}));
}

TEST(Includes, MissingHeaderNamesTheLineThatIncludesIt) {
  const auto folder = fresh_folder();
  put_file(folder / "one.cuh", "\n#include \"lost.cuh\"\n");
  try {
    include_closure("#include \"one.cuh\"", (folder / "k.cu").string(), {{folder.string()}, {}});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "header 'lost.cuh' is not found");
    EXPECT_EQ(error.where(), (std::filesystem::weakly_canonical(folder) / "one.cuh").string() + ":2");
    EXPECT_EQ(error.hint().rfind("looked in ", 0), 0u);
  }
}

TEST(Includes, OneNameForTwoFilesIsAnError) {
  const auto folder = fresh_folder();
  put_file(folder / "a" / "x.cuh", "");
  put_file(folder / "a" / "y.cuh", "#include \"x.cuh\"");
  put_file(folder / "x.cuh", "");
  EXPECT_THROW(include_closure("#include \"x.cuh\"\n#include \"a/y.cuh\"", (folder / "k.cu").string(), {}), UserError);
}

class Render : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fresh_folder();
    kernel_.name = "demo";
    kernel_.dtype = "f16";
    kernel_.path = put_file(folder_ / "demo.yaml", "");
    kernel_.source_path =
        put_file(folder_ / "demo.cu", "#include \"types.cuh\"\nextern \"C\" __global__ void k(DTYPE* p) {}\n");
    put_file(folder_ / "include" / "types.cuh", "#pragma once\nstruct half_t { unsigned short bits; };\n");
    kernel_.dims = {"M", "N"};
    kernel_.facts = {
        {"y", space::Expr::parse("f16")}, {"batch", space::Expr::parse("1")}, {"row_stride", space::Expr::parse("N")}};
    kernel_.space.params = {{"variant", {Name{"naive"}, Name{"vec"}}, std::nullopt},
                            {"block_size", {std::int64_t{64}, std::int64_t{128}}, std::nullopt},
                            {"shift", {std::int64_t{-1}, std::int64_t{0}}, std::nullopt},
                            {"fast", {true, false}, std::nullopt}};
    spec::StepSpec memset;
    memset.kind = Step::Kind::memset;
    memset.target = "acc";
    spec::StepSpec launch;
    launch.target = "k";
    kernel_.steps = {memset, launch, launch};
    problem_.kernel = "demo";
    problem_.dims = {8, 16};
    problem_.facts = {{"y", Name{"f32"}}, {"batch", std::int64_t{4}}, {"row_stride", std::int64_t{16}}};
    config_.params = {
        {"variant", Name{"vec"}}, {"block_size", std::int64_t{128}}, {"shift", std::int64_t{-1}}, {"fast", true}};
  }
  std::filesystem::path folder_;
  spec::KernelSpec kernel_;
  Problem problem_;
  Config config_;
};

TEST_F(Render, EntriesAreThoseThatThisConfigurationLaunchesOnThisGpu) {
  kernel_.steps[1].template_arguments = {space::Expr::parse("block_size"), space::Expr::parse("y"),
                                         space::Expr::parse("fast")};
  kernel_.steps[2].when = space::Expr::parse("arch >= 90");
  EXPECT_EQ(render(kernel_, config_, problem_, gpu_of_arch(90)).entries,
            (std::vector<std::string>{"k<128, float, true>", "k"}));
  EXPECT_EQ(render(kernel_, config_, problem_, gpu_of_arch(80)).entries,
            (std::vector<std::string>{"k<128, float, true>"}));
  EXPECT_NE(render(kernel_, config_, problem_, gpu_of_arch(90)).hash,
            render(kernel_, config_, problem_, gpu_of_arch(80)).hash);
}

TEST_F(Render, OptionsFollowTheToolsOwnAndReplaceThem) {
  const Source plain = render(kernel_, config_, problem_, gpu_of_arch(90));
  const std::string closure = closure_hash(kernel_);
  kernel_.options = {{"--maxrregcount", space::Expr::parse("block_size // 2"), std::nullopt},
                     {"-std=c++20", std::nullopt, std::nullopt},
                     {"-DFAST", std::nullopt, space::Expr::parse("!fast")}};
  const Source source = render(kernel_, config_, problem_, gpu_of_arch(90));
  auto wanted = plain.options;
  wanted.erase(std::find(wanted.begin(), wanted.end(), "--std=c++17"));
  wanted.insert(wanted.end(), {"--maxrregcount=64", "-std=c++20"});
  EXPECT_EQ(source.options, wanted);
  EXPECT_NE(source.hash, plain.hash);
  EXPECT_NE(closure_hash(kernel_), closure);
}

TEST_F(Render, ManifestDefinesStandInFront) {
  const std::string closure = closure_hash(kernel_);
  kernel_.defines = {{"DEPTH", "3"}};
  EXPECT_NE(render(kernel_, config_, problem_, gpu_of_arch(90)).text.find("\n#define DEPTH 3\n"), std::string::npos);
  EXPECT_NE(closure_hash(kernel_), closure);
}

TEST_F(Render, ADimensionIsNoMacroOfTheSource) {
  for (const char* own : {"#define N 64\n", "#ifndef N\n#define N 64\n#endif\n", "constexpr int N = 64;\n"}) {
    kernel_.source_path =
        put_file(folder_ / "own.cu", std::string("// mine\n") + own + "__global__ void k(int* p) {}\n");
    try {
      render(kernel_, config_, problem_, gpu_of_arch(90));
      ADD_FAILURE() << own;
    } catch (const UserError& error) {
      EXPECT_STREQ(error.what(), "the source itself defines 'N', which the manifest calls a dimension");
      EXPECT_NE(error.where().find("own.cu:"), std::string::npos);
      EXPECT_NE(error.hint().find("`where: size == 1024`"), std::string::npos);
    }
  }
}

TEST_F(Render, ParametersThatNothingUsesAreTold) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(unused_params(kernel_), (Names{"variant", "block_size", "shift", "fast"}));
  put_file(folder_ / "include" / "types.cuh", "#pragma once\nstruct half_t { unsigned short bits[shift]; };\n");
  kernel_.source_path = put_file(folder_ / "used.cu",
                                 "#include \"types.cuh\"\n#if variant == variant_vec  // fast\n#endif\n"
                                 "extern \"C\" __global__ void k(DTYPE* p) {}\n");
  kernel_.steps[1].block = {space::Expr::parse("block_size")};
  EXPECT_EQ(unused_params(kernel_), Names{"fast"});
  kernel_.space.params.back().values = {true};  // one value costs nothing
  EXPECT_EQ(unused_params(kernel_), Names{});
}

TEST_F(Render, TheManifestsMacrosStandOverTheSourcesOwn) {
  kernel_.defines = {{"DEPTH", "3"}};
  kernel_.source_path = put_file(folder_ / "own.cu",
                                 "#include \"types.cuh\"\n#define block_size 32\n#define DEPTH 4\n#define variant 1\n"
                                 "#define variant_vec 7\n#define OTHER 5\nextern \"C\" __global__ void k(int* p) {}\n");
  const std::string text = render(kernel_, config_, problem_, gpu_of_arch(90)).text;
  EXPECT_NE(text.find("#define block_size 128\n"), std::string::npos);
  for (const char* own : {"block_size 32", "DEPTH 4", "variant_vec 7"})
    EXPECT_EQ(text.find(own), std::string::npos) << own;
  EXPECT_NE(text.find("#define OTHER 5\n"), std::string::npos);
}

TEST_F(Render, NvccGetsNumbersInUnrollPragmas) {
  kernel_.source_path =
      put_file(folder_ / "loop.cu",
               "extern \"C\" __global__ void k(int* p) {\n  #pragma unroll (block_size / 2)\n  for (;;)"
               "\n#pragma unroll 2\n  for (;;) *p = block_size;\n#pragma unroll OTHER\n}");
  EXPECT_NE(render(kernel_, config_, problem_, gpu_of_arch(90)).text.find("unroll (block_size / 2)"),
            std::string::npos);
  kernel_.nvcc = true;
  const std::string text = render(kernel_, config_, problem_, gpu_of_arch(90)).text;
  EXPECT_NE(text.find("  #pragma unroll (128 / 2)\n  for (;;)\n#pragma unroll 2\n  for (;;) *p = block_size;\n"
                      "#pragma unroll OTHER\n}"),
            std::string::npos)
      << text;
}

TEST_F(Render, AHeaderThatDefinesAParameterIsNamed) {
  put_file(folder_ / "include" / "types.cuh", "#pragma once\n#define block_size 32\n");
  try {
    render(kernel_, config_, problem_, gpu_of_arch(90));
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "the header defines 'block_size' itself, over what the manifest gives");
    EXPECT_EQ(error.where(), "types.cuh:2");
  }
  put_file(folder_ / "include" / "types.cuh", "#ifndef block_size\n#define block_size 32\n#endif\n");
  EXPECT_NO_THROW(render(kernel_, config_, problem_, gpu_of_arch(90)));
}

TEST_F(Render, WhatLiesInIncludeDirsIsReadByTheCompilerAndKnownToTheHashes) {
  const auto outside = fresh_folder("out side");
  put_file(outside / "lib" / "a.cuh", "#include \"b.cuh\"\n#include <vector>\n");
  put_file(outside / "lib" / "b.cuh", "#include <c.cuh>\n");
  put_file(outside / "c.cuh", "int c;\n");
  put_file(kernel_.source_path, "#include <lib/a.cuh>\n#include \"c.cuh\"\n__global__ void k(int* p) {}\n");
  EXPECT_THROW(render(kernel_, config_, problem_, gpu_of_arch(90)), UserError);
  kernel_.include_dirs = {outside.string()};
  const Source source = render(kernel_, config_, problem_, gpu_of_arch(90));
  const std::string closure = closure_hash(kernel_);
  EXPECT_TRUE(source.headers.empty());
  EXPECT_EQ(source.include_dirs, kernel_.include_dirs);
  for (const char* file : {"c.cuh", "lib/b.cuh"}) {
    put_file(outside / file, "#include <c.cuh>\nint another;\n");
    EXPECT_NE(render(kernel_, config_, problem_, gpu_of_arch(90)).hash, source.hash) << file;
    EXPECT_NE(closure_hash(kernel_), closure) << file;
  }
}

TEST_F(Render, NvccFindsQuotedHeadersItself) {
  const std::string closure = closure_hash(kernel_);
  put_file(kernel_.source_path, "#include \"types.cuh\"\n#include \"cuda_runtime.h\"\n");
  kernel_.nvcc = true;
  const Source source = render(kernel_, config_, problem_, gpu_of_arch(90));
  EXPECT_TRUE(source.nvcc);
  EXPECT_EQ(source.headers.size(), 1u);
  EXPECT_NE(std::find(source.include_dirs.begin(), source.include_dirs.end(), (folder_ / "include").string()),
            source.include_dirs.end());
  EXPECT_EQ(std::find(source.options.begin(), source.options.end(), "--no-cache"), source.options.end());
  EXPECT_NE(closure_hash(kernel_), closure);
}

TEST_F(Render, DefinesStandInFrontOfTheTemplate) {
  const Source source = render(kernel_, config_, problem_, gpu_of_arch(90));
  EXPECT_EQ(source.name, "demo.cu");
  EXPECT_EQ(source.text,
            "#define DTYPE half_t\n"
            "#define FACT_y float\n"
            "#define FACT_batch 4\n"
            "#define variant_naive 0\n"
            "#define variant_vec 1\n"
            "#define variant 1\n"
            "#define block_size 128\n"
            "#define shift (-1)\n"
            "#define fast 1\n"
            "#line 1 \"demo.cu\"\n"
            "#include \"types.cuh\"\nextern \"C\" __global__ void k(DTYPE* p) {}\n");
  ASSERT_EQ(source.headers.size(), 1u);
  EXPECT_EQ(source.headers[0].name, "types.cuh");
  EXPECT_EQ(source.entries, std::vector<std::string>{"k"});
  EXPECT_EQ(source.options,
            (std::vector<std::string>{"--std=c++17", "--no-cache", "--modify-stack-limit=false",
                                      "--device-as-default-execution-space", "--ptxas-options=--warn-on-spills"}));
}

TEST_F(Render, InactiveParameterIsNotDefined) {
  config_.params.erase(config_.params.begin() + 1);
  EXPECT_EQ(render(kernel_, config_, problem_, gpu_of_arch(90)).text.find("#define block_size"), std::string::npos);
}

TEST_F(Render, TextDoesNotDependOnDims) {
  const Source here = render(kernel_, config_, problem_, gpu_of_arch(90));
  problem_.dims = {9, 17};
  problem_.facts[2].second = std::int64_t{17};
  EXPECT_EQ(render(kernel_, config_, problem_, gpu_of_arch(90)).hash, here.hash);
  problem_.facts[1].second = std::int64_t{5};
  EXPECT_NE(render(kernel_, config_, problem_, gpu_of_arch(90)).hash, here.hash);
}

TEST_F(Render, FactMadeOfDimsIsThereWhenItIsMentioned) {
  put_file(folder_ / "include" / "types.cuh", "constexpr int s = FACT_row_stride;\n");
  EXPECT_NE(render(kernel_, config_, problem_, gpu_of_arch(90)).text.find("#define FACT_row_stride 16\n"),
            std::string::npos);
  put_file(folder_ / "include" / "types.cuh", "constexpr int s = FACT_row_stride_2;\n");
  EXPECT_EQ(render(kernel_, config_, problem_, gpu_of_arch(90)).text.find("FACT_row_stride"), std::string::npos);
}

TEST_F(Render, HashKnowsHeadersEntriesAndTarget) {
  const Source plain = render(kernel_, config_, problem_, gpu_of_arch(90));
  put_file(folder_ / "include" / "types.cuh", "struct half_t { short bits; };\n");
  const Source header = render(kernel_, config_, problem_, gpu_of_arch(90));
  EXPECT_NE(header.hash, plain.hash);
  kernel_.target = "sm_90a";
  const Source target = render(kernel_, config_, problem_, gpu_of_arch(90));
  EXPECT_EQ(target.options.back(), "--gpu-architecture=sm_90a");
  EXPECT_NE(target.hash, header.hash);
  kernel_.steps.back().target = "second";
  EXPECT_NE(render(kernel_, config_, problem_, gpu_of_arch(90)).hash, target.hash);
}

TEST_F(Render, MissingHeaderNamesTheTemplatesLine) {
  put_file(folder_ / "demo.cu", "// one\n\n#include \"typos.cuh\"\n");
  try {
    render(kernel_, config_, problem_, gpu_of_arch(90));
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "header 'typos.cuh' is not found");
    EXPECT_EQ(error.where(), kernel_.source_path + ":3");
  }
}

TEST_F(Render, MissingTemplateIsTheUsersError) {
  std::filesystem::remove(kernel_.source_path);
  EXPECT_THROW(render(kernel_, config_, problem_, gpu_of_arch(90)), UserError);
}

TEST_F(Render, HeadersOfOtherFoldersComeLast) {
  put_file(folder_ / "demo.cu", "#include \"shared.cuh\"\n");
  EXPECT_THROW(render(kernel_, config_, problem_, gpu_of_arch(90)), UserError);
  const auto other = fresh_folder("other");
  put_file(other / "shared.cuh", "// from afar\n");
  set_include_folders({other.string()});
  EXPECT_EQ(render(kernel_, config_, problem_, gpu_of_arch(90)).headers.at(0).text, "// from afar\n");
  set_include_folders({});
}

TEST_F(Render, InlinedIsOneFile) {
  put_file(
      folder_ / "demo.cu",
      "#include \"types.cuh\"\n#include \"twice.inc\"\n#include \"types.cuh\"\n#include \"twice.inc\"\nint last;\n");
  put_file(folder_ / "twice.inc", "X\n");
  EXPECT_EQ(
      inlined(render(kernel_, config_, problem_, gpu_of_arch(90))).substr(std::string("#define DTYPE half_t\n").size()),
      "#define FACT_y float\n"
      "#define FACT_batch 4\n"
      "#define variant_naive 0\n"
      "#define variant_vec 1\n"
      "#define variant 1\n"
      "#define block_size 128\n"
      "#define shift (-1)\n"
      "#define fast 1\n"
      "struct half_t { unsigned short bits; };\nX\nX\nint last;\n");
}

}  // namespace
}  // namespace tuner::compile
