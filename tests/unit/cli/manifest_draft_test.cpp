// The first manifest of a kernel that somebody has.
#include "cli/manifest_draft.h"

#include <gtest/gtest.h>

#include "cli/kernel_signature.h"
#include "cli/open_lines.h"
#include "spec/kernel_spec.h"

namespace tuner::cli {
namespace {

Draft draft(const std::string& source, const std::string& entry) {
  const auto declaration = compile::declaration_of(source, entry);
  return draft_manifest({"mine", "mine.cu", source, entry, declaration.value_or(compile::Declaration())});
}

bool holds(const Draft& draft, const std::string& text) { return draft.text.find(text) != std::string::npos; }

TEST(ManifestDraft, IsAManifestWhateverTheKernelTakes) {
  for (const char* parameters :
       {"", "void", "const float *x, float *y, int n",
        "const int *i, const uint4 *q, const bool *b, const char2 *c, int n",
        "float4 *v, half2 const *h, unsigned long long n, bool b, double d", "const Thing t, T *x, size_t",
        "int a, int b, int c, int d, int e, int f, int g, int h, int i, int j", "float *, const int *, int"}) {
    const std::string source = "__global__ void f(" + std::string(parameters) + ") {}";
    const Draft made = draft(source, "f");
    if (std::string(parameters).empty() || std::string(parameters) == "void") continue;
    EXPECT_NO_THROW((void)spec::parse_kernel(made.text, "mine.yaml")) << made.text;
  }
}

TEST(ManifestDraft, TypesRolesAndDimensions) {
  const Draft made = draft(
      "template <int W>\n__global__ void f(const __half *x, float4 *y, T *z, float a, long long rows, int columns) {}",
      "f");
  EXPECT_TRUE(holds(made, "dims: [rows, columns]")) << made.text;
  EXPECT_TRUE(holds(made, "{name: x, type: f16, size: rows * columns, role: weight}"));
  EXPECT_TRUE(holds(made, "{name: y, type: float4, size: rows * columns, role: output}"));
  EXPECT_TRUE(
      holds(made, "{name: z, type: f32, size: rows * columns, role: output}  # TODO its type (T in the source)"));
  EXPECT_TRUE(holds(made, "{name: a, type: f32, value: 1}  # TODO its value"));
  EXPECT_TRUE(holds(made, "{name: rows, type: i64, value: rows}\n"));
  EXPECT_TRUE(holds(made, "template: [1]"));
}

TEST(ManifestDraft, AnInputOfIntegersHasAFill) {
  const Draft made = draft("__global__ void f(const int *at, const uchar4 *p, const float *x, int *y, int n) {}", "f");
  EXPECT_TRUE(holds(made,
                    "{name: at, type: i32, size: n, role: weight, fill: \"uniform(-1000, 1000)\"}  # TODO its size; "
                    "a weight, or an activation? its fill: an index must stay within what it indexes\n"))
      << made.text;
  EXPECT_TRUE(holds(made, "{name: p, type: uchar4, size: n, role: weight, fill: \"uniform(0, 256)\"}"));
  EXPECT_TRUE(holds(made, "{name: x, type: f32, size: n, role: weight}"));
  EXPECT_TRUE(holds(made, "{name: y, type: i32, size: n, role: output}"));
}

TEST(ManifestDraft, TheParameterIsNoWordOfTheSource) {
  EXPECT_TRUE(holds(draft("__global__ void f(int block_size) {}", "f"), "  threads_per_block: ["));
}

// As programs do it.
constexpr const char* heat = R"(#include <cuda_runtime.h>
#include <vector>
#define BX 32  // columns
#define BY 8
__global__ void heat(const float *in, float *out, int nx, int ny, float c) {}
int main() {
  int w = 1024, h = 512;
  dim3 block(BX, BY), grid((w + BX - 1) / BX, (h + BY - 1) / BY);
  heat<<<grid, block>>>(a, b, w, h, 0.2f);
})";

TEST(ManifestDraft, ReadsTheLaunch) {
  const Draft made = draft(heat, "heat");
  EXPECT_TRUE(holds(made, "\ncompiler: nvcc\n")) << made.text;
  EXPECT_TRUE(holds(made, "  BX: [16, 32, 64]  # TODO")) << made.text;
  EXPECT_TRUE(holds(made, "  - {BX: 32, BY: 8}\n"));
  EXPECT_TRUE(
      holds(made, "  - {launch: heat, grid: [\"ceil_div(nx, BX)\", \"ceil_div(ny, BY)\"], block: [\"BX\", \"BY\"]}\n"));
  EXPECT_NO_THROW((void)spec::parse_kernel(made.text, "mine.yaml")) << made.text;
  const std::string head = "__global__ void f(const float *x, int n) {}\nvoid g(int m) {\n";
  for (const auto& [body, wanted] : std::vector<std::pair<std::string, std::string>>{
           {"f<<<(m + 255) / 256, 256>>>(x, m);", "grid: [\"ceil_div(n, block_size)\"], block: [\"block_size\"]}\n"},
           {"const int t = 128; int b = (m + t - 1) / t; f<<<b, t>>>(x, m);",
            "grid: [\"ceil_div(n, block_size)\"], block: [\"block_size\"]}\n"},
           {"dim3 b = dim3(m / 4); f<<<b, dim3(16, 16)>>>(x, m);", "grid: [\"n // 4\"], block: [\"16\", \"16\"]}\n"},
           {"f<<<blocks(m), 256>>>(x, m);",
            "grid: [\"ceil_div(n, block_size)\"], block: [\"block_size\"]}  # TODO the grid"}}) {
    const Draft one = draft(head + body + "}", "f");
    EXPECT_TRUE(holds(one, wanted)) << body << "\n" << one.text;
    EXPECT_TRUE(holds(one, "compiler: nvcc"));
    EXPECT_NO_THROW((void)spec::parse_kernel(one.text, "mine.yaml")) << one.text;
  }
  EXPECT_FALSE(holds(draft("#include <cuda_fp16.h>\n__global__ void f(float *x, int n) {}", "f"), "compiler"));
}

// A constant fixes the block, and another is in what is divided by.
TEST(ManifestDraft, ConstantsOfTheLaunchAreParameters) {
  const Draft made = draft(R"(
#include <cuda_runtime.h>
constexpr int BINS = 256;
constexpr int BLOCK = 256, UNUSED = 3;
const int THREADS = 1 << 8;
static constexpr int ITEMS = 8;
__global__ void histogram(const uint8_t *data, unsigned *hist, size_t n) {}
int main() {
  const size_t count = 1 << 26;
  const unsigned blocks = (count + THREADS * ITEMS - 1) / (THREADS * ITEMS);
  histogram<<<blocks, THREADS>>>(d, hist, count);
})",
                           "histogram");
  EXPECT_TRUE(holds(made, "  THREADS: [128, 256, 512]")) << made.text;
  EXPECT_TRUE(holds(made, "  ITEMS: [4, 8, 16]")) << made.text;
  EXPECT_TRUE(holds(made, "grid: [\"ceil_div(n, THREADS * ITEMS)\"], block: [\"THREADS\"]}\n")) << made.text;
  EXPECT_FALSE(holds(made, "block_size")) << made.text;
  EXPECT_NO_THROW((void)spec::parse_kernel(made.text, "mine.yaml")) << made.text;
}

