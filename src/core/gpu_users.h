// Who else uses a GPU, as far as can be seen from here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tuner {

struct GpuProcess {
  int pid = 0;
  std::string name;               // empty: not visible from here, as out of a container
  std::int64_t memory_bytes = 0;  // of the GPU; 0 when unknown
};

struct GpuUsers {
  // Those that compute, and those that only draw but hold much memory. A display server is none of them.
  std::vector<GpuProcess> processes;
  int utilization_percent = 0;  // over the last moments; 0 where nobody says
  bool mps = false;             // a Multi-Process Service serves this GPU
};

std::string to_json(const GpuUsers& users);
GpuUsers gpu_users_from_json(std::string_view text);

}  // namespace tuner
