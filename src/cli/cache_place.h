// Where compiled kernels are kept when the usual place cannot be written.
#pragma once

#include <string>

#include "cli/commands.h"

namespace tuner::cli {

// The folder of the cache where it can be written, else one of ours in `temporary` (empty where that cannot be either).
// `warning` says why, and is empty where nothing is to be said.
struct CachePlace {
  std::string folder;
  std::string warning;
};
CachePlace find_cache_place(const std::string& wanted, const std::string& temporary);

// The same for this process; the warning goes to stderr.
std::string cache_folder(const Context& context);

}  // namespace tuner::cli