TEST(ManifestDraft, ABlockOfTwoStaysOne) {
  const std::string head =
      "#define TX 16\nconst int TY = 8;\n__global__ void f(int *out, int w, int h) {}\nvoid g() {\n";
  for (const auto& [body, grid] : std::vector<std::pair<std::string, std::string>>{
           {"dim3 b(TX, TY); dim3 g((w + b.x - 1) / b.x, (h + b.y - 1) / b.y); f<<<g, b>>>(o, w, h);",
            "\"ceil_div(w, TX)\", \"ceil_div(h, TY)\""},
           {"dim3 b(TX, TY); f<<<grid_for(w, h), b>>>(o, w, h);", "\"ceil_div(w, TX)\", \"ceil_div(h, TY)\""},
           {"const dim3 b{TX, TY}; f<<<dim3(w / TX, (h + TY - 1) / TY, b.z), b>>>(o, w, h);",
            "\"w // TX\", \"ceil_div(h, TY)\", \"1\""}}) {
    const Draft made = draft(head + body + "}", "f");
    EXPECT_TRUE(holds(made, "  - {launch: f, grid: [" + grid + "], block: [\"TX\", \"TY\"]}")) << made.text;
    EXPECT_TRUE(holds(made, "  - {TX: 16, TY: 8}\n")) << made.text;
    EXPECT_FALSE(holds(made, "block_size")) << made.text;
    EXPECT_NO_THROW((void)spec::parse_kernel(made.text, "mine.yaml")) << made.text;
  }
  const Draft made =
      draft("template <int N> __global__ void f(int *o, int n) {}\nvoid g() { f<4><<<n / 64, 64>>>(o, n); }", "f");
  EXPECT_TRUE(holds(made, "grid: [\"n // 64\"]")) << made.text;
}

