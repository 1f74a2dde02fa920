#include "compile/nvrtc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "compile/nvrtc_library.h"
#include "compile/nvrtc_paths.h"
#include "compile_fixture.h"
#include "core/error.h"

namespace tuner::compile {
namespace {

namespace fs = std::filesystem;

NvrtcCandidate candidate(const std::string& version, std::vector<int> archs, const std::string& problem = {}) {
  NvrtcCandidate one;
  one.path = "/lib/libnvrtc.so." + version;
  one.version = version;
  one.major = std::atoi(version.c_str());
  one.archs = std::move(archs);
  one.problem = problem;
  return one;
}

const std::vector<int> kNew{75, 80, 90, 100, 120};
const std::vector<int> kOld{50, 60, 75, 80, 90};

struct Failure {
  std::string what, where, hint;
};

Failure failure_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const MachineError& error) {
    return {error.what(), error.where(), error.hint()};
  }
  return {"no error", "", ""};
}

TEST(ChooseNvrtc, NewestThatTheDriverLoads) {
  const std::vector<NvrtcCandidate> found{candidate("13.1.2", kNew), candidate("12.9.86", kOld)};
  EXPECT_EQ(choose_from(found, 90, 13000).version, "13.1.2");  // same major: any minor will do
  EXPECT_EQ(choose_from(found, 90, 12080).version, "12.9.86");
  EXPECT_EQ(choose_from(found, 90, 0).version, "13.1.2");
  EXPECT_EQ(choose_from(found, 60, 13000).version, "12.9.86");
}

TEST(ChooseNvrtc, NoneFound) {
  const auto failure = failure_of([] { choose_from({}, 90, 13000, "$TUNER_NVRTC"); });
  EXPECT_EQ(failure.what, "no NVRTC (libnvrtc.so) was found");
  EXPECT_EQ(failure.where, "$TUNER_NVRTC");
  EXPECT_EQ(failure.hint,
            "install the CUDA toolkit or `pip install nvidia-cuda-nvrtc`, or name the file: --nvrtc FILE");
}

TEST(ChooseNvrtc, NoneUsable) {
  const auto failure = failure_of([] { choose_from({candidate("13.0.88", {}, "it does not compile: x")}, 90, 0); });
  EXPECT_EQ(failure.what,
            "no usable NVRTC; found:\n  /lib/libnvrtc.so.13.0.88 (13.0.88, no architecture): it does not compile: x");
}

TEST(ChooseNvrtc, AllNewerThanTheDriver) {
  const auto failure = failure_of([] { choose_from({candidate("13.0.88", kNew)}, 90, 12040); });
  EXPECT_EQ(failure.what,
            "every NVRTC is newer than the driver, which is for CUDA 12.4; found:\n"
            "  /lib/libnvrtc.so.13.0.88 (13.0.88, sm_75 to sm_120)");
  EXPECT_EQ(failure.hint, "install NVRTC 12 or a newer driver");
}

TEST(ChooseNvrtc, GpuNewerOrOlderThanAllKnow) {
  const auto newer = failure_of([] { choose_from({candidate("12.9.86", kOld)}, 120, 13000); });
  EXPECT_EQ(newer.what.substr(0, newer.what.find('\n')), "no NVRTC compiles for sm_120; found:");
  EXPECT_EQ(newer.hint, "this GPU is newer than they know: install a newer NVRTC");
  const auto older = failure_of([] { choose_from({candidate("13.0.88", kNew)}, 70, 13000); });
  EXPECT_EQ(older.hint, "this GPU is older than they support: install an older NVRTC");
}

TEST(NvrtcFiles, EachOnceThroughLinksWithoutAltAndBuiltins) {
  const auto folder = fresh_folder();
  const auto real = put_file(folder / "a" / "libnvrtc.so.13.0.88", "x");
  put_file(folder / "a" / "libnvrtc.alt.so.13.0.88", "x");
  put_file(folder / "a" / "libnvrtc-builtins.so.13.0", "x");
  put_file(folder / "a" / "libnvrtc_static.a", "x");
  fs::create_symlink("libnvrtc.so.13.0.88", folder / "a" / "libnvrtc.so");
  fs::create_symlink("nowhere", folder / "a" / "libnvrtc.so.11");
  fs::create_directory_symlink(folder / "a", folder / "b");
  EXPECT_EQ(nvrtc_files({folder / "b", folder / "a", folder / "none"}), std::vector<std::string>{fs::canonical(real)});
}

TEST(NvrtcFolders, CudaHomeComesFirst) {
  ::setenv("CUDA_HOME", "/some/toolkit", 1);
  const auto folders = nvrtc_folders();
  ::unsetenv("CUDA_HOME");
  ASSERT_FALSE(folders.empty());
  EXPECT_EQ(folders.front(), "/some/toolkit/lib64");
}

