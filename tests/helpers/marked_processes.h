// Processes found by what their environment holds: those of one run of the tool, whoever their parent is now.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace tuner {

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Those whose environment holds `mark`; zombies have none.
inline std::vector<int> marked(const std::string& mark) {
  std::vector<int> pids;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (contents(entry.path() / "environ").find(mark) != std::string::npos) pids.push_back(std::stoi(name));
  }
  return pids;
}

// The words of its command, each ended by a zero byte.
inline std::string command_of(int pid) { return contents("/proc/" + std::to_string(pid) + "/cmdline"); }

// Those that are left after five seconds.
inline std::vector<int> still_running(const std::string& mark) {
  for (int waited = 0; waited < 100 && !marked(mark).empty(); ++waited)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  return marked(mark);
}

}  // namespace tuner
