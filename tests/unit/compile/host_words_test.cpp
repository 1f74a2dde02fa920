// The words of CUDA that the host device knows: NVRTC takes each of them, and they mean the same.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "compile/compile_log.h"
#include "compile/compiler.h"
#include "compile/host_build.h"
#include "compile/host_lacks.h"
#include "compile_fixture.h"
#include "core/simt_abi.h"

namespace tuner::compile {
namespace {

Artifact host_built(const Source& source, Cache* cache = nullptr) {
  Artifact made;
  HostBuildOptions options;
  options.cache = cache;
  host_build_all({source}, options, [&](std::size_t, const Artifact& artifact) { made = artifact; });
  return made;
}

Artifact nvrtc_built(const Source& source, const NvrtcCandidate& nvrtc) {
  Artifact made;
  CompileOptions options;
  options.nvrtc = nvrtc;
  options.arch = "sm_80";
  compile_all({source}, options, [&](std::size_t, const Artifact& artifact) { made = artifact; });
  return made;
}

constexpr const char* words = R"(
#define VECTORS(T)                                                                     \
  {                                                                                    \
    T##1 a = make_##T##1(1);                                                           \
    T##2 b = make_##T##2(1, 2);                                                        \
    T##3 c = make_##T##3(1, 2, 3);                                                     \
    T##4 d = make_##T##4(1, 2, 3, 4);                                                  \
    x[0] += a.x + b.y + c.z + d.w;                                                     \
    bytes[0] += alignof(T##2) + 8 * alignof(T##3) + 64 * alignof(T##4) + sizeof(T##3); \
  }
extern "C" __global__ void k(float* x, int* i, unsigned* u, unsigned long long* bytes) {
  VECTORS(char) VECTORS(uchar) VECTORS(short) VECTORS(ushort) VECTORS(int) VECTORS(uint) VECTORS(long) VECTORS(ulong)
  VECTORS(longlong) VECTORS(ulonglong) VECTORS(float) VECTORS(double)
  size_t n = sizeof(dim3);
  ptrdiff_t m = i - i;
  dim3 block = blockDim, one(1, 2);
  uint3 thread = threadIdx;
  assert(n == 12 && m == 0 && one.z == 1);
  if (block.x + thread.x > 100) printf("%d\n", i[0]);
  x[1] = sqrt(2.0f) + abs(-1.5f) + pow(2.0f, 3) + fma(2.0f, 3.0f, 1.0f) + max(1.0f, 2.0) + fmin(x[0], 1.0f);
  x[2] = __saturatef(1.5f) + __saturatef(-0.5f) + __saturatef(__int_as_float(0x7fffffff));
  static_assert(sizeof(exp(1.0f)) == 4 && sizeof(abs(1.0f)) == 4 && sizeof(abs(1ll)) == 8, "");
  i[0] = __float2int_rn(2.5f) + 10 * __float2int_rz(-2.5f) + 100 * __float2int_ru(2.1f) + 1000 * __float2int_rd(-2.1f);
  i[1] = __float2int_rn(3e9f);
  i[2] = __float2int_rn(__int_as_float(0x7fffffff));
  i[3] = __double2int_rn(__longlong_as_double(0x7ff8000000000000ll));
  u[0] = __float2uint_rn(-1.0f);
  u[1] = __float2uint_rn(5e9f);
  u[2] = __byte_perm(0x03020100u, 0x07060504u, 0xfd31u);
  u[3] = __funnelshift_l(0x80000000u, 1u, 33) + __funnelshift_lc(7u, 1u, 40) + __brev(1u);
  i[4] = __dp4a(0x01ff0203, 0x02020202, 5) + __dp4a(make_char4(-1, 2, 0, 0), make_char4(3, 4, 0, 0), 1);
  u[4] = __dp4a(0xffu, 0xffu, 1u) + __dp4a(make_uchar4(255, 0, 0, 0), make_uchar4(2, 0, 0, 0), 0u);
  i[5] = __mulhi(-2, 3) + __mul24(-1, 5) + __popcll(~0ull) + __clzll(1) + __ffsll(8) + __hadd(-3, 2);
  u[5] = __umulhi(~0u, 4u) + __usad(1u, 4u, 10u) + max(1, 3u);
  u[6] = 3;
  u[7] = atomicInc(u + 6, 3u) + atomicSub(u + 6, 0u) + atomicOr(u + 6, 12u) + atomicAnd_block(u + 6, 4u);
  u[8] = __ldcs(u + 6) + (__activemask() != 0);
  x[3] = __fadd_rn(1.0f, 2.0f) + __fsqrt_rn(4.0f) + __frcp_rn(4.0f) + __int2float_rn(3) + rsqrtf(4.0f);
  x[4] = isnan(x[0]) + isinf(__int_as_float(0x7f800000)) + signbit(-1.0f) + isfinite(1.0);
  memset(i + 7, 255, 4);
  memcpy(i + 6, i + 7, sizeof(int));
}
)";

TEST(HostWords, NvrtcTakesAllOfThem) {
  const auto nvrtc = any_nvrtc();
  if (!nvrtc) GTEST_SKIP() << "needs NVRTC";
  const Artifact artifact = nvrtc_built(source_of(words), *nvrtc);
  EXPECT_TRUE(artifact.ok()) << artifact.log;
}

struct Results {
  float x[8] = {};
  int i[8] = {};
  unsigned u[12] = {};
  unsigned long long bytes = 0;
};

void expect_right(const Results& r) {
  EXPECT_EQ(r.x[0], 12.0f * 10);
  // CUDA's headers: pairs and quadruples are aligned to their size, at most to 16 bytes.
  const unsigned long long each[] = {1, 1, 2, 2, 4, 4, 8, 8, 8, 8, 4, 8};
  unsigned long long bytes = 0;
  for (const auto size : each) bytes += 2 * size + 8 * size + 64 * std::min(4 * size, 16ull) + 3 * size;
  EXPECT_EQ(r.bytes, bytes);
  EXPECT_EQ(r.x[1], std::sqrt(2.0f) + 1.5f + 8.0f + 7.0f + 2.0f + 1.0f);
  EXPECT_EQ(r.x[2], 1.0f);
  EXPECT_EQ(r.i[0], 2 - 20 + 300 - 3000);
  EXPECT_EQ(r.i[1], 2147483647);
  EXPECT_EQ(r.i[2], 0);
  EXPECT_EQ(r.i[3], -2147483647 - 1);
  EXPECT_EQ(r.u[0], 0u);
  EXPECT_EQ(r.u[1], 4294967295u);
  EXPECT_EQ(r.u[2], 0x07050301u);
  EXPECT_EQ(r.u[3], 3u + 7u + 0x80000000u);
  EXPECT_EQ(r.i[4], (2 - 2 + 4 + 6 + 5) + (-3 + 8 + 1));
  EXPECT_EQ(r.u[4], 65026u + 510u);
  EXPECT_EQ(r.i[5], -1 - 5 + 64 + 63 + 4 - 1);
  EXPECT_EQ(r.u[5], 3u + 13u + 3u);
  EXPECT_EQ(r.u[6], 4u);
  EXPECT_EQ(r.u[7], 3u + 0u + 0u + 12u);
  EXPECT_EQ(r.u[8], 5u);
  EXPECT_EQ(r.x[3], 3.0f + 2.0f + 0.25f + 3.0f + 0.5f);
  EXPECT_EQ(r.x[4], 3.0f);
  EXPECT_EQ(r.i[6], -1);
}

TEST(HostWords, MeanWhatTheyMeanInCuda) {
  for (const char* front : {"", "#include <cmath>\n#include <math.h>\nusing namespace std;\n",
                            "#include <stdlib.h>\n#include <cstdint>\n#include <cstdio>\n#include <assert.h>\n"}) {
    const Artifact artifact = host_built(source_of(std::string(front) + words));
    ASSERT_TRUE(artifact.ok()) << front << artifact.log;
    void* handle = dlopen(artifact.image.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(handle, nullptr) << dlerror();
    const auto library = reinterpret_cast<tuner_simt::LibraryFunction*>(dlsym(handle, "tuner_host_library"));
    static tuner_simt::Position position{{0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, 0, 0};
    static tuner_simt::Runtime runtime{};
    runtime.position = &position;
    runtime.trap = [](const char* what) { ADD_FAILURE() << what; };
    Results results;
    void *x = results.x, *i = results.i, *u = results.u, *bytes = &results.bytes;
    void* arguments[] = {&x, &i, &u, &bytes};
    library(&runtime)->configurations[0].entries[0].call(arguments);
    expect_right(results);
  }
}

TEST(HostWords, StandardHeadersThatNvrtcLacksAreThere) {
  const auto nvrtc = any_nvrtc();
  if (!nvrtc) GTEST_SKIP() << "needs NVRTC";
  const std::string body = R"(
extern "C" __global__ void k(float* x, uint8_t* b, size_t n) {
  static_assert(sizeof(int64_t) == 8 && sizeof(uint16_t) == 2 && INT32_MAX == INT_MAX && CHAR_BIT == 8, "");
  x[0] = FLT_MAX + INFINITY + UINT64_MAX;
  x[1] = b[n];
})";
  const std::string std_body = R"(
extern "C" __global__ void s(float* x, std::uint8_t* b, std::size_t n) { x[0] = std::sqrt(x[1]) + std::abs(x[2]) + b[n]; }
)";
  const std::string c =
      "#include <stddef.h>\n#include <stdint.h>\n#include <limits.h>\n#include <float.h>\n"
      "#include <math.h>\n#include <string.h>\n#include <stdio.h>\n#include <assert.h>\n";
  const std::string cpp =
      "#include <cstddef>\n#include <cstdint>\n#include <climits>\n#include <cfloat>\n"
      "#include <cmath>\n#include <cstring>\n#include <cstdio>\n#include <cassert>\n";
  for (const std::string& text :
       {c + body, cpp + body + std_body, cpp + c + body + std_body, c + cpp + body + std_body}) {
    const Artifact artifact = nvrtc_built(source_of(text), *nvrtc);
    EXPECT_TRUE(artifact.ok()) << artifact.log;
    const Artifact host = host_built(source_of(text));
    EXPECT_TRUE(host.ok()) << host.log;
  }
  // One of the user's own folders stands before them.
  const auto folder = fresh_folder();
  put_file(folder / "cstdint", "#pragma once\ntypedef unsigned mine;\n");
  Source own = source_of("#include <cstdint>\nextern \"C\" __global__ void k(mine* x) { x[0] = 1; }");
  own.include_dirs = {folder.string()};
  const Artifact artifact = nvrtc_built(own, *nvrtc);
  EXPECT_TRUE(artifact.ok()) << artifact.log;
}

TEST(HostWords, WhatTheHostDeviceLacksIsSaidSo) {
  const std::string end = "; CUDA's compilers have it: use a GPU, or put another way under #ifdef TUNER_HOST";
  const Artifact word = host_built(source_of("extern \"C\" __global__ void k(int* a) {\n  a[0] = __vadd4(1, 2);\n}\n"));
  EXPECT_EQ(told_line(word.log), "test.cu:2: the host device lacks '__vadd4'" + end);
  const Artifact type = host_built(source_of("extern \"C\" __global__ void k(cudaTextureObject_t a) {}\n"));
  EXPECT_EQ(told_line(type.log), "test.cu:1: the host device lacks 'cudaTextureObject_t'" + end);
  const Artifact header = host_built(source_of("#include <cuda_fp16.h>\nextern \"C\" __global__ void k(int* a) {}\n"));
  EXPECT_NE(header.log.find("test.cu: the host device lacks the header 'cuda_fp16.h'" + end), std::string::npos)
      << header.log;
  const Artifact typo = host_built(source_of("extern \"C\" __global__ void k(int* a) { a[0] = lenght; }\n"));
  EXPECT_EQ(typo.log.find("lacks"), std::string::npos) << typo.log;
  EXPECT_EQ(host_lacks("k.cu:3:5: error: use of undeclared identifier '__nanosleep'", "k.cu"),
            "k.cu:3: the host device lacks '__nanosleep'" + end);
}

TEST(CompileLog, TheLineThatTells) {
  EXPECT_EQ(told_line("k.cu: In function 'void k(int*)':\nk.cu:2:3: error: 'a' is not\n"),
            "k.cu:2:3: error: 'a' is not");
  EXPECT_EQ(told_line("In file included from a.h:3,\n     from k.cu:1:\na.h:1:2: error: no\n"), "a.h:1:2: error: no");
  EXPECT_EQ(told_line("k.cu(2): warning #177: x\n\nk.cu(3): error: y\n"), "k.cu(3): error: y");
  EXPECT_EQ(told_line("k.cu: no __global__ function 'k'\nk.cu:3: error: y"), "k.cu: no __global__ function 'k'");
  EXPECT_EQ(told_line("the compiler died"), "the compiler died");
  EXPECT_EQ(told_line(""), "");
}

// g++ would show lines of a file of that name, where one lies in the working folder.
TEST(CompileLog, NoLinesOfAnotherFile) {
  const auto folder = fresh_folder();
  put_file(folder / "test.cu", "alien\nalien\nalien\n");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  const Artifact artifact = host_built(source_of("extern \"C\" __global__ void k(int* a) {\n  a[0] = lenght;\n}\n"));
  std::filesystem::current_path(before);
  EXPECT_NE(artifact.log.find("test.cu:2:"), std::string::npos) << artifact.log;
  EXPECT_EQ(artifact.log.find("alien"), std::string::npos) << artifact.log;
  EXPECT_EQ(without_excerpts("a.cu:1: error: x\n    1 | alien\n      |  ^~\na.cu:2: note: y"),
            "a.cu:1: error: x\na.cu:2: note: y");
}

}  // namespace
}  // namespace tuner::compile
