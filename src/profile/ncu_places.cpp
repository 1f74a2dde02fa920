#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "core/error.h"
#include "proc/child.h"
#include "profile/ncu.h"

namespace tuner::profile {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// The folders of `folder` whose names begin like this, the newest version first.
std::vector<std::string> versions_in(const fs::path& folder, const std::string& prefix) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure))
    if (at->path().filename().string().rfind(prefix, 0) == 0) names.push_back(at->path().string());
  // 2025.10 after 2025.9: longer runs of digits are larger.
  const auto key = [](const std::string& name) {
    std::vector<long> numbers;
    for (std::size_t i = 0; i < name.size(); ++i) {
      if (std::isdigit(static_cast<unsigned char>(name[i])) == 0) continue;
      long number = 0;
      const char* const text = name.data();
      const auto [end, error] = std::from_chars(text + i, text + name.size(), number);
      numbers.push_back(error == std::errc() ? number : 0);
      i = static_cast<std::size_t>(end - text);
    }
    return numbers;
  };
  std::sort(names.begin(), names.end(), [&key](const auto& a, const auto& b) { return key(a) > key(b); });
  return names;
}

std::vector<std::string> places() {
  std::vector<std::string> all;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto root = variable(name); !root.empty()) all.push_back(root + "/bin/ncu");
  std::istringstream listed(variable("PATH"));
  for (std::string folder; std::getline(listed, folder, ':');)
    if (!folder.empty()) all.push_back(folder + "/ncu");
  all.emplace_back("/usr/local/cuda/bin/ncu");
  for (const std::string& folder : versions_in("/opt/nvidia/nsight-compute", "")) all.push_back(folder + "/ncu");
  for (const std::string& cuda : versions_in("/usr/local", "cuda"))
    for (const std::string& folder : versions_in(cuda, "nsight-compute")) all.push_back(folder + "/ncu");
  return all;
}

// "2025.3.1.0" of "Version 2025.3.1.0 (build 36398880) (public-release)".
std::string version_in(const std::string& text) {
  constexpr std::string_view word = "Version ";
  const auto at = text.find(word);
  if (at == std::string::npos) return {};
  auto end = at + word.size();
  while (end < text.size() && (std::isdigit(static_cast<unsigned char>(text[end])) != 0 || text[end] == '.')) ++end;
  return text.substr(at + word.size(), end - at - word.size());
}

Ncu ask(const std::string& path) {
  Ncu ncu{path, {}, {}};
  if (::access(path.c_str(), X_OK) != 0 || fs::is_directory(path)) {
    ncu.problem = "no such program";
    return ncu;
  }
  try {
    ncu.version = version_in(proc::run({path, "--version"}, {}, std::chrono::seconds(30), {}).out);
  } catch (const MachineError& failure) {
    ncu.problem = failure.what();
  }
  if (ncu.version.empty() && ncu.problem.empty()) ncu.problem = "it does not say its version";
  return ncu;
}

}  // namespace

Ncu find_ncu() {
  if (const auto named = variable("TUNER_NCU"); !named.empty()) return ask(named);
  std::error_code error;
  for (const auto& path : places())
    if (::access(path.c_str(), X_OK) == 0 && !fs::is_directory(path, error)) return ask(path);
  return {{}, {}, "not found in $CUDA_HOME/bin, PATH, /usr/local/cuda or /opt/nvidia/nsight-compute"};
}

Ncu choose_ncu() {
  Ncu ncu = find_ncu();
  if (ncu.problem.empty()) return ncu;
  throw MachineError("counters are read by ncu (Nsight Compute), and none is usable: " +
                         (ncu.path.empty() ? "" : ncu.path + ": ") + ncu.problem,
                     variable("TUNER_NCU").empty() ? "" : "$TUNER_NCU",
                     "install Nsight Compute, which every CUDA toolkit has, or name its ncu in $TUNER_NCU");
}

}  // namespace tuner::profile
