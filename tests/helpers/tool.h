// The real binary in a folder of its own: home, results and settings of whoever runs the tests are out of the way.
#pragma once

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "proc/child.h"

namespace tuner {

class Tool {
 public:
  explicit Tool(const std::string& name)
      : folder_(std::filesystem::temp_directory_path() / ("tuner-" + name + "-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder_);
    // A share folder without the shipped results, so that what is known is only what a test made.
    std::filesystem::create_directories(folder_ / "share");
    for (const char* part : {"kernel_templates", "configs"})
      std::filesystem::create_directory_symlink(std::filesystem::path(TUNER_SOURCE_DIR) / part,
                                                folder_ / "share" / part);
  }
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;
  ~Tool() {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // `tuner` with these words, after a prefix such as {"unshare", "-m"}. Compiled kernels are shared between tests.
  std::vector<std::string> argv(const std::vector<std::string>& words,
                                const std::vector<std::string>& prefix = {}) const {
    std::vector<std::string> all{"/usr/bin/env", "-C", folder_.string()};
    for (const char* name : {"TUNER_DB", "TUNER_RESULTS", "TUNER_SITE", "TUNER_NVRTC", "TUNER_NVCC", "XDG_DATA_HOME",
                             "XDG_CACHE_HOME", "NO_COLOR", "LC_ALL", "LC_CTYPE"})
      all.insert(all.end(), {"-u", name});
    all.insert(all.end(), {"HOME=" + folder_.string(), "LANG=C.UTF-8", "CUDA_VISIBLE_DEVICES=",
                           "TUNER_SHARE=" + path("share"), "TUNER_CACHE=" TUNER_BINARY_DIR "/tests-cache",
                           "TUNER_KERNELS=" TUNER_SOURCE_DIR "/tests/golden/kernels"});
    all.insert(all.end(), prefix.begin(), prefix.end());
    all.push_back(TUNER_PROGRAM);
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }

  proc::Output run(const std::vector<std::string>& words, const std::vector<std::string>& prefix = {}) const {
    return proc::run(argv(words, prefix), "", std::chrono::minutes{3}, {});
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace tuner
