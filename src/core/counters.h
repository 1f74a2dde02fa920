// What a profiler counted while it ran a configuration once. Never times: it replays a launch many times, with caches
// that it flushes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tuner {

// The range (NVTX) around the launches of one configuration that was asked for by itself, and nothing else: a worker
// names it, a profiler looks for it.
inline constexpr const char* candidate_range = "tuner candidate";

// Of one launch, by the profiler's own names of metrics.
struct LaunchCounters {
  std::string entry;                                        // the __global__ that was launched
  std::vector<std::pair<std::string, double>> values;       // in the profiler's base units
  std::vector<std::pair<std::string, std::string>> absent;  // what was asked and not counted, and why

  std::optional<double> find(std::string_view metric) const;
  bool operator==(const LaunchCounters&) const = default;
};

struct Counters {
  std::string profiler;                  // "ncu 2025.3.1.0"
  std::string driver;                    // of the GPU; empty: unknown
  std::string cubin_hash;                // of the binary that was run; empty: unknown
  std::string counted_at;                // UTC, ISO 8601; set by the store where it is empty
  std::vector<LaunchCounters> launches;  // in the order of the execution
  bool operator==(const Counters&) const = default;
};

std::string to_json(const std::vector<LaunchCounters>& launches);
// Throws UserError on anything else than to_json writes.
std::vector<LaunchCounters> launch_counters_from_json(std::string_view text);

}  // namespace tuner
