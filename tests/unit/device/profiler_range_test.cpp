// Ranges reach a profiler's library, and are nothing without one. Each case is a process of its own: a library is
// looked for once.
#include "device/profiler_range.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "core/counters.h"

namespace tuner::device {
namespace {

// What the fake library wrote down while `work` ran in a child with `library` named; empty where nothing was written.
std::string written(const std::string& library, const std::function<void()>& work) {
  const std::string file =
      (std::filesystem::temp_directory_path() / ("tuner-nvtx-" + std::to_string(::getpid()))).string();
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("NVTX_INJECTION64_PATH", library.c_str(), 1);
    ::setenv("TUNER_FAKE_NVTX", file.c_str(), 1);
    work();
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  std::filesystem::remove(file);
  return text.str();
}

TEST(ProfilerRange, ReachesTheLibrary) {
  EXPECT_EQ(written(TUNER_FAKE_NVTX_LIBRARY,
                    [] {
                      const ProfilerRange outer("outer");
                      { const ProfilerRange inner(candidate_range); }
                    }),
            "push outer\npush tuner candidate\npop\npop\n");
}

TEST(ProfilerRange, IsNothingWithoutOne) {
  for (const char* library : {"", "/no/such.so", TUNER_FAKE_CUDA})
    EXPECT_EQ(written(library, [] { const ProfilerRange range("any"); }), "") << library;
}

}  // namespace
}  // namespace tuner::device
