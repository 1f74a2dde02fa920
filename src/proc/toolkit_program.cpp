#include "proc/toolkit_program.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "core/error.h"
#include "proc/child.h"

namespace tuner::proc {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds ask_deadline{30};

bool can_run(const std::string& path) {
  std::error_code error;
  return ::access(path.c_str(), X_OK) == 0 && !fs::is_directory(path, error);
}

std::vector<std::string> places(const ToolkitSearch& search) {
  const std::string file = std::string("/") + search.name;
  std::vector<std::string> all;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto root = environment(name); !root.empty()) all.push_back(root + "/bin" + file);
  std::istringstream listed(environment("PATH"));
  for (std::string folder; std::getline(listed, folder, ':');)
    if (!folder.empty()) all.push_back(folder + file);
  all.push_back("/usr/local/cuda/bin" + file);
  all.insert(all.end(), search.more.begin(), search.more.end());
  return all;
}

// The digits and dots behind `before`.
std::string version_in(const std::string& text, std::string_view before) {
  const auto at = text.find(before);
  if (at == std::string::npos) return {};
  const auto begin = at + before.size();
  return text.substr(begin, std::min(text.find_first_not_of("0123456789.", begin), text.size()) - begin);
}

ToolkitProgram ask(const std::string& path, std::string_view before) {
  ToolkitProgram program{path, {}, {}};
  if (!can_run(path)) {
    program.problem = "no such program";
    return program;
  }
  try {
    program.version = version_in(run({path, "--version"}, {}, ask_deadline, {}).out, before);
  } catch (const MachineError& failure) {
    program.problem = failure.what();
  }
  if (program.version.empty() && program.problem.empty()) program.problem = "it does not say its version";
  return program;
}

}  // namespace

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

ToolkitProgram find_toolkit_program(const ToolkitSearch& search) {
  if (const auto named = environment(search.variable); !named.empty()) return ask(named, search.before);
  for (const auto& path : places(search))
    if (can_run(path)) return ask(path, search.before);
  return {{}, {}, search.nowhere};
}

}  // namespace tuner::proc
