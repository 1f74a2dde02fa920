// Commands in a process whose locale writes 1.234,5: as in a program of such a country that links the library.
#include <gtest/gtest.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <locale>
#include <string>
#include <vector>

#include "cli/run.h"
#include "proc/child.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

class DecimalComma : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    const auto built = proc::run({"localedef", "-i", "de_DE", "-f", "UTF-8", (folder_ / "de_DE.UTF-8").string()}, "",
                                 std::chrono::minutes{1}, {});
    ASSERT_TRUE(fs::exists(folder_ / "de_DE.UTF-8")) << "the package `locales` has what localedef needs\n" << built.err;
    ::setenv("LOCPATH", folder_.c_str(), 1);
    ::setenv("TUNER_SHARE", TUNER_SOURCE_DIR, 1);
    ::setenv("TUNER_RESULTS", TUNER_SOURCE_DIR "/db", 1);
    ::setenv("HOME", folder_.c_str(), 1);
  }
  void TearDown() override {
    use("C");
    fs::remove_all(folder_);
    for (const char* name : {"LOCPATH", "TUNER_SHARE", "TUNER_RESULTS"}) ::unsetenv(name);
  }
  // The C library's locale and that of C++ streams.
  static void use(const char* name) {
    ASSERT_NE(std::setlocale(LC_ALL, name), nullptr) << name;
    std::locale::global(std::locale(name));
  }
  static std::string printed(std::vector<std::string> words) {
    words.insert(words.begin(), "tuner");
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    int code = -1;
    try {
      code = run(static_cast<int>(argv.size()), argv.data());
    } catch (const std::exception& failure) {
      code = report_failure(failure);
    }
    std::fflush(nullptr);
    std::string out = testing::internal::GetCapturedStdout();
    return out + testing::internal::GetCapturedStderr() + "exit " + std::to_string(code);
  }

  fs::path folder_ = fs::temp_directory_path() / ("tuner-locale-" + std::to_string(::getpid()));
};

TEST_F(DecimalComma, EveryCommandPrintsTheSame) {
  const std::string gpu = "NVIDIA H200";
  const std::vector<std::vector<std::string>> commands{
      {"best", "--kernel", "gemv_f16", "--shape", "4096x4096", "--gpu", gpu},
      {"best", "--kernel", "gemv_f16", "--shape", "4096x4096", "--gpu", gpu, "--json"},
      {"best", "--kernel", "gemv_f32", "--shape", "4096x4096", "--gpu", gpu, "--by", "variant"},
      {"best", "--kernel", "gemv_f16", "--shape", "5000x4500", "--gpu", gpu},
      {"explain", "--kernel", "gemv_f16", "--shape", "4096x4096", "--gpu", gpu},
      {"list", "--gpu", gpu},
      {"list", "--gpu", gpu, "--json"},
      {"export", "--format", "header", "--gpu", gpu, "-o", "-"},
      {"export", "--format", "json", "--gpu", gpu, "-o", "-"},
      {"schema", "manifest"},
  };
  for (const auto& command : commands) {
    SCOPED_TRACE(testing::PrintToString(command));
    use("C");
    const std::string plain = printed(command);
    EXPECT_NE(plain.find("exit 0"), std::string::npos) << plain.substr(0, 2000);
    use("de_DE.UTF-8");
    char written[16];
    std::snprintf(written, sizeof written, "%.1f", 1.5);
    ASSERT_STREQ(written, "1,5");
    EXPECT_EQ(printed(command), plain);
  }
}

}  // namespace
}  // namespace tuner::cli
