#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>

#include "core/error.h"
#include "profile/ncu.h"

namespace tuner::profile {
namespace {

namespace fs = std::filesystem;

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

// Where Nsight Compute puts itself, which no toolkit's bin need know of.
std::vector<std::string> own_places() {
  std::vector<std::string> all;
  for (const std::string& folder : versions_in("/opt/nvidia/nsight-compute", "")) all.push_back(folder + "/ncu");
  for (const std::string& cuda : versions_in("/usr/local", "cuda"))
    for (const std::string& folder : versions_in(cuda, "nsight-compute")) all.push_back(folder + "/ncu");
  return all;
}

}  // namespace

// It says "Version 2025.3.1.0 (build 36398880) (public-release)".
Ncu find_ncu() {
  return proc::find_toolkit_program(
      {"ncu", "TUNER_NCU", "Version ", own_places(),
       "not found in $CUDA_HOME/bin, PATH, /usr/local/cuda or /opt/nvidia/nsight-compute"});
}

Ncu choose_ncu() {
  Ncu ncu = find_ncu();
  if (ncu.problem.empty()) return ncu;
  throw MachineError("counters are read by ncu (Nsight Compute), and none is usable: " +
                         (ncu.path.empty() ? "" : ncu.path + ": ") + ncu.problem,
                     proc::environment("TUNER_NCU").empty() ? "" : "$TUNER_NCU",
                     "install Nsight Compute, which every CUDA toolkit has, or name its ncu in $TUNER_NCU");
}

}  // namespace tuner::profile
