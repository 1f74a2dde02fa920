// Shared by the tests of compile: temporary folders, and an NVRTC where there is one.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compile/nvrtc.h"
#include "compile/render.h"
#include "core/hash.h"

namespace tuner::compile {

// An empty folder of the running test's own.
inline std::filesystem::path fresh_folder(const std::string& name = "work") {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  const auto folder = std::filesystem::path(testing::TempDir()) / ("compile_test_" + std::to_string(::getpid())) /
                      (std::string(info->test_suite_name()) + "_" + info->name()) / name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

inline std::string put_file(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  return path.string();
}

// The newest usable one; empty when this machine has none.
inline std::optional<NvrtcCandidate> any_nvrtc() {
  for (const auto& candidate : find_nvrtc())
    if (candidate.problem.empty()) return candidate;
  return std::nullopt;
}

inline Source source_of(const std::string& text, std::vector<std::string> entries = {"k"}) {
  Source source;
  source.name = "test.cu";
  source.text = std::string("#line 1 \"test.cu\"\n") + text;
  source.options = {"--std=c++17", "--no-cache", "--modify-stack-limit=false", "--ptxas-options=--warn-on-spills"};
  source.entries = std::move(entries);
  source.hash = content_hash(source.text);
  return source;
}

}  // namespace tuner::compile
