// The first manifest of a kernel that somebody has.
#include "cli/manifest_draft.h"

#include <gtest/gtest.h>

#include <set>

#include "cli/kernel_signature.h"
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

TEST(ManifestDraft, OpenLinesAreThoseWithAMark) {
  const Draft made = draft("__global__ void f(const float *x, float *y, int n) {}", "f");
  std::set<int> marked;
  int line = 1;
  for (std::size_t at = 0; at < made.text.size(); ++at) {
    if (made.text.compare(at, 6, "# TODO") == 0) marked.insert(line);
    if (made.text[at] == '\n') ++line;
  }
  EXPECT_EQ(std::set<int>(made.open_lines.begin(), made.open_lines.end()), marked);
}

TEST(DemangledParameters, OfASymbol) {
  const auto parameters = demangled_parameters("_Z3addPKfPfifPK6float4");
  ASSERT_EQ(parameters.size(), 5U);
  EXPECT_EQ(compile::bare_type(parameters[0].type), "float");
  EXPECT_TRUE(compile::is_pointer_to_const(parameters[0].type));
  EXPECT_FALSE(compile::is_pointer_to_const(parameters[1].type));
  EXPECT_EQ(parameters[2].type, "int");
  EXPECT_EQ(compile::bare_type(parameters[4].type), "float4");
  EXPECT_TRUE(demangled_parameters("add").empty());
  EXPECT_TRUE(demangled_parameters("").empty());
}

}  // namespace
}  // namespace tuner::cli
