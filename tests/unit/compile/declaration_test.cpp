// Declarations read by eye.
#include "compile/declaration.h"

#include <gtest/gtest.h>

namespace tuner::compile {
namespace {

using Words = std::vector<std::string>;

Words parameters(const std::string& source, const std::string& function) {
  Words all;
  const auto declaration = declaration_of(source, function);
  if (!declaration) return {"none"};
  for (const DeclaredParameter& each : declaration->parameters) all.push_back(each.type + "|" + each.name);
  return all;
}

TEST(DeclarationOf, TypesAndNames) {
  EXPECT_EQ(
      parameters("extern \"C\" __global__ void f(const float *__restrict__ x, float* y, unsigned int n, float4 v, "
                 "const int, int *, std::array<int, 3> a, int w[4], float b = 1)",
                 "f"),
      (Words{"const float *|x", "float*|y", "unsigned int|n", "float4|v", "const int|", "int *|",
             "std::array<int, 3>|a", "int *|w", "float|b"}));
  EXPECT_EQ(parameters("__global__ void f(void) {}", "f"), Words{});
  EXPECT_EQ(parameters("__global__ void f() {}", "f"), Words{});
}

TEST(DeclarationOf, CommentsStringsCallsAndLinesOfThePreprocessorAreNotIt) {
  const std::string source =
      "// void f(int a)\n/* void f(int b) */\n#define F \\\n  void f(int c)\n"
      "void g() { f(1, 2); const char *s = \"void f(int d)\"; char q = '\"'; }\n"
      "__global__ void __launch_bounds__(256, 2) f(double e) {}\n";
  EXPECT_EQ(parameters(source, "f"), Words{"double|e"});
  EXPECT_EQ(global_functions(source), Words{"f"});
  EXPECT_EQ(parameters(source, "h"), Words{"none"});
}

TEST(DeclarationOf, WhatStandsBeforeTheName) {
  const std::string source =
      "static __device__ void d(int n);\n"
      "template <typename T, int N = 2>\n__global__ void t(T *x) {}\n"
      "extern \"C\" __global__ void c(int n) {}\n__global__ void p(int n);\n";
  EXPECT_EQ(global_functions(source), (Words{"t", "c", "p"}));
  EXPECT_FALSE(declaration_of(source, "d")->is_global);
  EXPECT_EQ(declaration_of(source, "t")->template_parameters, (Words{"typename T", "int N = 2"}));
  EXPECT_TRUE(declaration_of(source, "c")->is_extern_c);
  EXPECT_FALSE(declaration_of(source, "p")->is_extern_c);
  EXPECT_TRUE(declaration_of(source, "p")->is_global);
}

TEST(DeclarationOf, NamespacesAroundIt) {
  const std::string source =
      "namespace a { struct S { int i; }; namespace b::c {\n__global__ void f(int n) { if (n) { g(); } }\n} }\n"
      "namespace { extern \"C\" { __global__ void g(int n) {} } }\nnamespace a { __global__ void h(int n) {} }";
  EXPECT_EQ(declaration_of(source, "f")->scope, "a::b::c::");
  EXPECT_EQ(declaration_of(source, "g")->scope, "");
  EXPECT_EQ(declaration_of(source, "h")->scope, "a::");
}

TEST(DeclarationOf, DamagedText) {
  for (const std::string source :
       {"__global__ void f(", "__global__ void f(int a, (", "__global__", "/*", "\"", "'", "f(", "#",
        "template < void f()", "void f(<)", "__global__ void __launch_bounds__(f"}) {
    (void)declaration_of(source, "f");
    (void)global_functions(source);
  }
}

TEST(DeclarationOf, KindsOfType) {
  EXPECT_TRUE(is_pointer_to_const("const float *"));
  EXPECT_TRUE(is_pointer_to_const("float const*"));
  EXPECT_FALSE(is_pointer_to_const("float *const"));
  EXPECT_FALSE(is_pointer_to_const("const int"));
  EXPECT_EQ(bare_type("const float *"), "float");
  EXPECT_EQ(bare_type("float const*"), "float");
  EXPECT_EQ(bare_type("const unsigned long long"), "unsigned long long");
}

}  // namespace
}  // namespace tuner::compile
