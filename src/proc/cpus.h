// How many CPUs a control group grants.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tuner::proc {

// The least quota of the group that `membership` (the text of /proc/self/cgroup) names and of those above it, read
// below `root` ("/sys/fs/cgroup"); versions 1 and 2. Empty: no limit.
std::optional<double> cgroup_cpus(const std::string& root, std::string_view membership);

}  // namespace tuner::proc
