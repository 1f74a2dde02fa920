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
            "grid: [\"ceil_div(n, block_size)\"], block: [block_size]}  # TODO the grid"}}) {
    const Draft one = draft(head + body + "}", "f");
    EXPECT_TRUE(holds(one, wanted)) << body << "\n" << one.text;
    EXPECT_TRUE(holds(one, "compiler: nvcc"));
    EXPECT_NO_THROW((void)spec::parse_kernel(one.text, "mine.yaml")) << one.text;
  }
  EXPECT_FALSE(holds(draft("#include <cuda_fp16.h>\n__global__ void f(float *x, int n) {}", "f"), "compiler"));
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
