// The README's example of the header compiles against a header of the shipped results, and gives the values that its
// comments name.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "proc/child.h"

namespace tuner::readme {
namespace {
namespace fs = std::filesystem;

std::string header_example() {
  std::ifstream file(TUNER_SOURCE_DIR "/README.md");
  std::stringstream whole;
  whole << file.rdbuf();
  const std::string text = whole.str();
  const std::string open = "```cpp\n";
  const std::size_t begin = text.find(open) + open.size();
  return text.substr(begin, text.find("```", begin) - begin);
}

struct Claim {
  std::string expression;
  std::string value;
};

// "//   best.match      exact; else near_shape": an expression, two spaces or more, its value, and what else there is.
std::vector<Claim> claims_of(const std::string& example) {
  std::vector<Claim> claims;
  const std::regex line(R"(//   (best\.\S+) {2,}([^\s;]+))");
  for (std::sregex_iterator found(example.begin(), example.end(), line), end; found != end; ++found)
    claims.push_back({(*found)[1], (*found)[2]});
  return claims;
}

constexpr const char* printers = R"(
#include <iostream>
std::ostream& operator<<(std::ostream& out, tuner_export::Match match) {
  const char* const names[] = {"none", "pinned", "exact", "near_shape", "near_gpu", "by_default"};
  return out << names[static_cast<int>(match)];
}
)";

TEST(Readme, the_comments_of_its_header_example_are_true) {
  const fs::path folder = fs::temp_directory_path() / ("tuner-readme-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const std::string example = header_example();
  const std::vector<Claim> claims = claims_of(example);
  ASSERT_GE(claims.size(), 5u) << example;
  std::ofstream program(folder / "example.cpp");
  program << example << printers << "int main() {\n";
  std::string expected;
  for (const Claim& claim : claims) {
    program << "  std::cout << " << claim.expression << " << '\\n';\n";
    expected += claim.value + "\n";
  }
  program << "}\n";
  program.close();
  const auto run = [&](const std::vector<std::string>& argv) {
    std::vector<std::string> all{"/usr/bin/env",  "-C", folder.string(), "-u",
                                 "TUNER_RESULTS", "-u", "TUNER_SITE",    "TUNER_SHARE=" TUNER_SOURCE_DIR};
    all.insert(all.end(), argv.begin(), argv.end());
    return proc::run(all, "", std::chrono::minutes{4}, {});
  };
  const proc::Output exported =
      run({TUNER_PROGRAM, "export", "--format", "header", "-o", "tuned.h", "--db", "none.db"});
  EXPECT_EQ(exported.status.code, 0) << exported.err;
  const proc::Output compiled = run({"g++", "-std=c++17", "example.cpp", "-o", "example"});
  EXPECT_EQ(compiled.status.code, 0) << compiled.err;
  EXPECT_EQ(run({"./example"}).out, expected);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tuner::readme
