// A user's host reference: compiled, called in a process of its own, and every way in which that can go wrong.
#include "worker/host_reference.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "compile/host_function.h"
#include "core/error.h"

namespace tuner {
namespace {

using measure::WideArgument;

class HostReference : public testing::Test {
 protected:
  HostReference() { std::filesystem::create_directories(folder_); }
  ~HostReference() override { std::filesystem::remove_all(folder_); }

  // x, y, n and a struct of 8 bytes, as `f` takes them.
  static std::vector<WideArgument> arguments() {
    std::vector<WideArgument> list;
    const double x[3] = {1, 2, 3};
    list.push_back({"x", Type::f64, true, false, bytes(x)});
    list.push_back({"y", Type::f64, true, true, std::vector<std::byte>(24, std::byte{0xff})});
    list.push_back({"n", Type::i32, false, false, bytes(std::int64_t{3})});
    const std::int32_t pair[2] = {10, 20};
    list.push_back({"pair", Type::u8, false, false, bytes(pair), true});
    return list;
  }
  template <class T>
  static std::vector<std::byte> bytes(const T& value) {
    std::vector<std::byte> all(sizeof value);
    std::memcpy(all.data(), &value, sizeof value);
    return all;
  }

  Workload workload(const std::string& body, const std::string& parameters = usual) {
    const std::string source = (folder_ / "ref.cpp").string();
    std::ofstream(source) << "#include <cstdlib>\n#include <unistd.h>\nstruct Pair { int a, b; };\nvoid f("
                          << parameters << ") {" << body << "}\n";
    Workload w;
    w.kernel = "own";
    w.dims = {3};
    w.reference.kind = ReferencePlan::Kind::host;
    w.reference.function = "f";
    w.reference.file = compile::build_host_function(source, "f");
    return w;
  }
  std::string error(const std::string& body, const std::string& parameters = usual,
                    std::chrono::milliseconds deadline = std::chrono::minutes(1)) {
    std::vector<WideArgument> list = arguments();
    try {
      worker::call_host_reference(workload(body, parameters), list, deadline);
    } catch (const UserError& fault) {
      EXPECT_EQ(fault.where(), "own");
      return fault.what();
    }
    return "it ran";
  }

  static constexpr const char* usual = "const double* x, double* y, int n, Pair pair";
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("host reference " + std::to_string(::getpid()));
};

TEST_F(HostReference, WritesItsResults) {
  std::vector<WideArgument> list = arguments();
  worker::call_host_reference(workload("for (int i = 0; i < n; ++i) y[i] = x[i] * pair.b + pair.a;"), list,
                              std::chrono::minutes(1));
  double y[3] = {};
  std::memcpy(y, list[1].bytes.data(), sizeof y);
  EXPECT_EQ(y[0], 30);
  EXPECT_EQ(y[2], 70);
}

TEST_F(HostReference, WhatItDoesToItsInputsIsNotKept) {
  std::vector<WideArgument> list = arguments();
  worker::call_host_reference(workload("const_cast<double*>(x)[0] = 9; y[0] = 1;"), list, std::chrono::minutes(1));
  EXPECT_EQ(list[0].bytes, arguments()[0].bytes);
}

TEST_F(HostReference, CrashesAndHangsCostNothingElse) {
  EXPECT_EQ(error("*(volatile int*)8 = 1;"), "the reference 'f' ended with signal 11 (segmentation fault) at 3");
  EXPECT_EQ(error("abort();"), "the reference 'f' ended with signal 6 (aborted) at 3");
  EXPECT_EQ(error("exit(5);"), "the reference 'f' ended with exit 5 at 3");
  EXPECT_EQ(error("for (;;) usleep(1000);", usual, std::chrono::seconds(1)),
            "the reference 'f' did not end within 1 seconds at 3");
}

TEST_F(HostReference, OtherArgumentsAreNamed) {
  EXPECT_EQ(error("", "const double* x, double* y, int n"),
            "the reference 'f' does not fit: it takes 3 arguments and is given 4");
  EXPECT_EQ(error("", "const float* x, double* y, int n, Pair pair"),
            "the reference 'f' does not fit: 'x' is float* in it and must be double*");
  EXPECT_EQ(error("", "const double* x, double* y, long n, Pair pair"),
            "the reference 'f' does not fit: 'n' is int64_t in it and must be int32_t");
  EXPECT_EQ(error("", "const double* x, double y, int n, Pair pair"),
            "the reference 'f' does not fit: 'y' is double in it and must be double*");
  EXPECT_EQ(error("", "const double* x, double* y, int n, short pair"),
            "the reference 'f' does not fit: 'pair' is 2 bytes in it and 8 in the manifest");
}

TEST_F(HostReference, WhatDoesNotCompileIsTheUsersError) {
  try {
    (void)workload("this is no C++");
    FAIL() << "it compiled";
  } catch (const UserError& fault) {
    EXPECT_NE(std::string(fault.what()).find("the reference 'f' does not compile"), std::string::npos) << fault.what();
    EXPECT_EQ(fault.where(), (folder_ / "ref.cpp").string());
  }
}

}  // namespace
}  // namespace tuner
