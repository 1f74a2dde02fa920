#include "compile/nvrtc.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <tuple>

#include "compile/nvrtc_paths.h"
#include "core/error.h"
#include "proc/pool.h"
#include "proc/program.h"

namespace tuner::compile {
namespace {

constexpr std::chrono::seconds kAskDeadline{30};

// A file as it was when it was asked.
using FileKey = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>;

FileKey key_of(const std::string& path) {
  struct stat info {};
  ::stat(path.c_str(), &info);
  return {path, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

struct Known {
  std::mutex mutex;
  std::map<FileKey, NvrtcCandidate> answers;
};

Known& known() {
  static Known all;
  return all;
}

NvrtcCandidate read_answer(const std::string& path, const proc::Output& output) {
  NvrtcCandidate candidate;
  candidate.path = path;
  const auto info = nlohmann::json::parse(output.out, nullptr, false);
  if (!info.is_object()) {
    candidate.problem = "asking it failed: " + (output.timed_out ? "no answer" : output.status.text());
    return candidate;
  }
  candidate.major = info.value("major", 0);
  candidate.minor = info.value("minor", 0);
  candidate.version = info.value("version", "");
  candidate.archs = info.value("archs", std::vector<int>{});
  candidate.problem = info.value("problem", "");
  return candidate;
}

std::vector<int> version_numbers(const std::string& version) {
  std::vector<int> numbers(1, 0);
  for (const char c : version) {
    if (c == '.')
      numbers.push_back(0);
    else if (c >= '0' && c <= '9' && numbers.back() < 100000)
      numbers.back() = numbers.back() * 10 + (c - '0');
  }
  return numbers;
}

std::vector<NvrtcCandidate> ask_all(const std::vector<std::string>& files) {
  const std::lock_guard lock(known().mutex);
  std::vector<proc::Command> commands;
  std::vector<std::string> asked;
  for (const auto& file : files) {
    if (known().answers.count(key_of(file)) != 0) continue;
    asked.push_back(file);
    commands.push_back({{proc::own_program(), "nvrtc-info", file}, "", kAskDeadline});
  }
  proc::run_all(commands, proc::usable_cpus(), [&](std::size_t i, const proc::Output& output) {
    known().answers[key_of(asked[i])] = read_answer(asked[i], output);
  });
  std::vector<NvrtcCandidate> all;
  for (const auto& file : files) all.push_back(known().answers[key_of(file)]);
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return version_numbers(a.version) > version_numbers(b.version);
  });
  return all;
}

// The flag's or the variable's; empty: any.
std::string named(const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  const char* variable = std::getenv("TUNER_NVRTC");
  return variable != nullptr ? variable : "";
}

std::vector<NvrtcCandidate> find_named(const std::string& path) {
  std::error_code error;
  NvrtcCandidate none;
  none.path = path;
  if (std::filesystem::is_directory(path, error)) {
    const auto files = nvrtc_files({path, path + "/lib64", path + "/lib"});
    if (!files.empty()) return ask_all(files);
    none.problem = "no libnvrtc.so in this folder";
    return {none};
  }
  const auto real = std::filesystem::canonical(path, error);
  if (!error) return ask_all({real.string()});
  none.problem = "no such file";
  return {none};
}

std::string archs_text(const std::vector<int>& archs) {
  if (archs.empty()) return "no architecture";
  const auto [least, most] = std::minmax_element(archs.begin(), archs.end());
  return arch_text(*least) + " to " + arch_text(*most);
}

bool loads_on(const NvrtcCandidate& candidate, int cuda_driver) {
  return cuda_driver == 0 || candidate.major <= cuda_driver / 1000;
}

bool knows(const NvrtcCandidate& candidate, int arch) {
  return std::find(candidate.archs.begin(), candidate.archs.end(), arch) != candidate.archs.end();
}

[[noreturn]] void fail_for_arch(const std::vector<NvrtcCandidate>& loadable, int arch, const std::string& where,
                                const std::string& list) {
  int least = 1 << 30;
  for (const auto& candidate : loadable)
    if (!candidate.archs.empty())
      least = std::min(least, *std::min_element(candidate.archs.begin(), candidate.archs.end()));
  const std::string hint = arch < least ? "this GPU is older than they support: install an older NVRTC"
                                        : "this GPU is newer than they know: install a newer NVRTC";
  throw MachineError("no NVRTC compiles for " + arch_text(arch) + "; found:" + list, where, hint);
}

}  // namespace

std::vector<NvrtcCandidate> find_nvrtc(const std::string& wanted) {
  const std::string path = named(wanted);
  return path.empty() ? ask_all(nvrtc_files(nvrtc_folders())) : find_named(path);
}

std::string describe(const std::vector<NvrtcCandidate>& found) {
  std::string text;
  for (const auto& one : found) {
    text += fmt::format("\n  {}", one.path);
    if (!one.version.empty()) text += fmt::format(" ({}, {})", one.version, archs_text(one.archs));
    if (!one.problem.empty()) text += ": " + one.problem;
  }
  return text;
}

NvrtcCandidate choose_from(const std::vector<NvrtcCandidate>& found, int arch, int cuda_driver,
                           const std::string& origin) {
  if (found.empty())
    throw MachineError("no NVRTC (libnvrtc.so) was found", origin,
                       "install the CUDA toolkit or `pip install nvidia-cuda-nvrtc`, or name the file: --nvrtc FILE");
  const std::string list = describe(found);
  std::vector<NvrtcCandidate> usable;
  for (const auto& one : found)
    if (one.problem.empty()) usable.push_back(one);
  if (usable.empty()) throw MachineError("no usable NVRTC; found:" + list, origin, "name another: --nvrtc FILE");
  std::vector<NvrtcCandidate> loadable;
  for (const auto& one : usable)
    if (loads_on(one, cuda_driver)) loadable.push_back(one);
  if (loadable.empty())
    throw MachineError(fmt::format("every NVRTC is newer than the driver, which is for CUDA {}.{}; found:{}",
                                   cuda_driver / 1000, cuda_driver % 1000 / 10, list),
                       origin, fmt::format("install NVRTC {} or a newer driver", cuda_driver / 1000));
  for (const auto& one : loadable)
    if (knows(one, arch)) return one;
  fail_for_arch(loadable, arch, origin, list);
}

NvrtcCandidate choose_nvrtc(const std::string& wanted, int arch, int cuda_driver) {
  std::string origin;
  if (!wanted.empty())
    origin = "--nvrtc";
  else if (!named({}).empty())
    origin = "$TUNER_NVRTC";
  return choose_from(find_nvrtc(wanted), arch, cuda_driver, origin);
}

}  // namespace tuner::compile
