// A compile says by which compiler.
#include <gtest/gtest.h>

#include "report/check_text.h"
#include "report/format.h"

namespace tuner::report {
namespace {

CheckReport compiled_by(const std::string& version) {
  CheckReport report;
  report.compiled.emplace();
  report.compiled->compiler = version;
  report.compiled->arch = 75;
  return report;
}

TEST(CompilerText, NamesTheCompiler) {
  EXPECT_EQ(compiler_text("13.0.88"), "NVRTC 13.0.88");
  EXPECT_EQ(compiler_text("nvcc 13.0.88"), "nvcc 13.0.88");
  EXPECT_EQ(compiler_text("13.0.88, nvcc 13.0.88"), "NVRTC 13.0.88, nvcc 13.0.88");
}

TEST(CompilerText, CheckSaysWhichOne) {
  const std::string text = check_text(compiled_by("nvcc 13.0.88"), Style{});
  EXPECT_NE(text.find("compile    nvcc 13.0.88 for sm_75"), std::string::npos) << text;
  const std::string json = check_json(compiled_by("nvcc 13.0.88"));
  EXPECT_NE(json.find("\"compiler\": \"nvcc 13.0.88\",\n    \"nvrtc\": null"), std::string::npos) << json;
  EXPECT_NE(check_json(compiled_by("13.0.88")).find("\"nvrtc\": \"13.0.88\""), std::string::npos);
}

}  // namespace
}  // namespace tuner::report
