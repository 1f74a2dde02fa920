#include "store/process_mark.h"

#include <unistd.h>

#include <fstream>
#include <sstream>

namespace tuner::store {
namespace {

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

// Field 22 of /proc/<pid>/stat, in clock ticks since the boot; the name in field 2 may hold spaces. Empty: no process.
std::string start_of(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string line;
  std::getline(file, line);
  const auto end = line.rfind(')');
  if (end == std::string::npos) return {};
  std::istringstream rest(line.substr(end + 1));
  std::string field;
  for (int i = 3; i <= 22; ++i) rest >> field;
  return field;
}

}  // namespace

std::string this_process() {
  const std::string pid = std::to_string(::getpid());
  return boot_id() + " " + pid + " " + start_of(pid);
}

bool is_running(const std::string& mark) {
  std::istringstream parts(mark);
  std::string boot;
  std::string pid;
  std::string start;
  parts >> boot >> pid >> start;
  return !pid.empty() && boot == boot_id() && start == start_of(pid);
}

bool is_of_another_boot(const std::string& mark) {
  const std::string now = boot_id();
  return mark.size() > now.size() && mark.compare(0, now.size(), now) != 0;
}

}  // namespace tuner::store
