// Structs read by eye.
#include "compile/struct_fields.h"

#include <gtest/gtest.h>

namespace tuner::compile {
namespace {

std::string fields(const std::string& source, const std::string& name = "P") {
  const auto found = struct_fields(source, name);
  if (!found) return "none";
  std::string all;
  for (const DeclaredParameter& each : *found) all += (all.empty() ? "" : ", ") + each.type + "|" + each.name;
  return all;
}

TEST(StructFields, OfPlainStructs) {
  EXPECT_EQ(fields("struct P { int n; float eps2, g = 1.0f; };"), "int|n, float|eps2, float|g");
  EXPECT_EQ(fields("typedef struct {\n  unsigned long long n;  // ; }\n  bool b{true};\n} P;"),
            "unsigned long long|n, bool|b");
  EXPECT_EQ(fields("struct Q { int a; };\nstruct P f(struct P p);\nstruct P { const std::size_t v[2]; float4 c; };"),
            "const std::size_t|v[0], const std::size_t|v[1], float4|c");
  EXPECT_EQ(fields("struct P {\n public:\n  static constexpr int k = 3;\n  int n;\n  P() : n(0) { if (n) { n = 1; } }\n"
                   "  __host__ __device__ int twice() const { return 2 * n; }\n  float x;\n};"),
            "int|n, float|x");
}

TEST(StructFields, WhatIsMoreIsNotRead) {
  for (const char* source :
       {"struct Q { int n; };", "struct P;", "struct P : Q { int n; };", "struct P { float *x; };",
        "struct P { int a : 3; };", "struct alignas(16) P { int n; };", "struct P { alignas(8) int n; };",
        "struct P { float v[N]; };", "struct P { struct { int a; } b; };", "struct P { };", "// struct P { int n; };",
        "struct P { union { int a; }; };", "struct P { float v[2] = {1, 2}; };", "struct P {", "struct",
        "struct P { int"})
    EXPECT_EQ(fields(source), "none") << source;
}

}  // namespace
}  // namespace tuner::compile
