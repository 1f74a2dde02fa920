// Dynamic shared memory of CUDA sources on the host device.
#include "compile/dynamic_shared.h"

#include <gtest/gtest.h>

namespace tuner::compile {
namespace {

std::string pointer(const std::string& type, const std::string& name) {
  return type + "* const " + name + " = reinterpret_cast<" + type + "*>(::tuner_simt::tuner_dynamic_shared());";
}

TEST(DynamicShared, BecomesAPointerWhereItIsDeclared) {
  const auto inside = [](const std::string& declaration) {
    return with_dynamic_shared("__global__ void k() { " + declaration + " }");
  };
  const auto expected = [](const std::string& pointer) { return "__global__ void k() { " + pointer + " }"; };
  EXPECT_EQ(inside("extern __shared__ float s[];"), expected(pointer("float", "s")));
  EXPECT_EQ(inside("extern __shared__ __align__(16) float s[ ];"), expected(pointer("float", "s")));
  EXPECT_EQ(inside("extern __shared__ unsigned char all[];"), expected(pointer("unsigned char", "all")));
  EXPECT_EQ(inside("__shared__ float s[4];"), expected("__shared__ float s[4];"));
}

TEST(DynamicShared, OutsideOfFunctionsComesWithEachThatUsesIt) {
  const std::string now = " [[maybe_unused]] " + pointer("float", "s");
  EXPECT_EQ(with_dynamic_shared("extern __shared__\nfloat s[];\n"
                                "int none() { return sizeof(int); }\n"
                                "template <int N> __global__ void k(float* a) { a[0] = s[N]; }\n"
                                "void param(float* s) { s[0] = 1; }\n"
                                "namespace n { struct S { void f() { s[1] = 2; /* s */ } }; }\n"),
            "\n\n"
            "int none() { return sizeof(int); }\n"
            "template <int N> __global__ void k(float* a) {" +
                now +
                " a[0] = s[N]; }\n"
                "void param(float* s) { s[0] = 1; }\n"
                "namespace n { struct S { void f() {" +
                now + " s[1] = 2; /* s */ } }; }\n");
}

}  // namespace
}  // namespace tuner::compile