TEST(ManifestDraft, WhatTheGridCoversIsADimension) {
  const Draft made = draft(R"(
#define NX 4096
constexpr int NY = 2048;
#define BX 32
#define BY 8
__global__ void heat(const float *u, float *v, float dt) { if (i < NX && j < NY) v[0] = 1; }
int main() {
  dim3 block(BX, BY), grid((NX + BX - 1) / BX, (NY + BY - 1) / BY);
  heat<<<grid, block>>>(a, b, 0.5f);
})",
                           "heat");
  EXPECT_TRUE(holds(made, "dims: [nx, ny]")) << made.text;
  EXPECT_TRUE(holds(made, "\ndefines: {NX: 4096, NY: 2048}")) << made.text;
  EXPECT_TRUE(holds(made, "\n  - {expr: nx == 4096, why: NX is fixed in the source}\n")) << made.text;
  EXPECT_TRUE(holds(made, "grid: [\"ceil_div(nx, BX)\", \"ceil_div(ny, BY)\"], block: [\"BX\", \"BY\"]}\n"))
      << made.text;
  EXPECT_TRUE(holds(made, "  - {BX: 32, BY: 8}\n")) << made.text;
  EXPECT_TRUE(holds(made, "size: nx * ny, role: weight")) << made.text;
  EXPECT_EQ(made.shape, "4096x2048");
  EXPECT_NO_THROW((void)spec::parse_kernel(made.text, "mine.yaml")) << made.text;
  // A number of blocks that the program chose can be another.
  const Draft strided = draft(
      "#define BLOCKS 132\n#define THREADS 128\n__global__ void f(int *x, int n) {}\n"
      "void g() { f<<<BLOCKS, THREADS>>>(x, n); }",
      "f");
  EXPECT_TRUE(holds(strided, "  - {THREADS: 128, BLOCKS: 132}\n")) << strided.text;
  EXPECT_FALSE(holds(strided, "where:")) << strided.text;
}

// A program whose kernel takes its sizes in a struct, has template arguments and dynamic shared memory.
constexpr const char* forces = R"(#include <cuda_runtime.h>
constexpr int BX = 32, BY = 8;
static const unsigned UNROLL = 4;
const int N = 8192;  // of the host alone
struct Params { int n; float eps, g = 1; };
template <typename T, int CHUNK, bool SOFT = true>
__global__ void __launch_bounds__(BX * BY) forces(const float4* bodies, T* acc, Params p) {
  extern __shared__ float4 tile[];
#pragma unroll UNROLL
  for (int i = 0; i < p.n; i += BX * BY * CHUNK) tile[i] = bodies[i];
}
int main() {
  SETUP
  forces<double, 2><<<GRID, dim3(BX, BY), SHARED>>>(b, a, p);
})";

Draft draft_of_forces(const std::string& setup, const std::string& grid, const std::string& shared) {
  std::string source = forces;
  for (const auto& [word, text] : {std::pair("SETUP", setup), {"GRID", grid}, {"SHARED", shared}})
    source.replace(source.find(word), std::string(word).size(), text);
  Draft made = draft(source, "forces");
  EXPECT_NO_THROW((void)spec::parse_kernel(made.text, "mine.yaml")) << made.text;
  return made;
}

// Only what it uses, itself or through what it calls, and a block that its own code counts on stays.
TEST(ManifestDraft, OfSeveralKernelsEachHasItsOwnNumbers) {
  const std::string source =
      "#define ROWS 4\nconstexpr int DEPTH = 8;\nconstexpr int STEPS = 2 * DEPTH;\n"
      "__device__ float deep(float v) { for (int i = 0; i < STEPS; ++i) v += i; return v; }\n"
      "__global__ void first(float *y, int n) { for (int r = 0; r < ROWS; ++r) y[r] = deep(y[r]); }\n"
      "__global__ void __launch_bounds__(256) last(float *y, int n) { __shared__ float s[256]; s[0] = n; y[0] = s[0]; "
      "}\n"
      "int main() { first<<<(n + 127) / 128, 128>>>(y, n); last<<<1, 256>>>(y, n); }\n";
  const Draft first = draft(source, "first"), last = draft(source, "last");
  EXPECT_TRUE(holds(first, "  ROWS: [4]  # TODO a constant of the source")) << first.text;
  EXPECT_TRUE(holds(first, "  DEPTH: [8]  # TODO a constant of the source")) << first.text;
  EXPECT_TRUE(holds(first, "  block_size: [64, 128, 256, 512, 1024]")) << first.text;
  EXPECT_FALSE(holds(last, "ROWS")) << last.text;
  EXPECT_FALSE(holds(last, "DEPTH")) << last.text;
  EXPECT_TRUE(holds(last, "  block_size: [256]  # TODO 256 stands in the kernel too")) << last.text;
}