TEST(NvrtcFolders, PythonsWheelsInAVirtualEnvironment) {
  const auto folder = fresh_folder();
  const auto wheel = folder / "lib" / "python3.11" / "site-packages" / "nvidia" / "cuda_nvrtc" / "lib";
  fs::create_directories(wheel);
  ::setenv("VIRTUAL_ENV", folder.c_str(), 1);
  const auto folders = nvrtc_folders();
  ::unsetenv("VIRTUAL_ENV");
  EXPECT_NE(std::find(folders.begin(), folders.end(), wheel.string()), folders.end());
}

TEST(FindNvrtc, NamedFileThatIsNone) {
  const auto folder = fresh_folder();
  const auto text = put_file(folder / "libnvrtc.so", "not a library");
  const auto damaged = find_nvrtc(text);
  ASSERT_EQ(damaged.size(), 1u);
  EXPECT_NE(damaged[0].problem, "");
  EXPECT_EQ(find_nvrtc((folder / "none").string()).at(0).problem, "no such file");
  fs::create_directories(folder / "empty");
  EXPECT_EQ(find_nvrtc((folder / "empty").string()).at(0).problem, "no libnvrtc.so in this folder");
}

TEST(FindNvrtc, AnotherLibraryIsNoNvrtc) {
  const auto link = fresh_folder() / "libnvrtc.so";
  for (const char* libc : {"/lib/x86_64-linux-gnu/libc.so.6", "/lib/aarch64-linux-gnu/libc.so.6", "/lib64/libc.so.6"})
    if (fs::exists(libc) && !fs::exists(link)) fs::copy_file(fs::canonical(libc), link);
  ASSERT_TRUE(fs::exists(link));
  EXPECT_EQ(find_nvrtc(link.string()).at(0).problem, "it has no nvrtcVersion");
}

TEST(FindNvrtc, VariableNamesTheOnlyOne) {
  ::setenv("TUNER_NVRTC", "/no/such/file", 1);
  const auto found = find_nvrtc();
  const auto failure = failure_of([] { choose_nvrtc({}, 90, 0); });
  ::unsetenv("TUNER_NVRTC");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].path, "/no/such/file");
  EXPECT_EQ(failure.where, "$TUNER_NVRTC");
  EXPECT_EQ(failure.what, "no usable NVRTC; found:\n  /no/such/file: no such file");
}

TEST(FindNvrtc, TellsVersionToTheBuildAndArchitectures) {
  const auto found = any_nvrtc();
  if (!found) GTEST_SKIP() << "needs NVRTC";
  EXPECT_EQ(std::count(found->version.begin(), found->version.end(), '.'), 2) << found->version;
  EXPECT_EQ(found->version.rfind(std::to_string(found->major) + "." + std::to_string(found->minor) + ".", 0), 0u);
  EXPECT_NE(std::find(found->archs.begin(), found->archs.end(), 90), found->archs.end());
  EXPECT_EQ(fs::canonical(found->path), found->path);
}

TEST(FindNvrtc, WithDamagedBuiltinsItIsNotUsable) {
  const auto found = any_nvrtc();
  if (!found) GTEST_SKIP() << "needs NVRTC";
  const auto copy = fresh_folder() / fs::path(found->path).filename();
  fs::copy_file(found->path, copy);
  // Where the loader would find others' first: a damaged one.
  put_file(copy.parent_path() /
               ("libnvrtc-builtins.so." + std::to_string(found->major) + "." + std::to_string(found->minor)),
           "damaged");
  const char* old = std::getenv("LD_LIBRARY_PATH");
  const std::string kept = old != nullptr ? old : "";
  ::setenv("LD_LIBRARY_PATH", copy.parent_path().c_str(), 1);
  const auto alone = find_nvrtc(copy.string());
  ::setenv("LD_LIBRARY_PATH", kept.c_str(), 1);
  if (old == nullptr) ::unsetenv("LD_LIBRARY_PATH");
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_NE(alone[0].problem.find("it does not compile: "), std::string::npos) << alone[0].problem;
  EXPECT_NE(alone[0].problem.find("builtins"), std::string::npos) << alone[0].problem;
  EXPECT_EQ(alone[0].major, found->major);
}

TEST(BuildVersion, FromTheAssemblersNote) {
  EXPECT_EQ(build_version(std::string("x\0Cuda compilation tools, release 13.0, V13.0.88\0y", 50)), "13.0.88");
  EXPECT_EQ(build_version("Cuda compilation tools, release 13.0"), "");
  EXPECT_EQ(build_version(""), "");
}

}  // namespace
}  // namespace tuner::compile
