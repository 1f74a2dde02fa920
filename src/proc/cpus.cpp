#include "proc/cpus.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "proc/pool.h"

namespace tuner::proc {
namespace {

std::optional<std::string> first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

std::optional<double> quota(const std::string& folder) {
  if (const auto both = first_line(folder + "/cpu.max")) {  // version 2: "200000 100000" or "max 100000"
    std::istringstream words(*both);
    double amount = 0;
    double period = 0;
    if (words >> amount >> period && amount > 0 && period > 0) return amount / period;
    return std::nullopt;
  }
  const auto amount = first_line(folder + "/cpu.cfs_quota_us");  // version 1: -1 for none
  const auto period = first_line(folder + "/cpu.cfs_period_us");
  if (!amount || !period) return std::nullopt;
  double numerator = 0, denominator = 0;
  std::from_chars(amount->data(), amount->data() + amount->size(), numerator);
  std::from_chars(period->data(), period->data() + period->size(), denominator);
  if (numerator <= 0 || denominator <= 0) return std::nullopt;
  return numerator / denominator;
}

bool has_word(std::string_view list, std::string_view word) {
  std::istringstream words{std::string(list)};
  std::string one;
  while (std::getline(words, one, ','))
    if (one == word) return true;
  return false;
}

// In a container the path named may lie outside what is mounted: then the root holds the limit.
std::optional<double> least_up_to(const std::string& mount, std::string path) {
  std::optional<double> least;
  for (;;) {
    if (const auto here = quota(mount + path)) least = least ? std::min(*least, *here) : *here;
    if (path.empty()) return least;
    path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  }
}

int affinity_cpus() {
  for (int size = 1024; size <= 1 << 20; size *= 4) {
    cpu_set_t* set = CPU_ALLOC(size);
    const std::size_t bytes = CPU_ALLOC_SIZE(size);
    const bool known = sched_getaffinity(0, bytes, set) == 0;
    const int count = known ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (count > 0) return count;
  }
  return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

std::optional<double> cgroup_cpus(const std::string& root, std::string_view membership) {
  std::optional<double> least;
  std::istringstream lines{std::string(membership)};
  std::string line;
  while (std::getline(lines, line)) {  // "0::/user.slice" or "4:cpu,cpuacct:/docker/ab"
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    if (path == "/" || path.find("..") != std::string::npos) path.clear();
    std::vector<std::string> mounts;
    if (controllers.empty())
      mounts = {root, root + "/unified"};
    else if (has_word(controllers, "cpu"))
      mounts = {root + "/" + controllers, root + "/cpu"};
    for (const auto& mount : mounts)
      if (const auto here = least_up_to(mount, path)) least = least ? std::min(*least, *here) : *here;
  }
  return least;
}

int usable_cpus() {
  int cpus = std::max(affinity_cpus(), 1);
  std::ifstream file("/proc/self/cgroup");
  std::ostringstream membership;
  membership << file.rdbuf();
  if (const auto granted = cgroup_cpus("/sys/fs/cgroup", membership.str()))
    cpus = std::min(cpus, std::max(1, static_cast<int>(std::ceil(*granted - 1e-9))));
  return cpus;
}

}  // namespace tuner::proc