TEST(ManifestDraft, StructsTemplatesAndDynamicSharedMemory) {
  const std::string bytes = "2 * BX * BY * sizeof(float4)";
  for (const auto& [setup, grid] :
       std::vector<std::pair<std::string, std::string>>{{"Params p; p.n = N; p.eps = 0.1f;", "(N + BX - 1) / BX"},
                                                        {"Params p{N, 0.1f, 1};", "(N + BX - 1) / BX"},
                                                        {"int m = 3; Params p = {m, 0.1f};", "(m + BX - 1) / BX"},
                                                        {"Params p{.n = N, .g = 2};", "dim3((N + BX - 1) / BX)"},
                                                        {"Params p = made();", "(p.n + BX - 1) / BX"}}) {
    const Draft made = draft_of_forces(setup, grid, bytes);
    EXPECT_TRUE(holds(made, "dims: [n]  # TODO")) << made.text;
    EXPECT_TRUE(holds(made,
                      "  - {launch: forces, template: [f64, CHUNK, true], grid: [\"ceil_div(n, BX)\"], block: "
                      "[\"BX\", \"BY\"], shared: \"2 * BX * BY * 16\"}\n"))
        << setup << made.text;
    EXPECT_TRUE(holds(made,
                      "  - {name: p, fields: [{type: i32, value: n}, {type: f32, value: 1}, {type: f32, value: "
                      "1}]}  # TODO the values of eps, g\n"));
    EXPECT_TRUE(holds(made, "{name: acc, type: f64, size: n, role: output}"));
    EXPECT_TRUE(holds(made, "  CHUNK: [2]  # TODO a template argument")) << made.text;
    EXPECT_TRUE(holds(made, "  UNROLL: [4]  # TODO a constant of the source")) << made.text;
    EXPECT_FALSE(holds(made, " N")) << made.text;
  }
}

TEST(ManifestDraft, ConstantMemoryIsAnArgumentOfItsSymbol) {
  const Draft made = draft(
      "#define TAPS 9\n__constant__ float taps[2 * TAPS + 1][2];\n__constant__ const unsigned int mask;\n"
      "__constant__ Thing things[N];\n__constant__ float pi = 3.14f;  // __constant__ int no;\n"
      "__global__ void f(float *y, int n) { y[0] = taps[0][0]; }",
      "f");
  EXPECT_TRUE(holds(made,
                    "  - {name: taps_values, type: f32, size: \"38\", role: activation, symbol: taps}  # TODO what the "
                    "program copies into it\n"))
      << made.text;
  EXPECT_TRUE(holds(made,
                    "{name: mask_values, type: u32, size: \"1\", role: activation, symbol: mask, fill: \"uniform(0, "
                    "1000)\"}"))
      << made.text;
  EXPECT_TRUE(holds(made, "# TODO its type (Thing in the source), its size, what the program copies into it"));
  EXPECT_FALSE(holds(made, "pi_values")) << made.text;
  EXPECT_FALSE(holds(made, "symbol: no"));
  EXPECT_NO_THROW((void)spec::parse_kernel(made.text, "mine.yaml")) << made.text;
}

