// What identifies a GPU and limits what runs on it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tuner {

struct GpuFacts {
  // Identity: two GPUs of one model share it.
  std::string name;  // "NVIDIA H200"; "host" for the emulated device
  int arch = 0;      // compute capability as major * 10 + minor: 75, 90
  int sm_count = 0;  // 0 when unknown (an architecture with no device)
  std::int64_t memory_bytes = 0;
  std::string mig_profile;  // empty when MIG is off
  // Limits.
  int warp_size = 32;
  int max_threads_per_block = 1024;
  int max_threads_per_sm = 0;
  int max_blocks_per_sm = 0;
  int registers_per_sm = 0;
  int registers_per_block = 0;
  std::int64_t shared_per_block = 49152;       // bytes, without opting in
  std::int64_t shared_max = 0;                 // bytes a block may opt in to
  std::int64_t shared_per_sm = 0;              // bytes
  std::int64_t reserved_shared_per_block = 0;  // bytes
  std::int64_t l2_bytes = 0;
  int memory_bus_bits = 0;
  int memory_clock_khz = 0;
  int sm_clock_khz = 0;
  // This machine; recorded, not part of the identity.
  std::string uuid;
  std::string driver;     // "580.159.04"; empty when NVML does not answer
  int cuda_driver = 0;    // 13000 for CUDA 13.0
  int power_limit_w = 0;  // 0 when unknown
  bool ecc = false;
  bool display = false;  // a kernel time-out is on
};

// "sm_90".
std::string arch_text(int arch);
// "sm_90", "90" or "9.0" -> 90. Empty when it is none of these.
std::optional<int> arch_from_text(std::string_view text);

// The limits of an architecture with no device at hand (CUDA programming guide, table "technical specifications per
// compute capability"); name is "sm_90", sm_count 0. Throws UserError for an architecture older than sm_75 or unknown.
GpuFacts gpu_of_arch(int arch);

std::string to_json(const GpuFacts& gpu);
GpuFacts gpu_from_json(std::string_view text);

}  // namespace tuner
