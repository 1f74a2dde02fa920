// The printed C++ means what the expression means: random expressions are compiled by the system's compiler.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "random_expr.h"
#include "space/expr.h"
#include "space/scope.h"

namespace tuner::space {
namespace {

Scope printed_scope() {
  Scope scope;
  scope.set("M", std::int64_t{37});
  scope.set("N", std::int64_t{131});
  scope.set("b", std::int64_t{6});
  scope.set("vec", Name{"vec"});
  scope.set("variant", Name{"vec"});
  return scope;
}

std::string cpp_name(std::string_view name) { return name == "vec" ? "1" : std::string(name); }

TEST(Print, Texts) {
  const auto print = [](const char* text) { return Expr::parse(text).to_cpp(cpp_name); };
  EXPECT_EQ(print("variant == vec ? M * 2 : ceil_div(N, b)"),
            "(variant == 1) ? (M * 2ll) : tuner_expr::ceil_div(N, b)");
  EXPECT_EQ(print("M // 2 % 3"), "tuner_expr::mod(tuner_expr::div(M, 2ll), 3ll)");
  EXPECT_EQ(print("!(variant in (vec, vec)) && true"), "(!tuner_expr::is_in(variant, 1, 1)) && true");
  EXPECT_EQ(print("M - (N - b)"), "M - (N - b)");
  EXPECT_EQ(print("- -M"), "-(-M)");
  EXPECT_EQ(Expr::constant(std::int64_t{INT64_MIN}).to_cpp(cpp_name), "(-9223372036854775807ll - 1)");
  EXPECT_EQ(Expr::constant(Name{"vec"}).to_cpp(cpp_name), "1");
  EXPECT_EQ(Expr::constant(true).to_cpp(cpp_name), "true");
}

// How many random expressions have a value, and the program that prints them.
std::string program(std::vector<std::string>& expected) {
  const Scope scope = printed_scope();
  RandomExpr random(7, {"M", "N", "b"});
  std::string text =
      cpp_prelude("") + "#include <cstdio>\nint main() {\n  const long M = 37, N = 131, b = 6, variant = 1;\n";
  for (int i = 0; i < 3000 && expected.size() < 400; ++i) {
    const Expr expression = Expr::parse(random.integer(1 + i % 4));
    try {
      expected.push_back(std::to_string(expression.integer(scope)));
      text += "  std::printf(\"%lld\\n\", static_cast<long long>(" + expression.to_cpp(cpp_name) + "));\n";
    } catch (const ExprError&) {
    }
  }
  return text + "  return static_cast<int>(N - N + M - M + b - b + variant - 1);\n}\n";
}

TEST(Print, CompiledByTheSystem) {
  const auto folder = std::filesystem::temp_directory_path() / ("tuner_print_test." + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::vector<std::string> expected;
  std::ofstream(folder / "p.cpp") << program(expected);
  ASSERT_GE(expected.size(), 200U);
  const std::string base = (folder / "p").string();
  ASSERT_EQ(std::system(("c++ -std=c++17 -O0 -w " + base + ".cpp -o " + base).c_str()), 0);
  ASSERT_EQ(std::system((base + " > " + base + ".txt").c_str()), 0);
  std::ifstream lines(base + ".txt");
  std::string line;
  for (const std::string& value : expected) {
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(line, value);
  }
  std::filesystem::remove_all(folder);
}

// What is left after binding some names gives the same value as the whole.
TEST(Print, BoundExpressionsAgree) {
  const Scope scope = printed_scope();
  Scope part;
  part.set("M", std::int64_t{37});
  part.set("variant", Name{"vec"});
  part.set("vec", Name{"vec"});
  RandomExpr random(11, {"M", "N", "b"});
  int compared = 0;
  for (int i = 0; i < 3000; ++i) {
    const Expr expression = Expr::parse(random.integer(1 + i % 4));
    std::int64_t value = 0;
    try {
      value = expression.integer(scope);
    } catch (const ExprError&) {
      continue;
    }
    const Expr bound = expression.bind(part);
    EXPECT_EQ(bound.integer(scope), value) << expression.text();
    EXPECT_EQ(bound.names().count("M"), 0U);
    ++compared;
  }
  EXPECT_GE(compared, 500);
}

}  // namespace
}  // namespace tuner::space