// A mark stands wherever the source does not say it.
TEST(ManifestDraft, WhatCannotBeReadIsMarked) {
  const Draft host = draft_of_forces("Params p = made();", "(N + BX - 1) / BX", "bytes_for(256)");
  EXPECT_TRUE(holds(host,
                    "grid: [\"ceil_div(n, BX)\"], block: [\"BX\", \"BY\"], shared: 0}  # TODO the grid; its dynamic "
                    "shared memory in bytes, bytes_for(256) in the source\n"))
      << host.text;
  const Draft alone = draft(
      "template <class T, int W, Mode M> __global__ void f(T* x, Opaque o, float3 c, int n) {\n"
      "  extern __shared__ T s[];\n}\nstruct Opaque { float* p; };",
      "f");
  EXPECT_TRUE(holds(alone,
                    "template: [f32, 1, 1], grid: [\"ceil_div(n, block_size)\"], block: [block_size], shared: 0}  # "
                    "TODO the grid; the type T; the value of 'int W'; the value of 'Mode M'; its dynamic shared "
                    "memory in bytes\n"))
      << alone.text;
  const Draft lanes = draft(
      "__global__ void f(float* y, int2 size, float2 c, int pitch) {}\n"
      "void g() { int2 s = make_int2(w, h); f<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(y, s, c, w); }",
      "f");
  EXPECT_TRUE(holds(lanes, "dims: [size_x, size_y, pitch]")) << lanes.text;
  EXPECT_TRUE(holds(lanes, "{name: size, fields: [{type: i32, value: size_x}, {type: i32, value: size_y}]}\n"));
  EXPECT_TRUE(holds(lanes, "grid: [\"ceil_div(size_x, 16)\", \"ceil_div(size_y, 16)\"]")) << lanes.text;
  EXPECT_TRUE(holds(alone, "{name: o, fields: [{type: f32, value: 1}]}  # TODO its fields (Opaque in the source)"));
  EXPECT_TRUE(holds(alone,
                    "{name: c, fields: [{type: f32, value: 1}, {type: f32, value: 1}, {type: f32, value: 1}]}  # "
                    "TODO the values of x, y, z"));
  EXPECT_NO_THROW((void)spec::parse_kernel(alone.text, "mine.yaml")) << alone.text;
  const Draft half =
      draft("template <class T> __global__ void f(T* x, int n) {}\nvoid g() { f<__half><<<1, 32, 0>>>(x, n); }", "f");
  EXPECT_TRUE(holds(half, "template: [f16], grid: [\"1\"], block: [\"block_size\"]}  # TODO the type T is __half"))
      << half.text;
  const Draft within =
      draft("namespace a { __global__ void f(int* x, int n) {} }\nvoid g() { a::f<<<n / 32, 32>>>(x, n); }", "f");
  EXPECT_TRUE(holds(within, "{launch: \"a::f\", grid: [\"n // 32\"]")) << within.text;
  const Draft modes = draft(
      "enum Mode { SUM, MAX };\ntemplate <int N, Mode mode> __global__ void f(int* x, int n, Mode m) {}\n"
      "void g(int t) { f<64, SUM><<<n / 64, t, t * 4>>>(x, n, MAX); }",
      "f");
  EXPECT_TRUE(holds(modes, "  mode: [SUM]  # TODO a template argument")) << modes.text;
  EXPECT_TRUE(holds(modes,
                    "template: [N, mode], grid: [\"n // 64\"], block: [block_size], shared: 0}  # TODO the block; its "
                    "dynamic shared memory in bytes, t*4 in the source"))
      << modes.text;
  EXPECT_TRUE(holds(modes, "{name: m, type: i32, value: 1}  # TODO its type (Mode in the source), its value"));
  // What is derived from other constants is no parameter of its own.
  const Draft derived = draft(
      "constexpr int TX = 16, TY = 8, THREADS = TX * TY;\n__global__ void f(int* x, int n) { x[THREADS] = TX; }\n"
      "void g() { f<<<(n + THREADS - 1) / THREADS, THREADS>>>(x, n); }",
      "f");
  EXPECT_TRUE(holds(derived, "grid: [\"ceil_div(n, (TX * TY))\"], block: [\"(TX * TY)\"]}")) << derived.text;
  EXPECT_FALSE(holds(derived, "THREADS")) << derived.text;
}

TEST(OpenLines, AreThoseWithAMark) {
  EXPECT_EQ(open_lines("a: 1  # TODO its size\n# TODO\nb: 2 # to do\nc: 3 # TODO x", "k.yaml"),
            (std::vector<std::string>{"k.yaml:1: its size", "k.yaml:4: x"}));
  EXPECT_EQ(open_lines("", "k.yaml").size(), 0u);
}

TEST(DemangledParameters, OfASymbol) {
  const auto parameters = demangled_parameters("_Z3addPKfPfifPK6float4");
  ASSERT_EQ(parameters.size(), 5U);
  EXPECT_EQ(compile::bare_type(parameters[0].type), "float");
  EXPECT_TRUE(compile::is_pointer_to_const(parameters[0].type));
  EXPECT_FALSE(compile::is_pointer_to_const(parameters[1].type));
  EXPECT_EQ(parameters[2].type, "int");
  EXPECT_EQ(compile::bare_type(parameters[4].type), "float4");
  EXPECT_EQ(demangled_parameters("_Z1fIL4Mode0EEvPKfj").size(), 2U);  // void f<(Mode)0>(float const*, unsigned int)
  EXPECT_TRUE(demangled_parameters("add").empty());
  EXPECT_TRUE(demangled_parameters("").empty());
}

}  // namespace
}  // namespace tuner::cli
