#include "compile/occupancy.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>

#include "core/simt_abi.h"

namespace tuner::compile {
namespace {

// The same on every architecture from sm_75 on, unless a function says otherwise.
constexpr int kRegisterGranularity = 256;  // a warp's registers
constexpr int kPartitions = 4;             // of an SM; each has its own registers
constexpr std::int64_t kMaxGridX = 2147483647;
constexpr std::int64_t kMaxGridYZ = 65535;
constexpr std::int64_t kMaxBlockZ = 64;

std::int64_t shared_granularity(const GpuFacts& gpu) { return gpu.arch < 80 ? 256 : 128; }

std::int64_t round_up(std::int64_t value, std::int64_t step) { return (value + step - 1) / step * step; }

std::int64_t threads_of(const Step& launch) { return launch.block.x * launch.block.y * launch.block.z; }

std::int64_t warps_of(const Step& launch, const GpuFacts& gpu) {
  return (threads_of(launch) + gpu.warp_size - 1) / gpu.warp_size;
}

std::int64_t registers_of_warp(const KernelAttributes& kernel, const GpuFacts& gpu) {
  return round_up(std::int64_t{kernel.registers} * gpu.warp_size, kRegisterGranularity);
}

// What the launch check counts: warps are assumed to come in fours.
std::int64_t registers_assumed(const KernelAttributes& kernel, const Step& launch, const GpuFacts& gpu) {
  return registers_of_warp(kernel, gpu) * round_up(warps_of(launch, gpu), kPartitions);
}

std::int64_t blocks_by_warps(const Step& launch, const GpuFacts& gpu) {
  if (threads_of(launch) > gpu.max_threads_per_block) return 0;
  return gpu.max_threads_per_sm / gpu.warp_size / warps_of(launch, gpu);
}

std::int64_t blocks_by_registers(const KernelAttributes& kernel, const Step& launch, const GpuFacts& gpu) {
  const std::int64_t of_warp = registers_of_warp(kernel, gpu);
  if (of_warp == 0) return std::numeric_limits<int>::max();
  if (registers_assumed(kernel, launch, gpu) > gpu.registers_per_block) return 0;
  const std::int64_t warps = gpu.registers_per_sm / kPartitions / of_warp * kPartitions;
  return warps / warps_of(launch, gpu);
}

std::int64_t blocks_by_shared(const KernelAttributes& kernel, const Step& launch, const GpuFacts& gpu) {
  const std::int64_t block = round_up(kernel.static_shared_bytes + gpu.reserved_shared_per_block + launch.shared_bytes,
                                      shared_granularity(gpu));
  if (block == 0) return std::numeric_limits<int>::max();
  if (block > gpu.shared_max + gpu.reserved_shared_per_block) return 0;
  return gpu.shared_per_sm / block;
}

Verdict rejected(Reason reason, std::string detail) {
  Verdict verdict;
  verdict.reason = reason;
  verdict.detail = std::move(detail);
  return verdict;
}

std::optional<Verdict> outside_limits(const Step& launch, const GpuFacts& gpu) {
  const auto check = [](const char* what, std::int64_t value, std::int64_t limit) -> std::optional<Verdict> {
    if (value >= 1 && value <= limit) return std::nullopt;
    return rejected(Reason::grid, fmt::format("{} is {}, allowed are 1 to {}", what, value, limit));
  };
  if (auto bad = check("grid x", launch.grid.x, kMaxGridX)) return bad;
  if (auto bad = check("grid y", launch.grid.y, kMaxGridYZ)) return bad;
  if (auto bad = check("grid z", launch.grid.z, kMaxGridYZ)) return bad;
  const auto most = std::int64_t{gpu.max_threads_per_block};
  for (const auto size : {launch.block.x, launch.block.y, launch.block.z})
    if (size < 1 || size > most)
      return rejected(Reason::threads, fmt::format("a block of {} x {} x {} threads, allowed are 1 to {} in all",
                                                   launch.block.x, launch.block.y, launch.block.z, most));
  if (threads_of(launch) > most)
    return rejected(Reason::threads,
                    fmt::format("{} threads a block, at most {} are allowed", threads_of(launch), most));
  if (launch.block.z > kMaxBlockZ)
    return rejected(Reason::threads, fmt::format("block z is {}, at most {} is allowed", launch.block.z, kMaxBlockZ));
  return std::nullopt;
}

// Blocks; beyond 8 it is not portable and opted in to.
std::int64_t most_in_cluster(const GpuFacts& gpu) { return gpu.arch / 10 == 9 || gpu.arch / 10 == 10 ? 16 : 8; }

std::optional<Verdict> bad_cluster(const Step& launch, const GpuFacts& gpu) {
  const Dim3& cluster = launch.cluster;
  if (cluster == Dim3{}) return std::nullopt;
  const auto text = fmt::format("a cluster of {} x {} x {} blocks", cluster.x, cluster.y, cluster.z);
  const std::int64_t most = most_in_cluster(gpu);
  if (gpu.arch < 90)
    return rejected(Reason::grid, fmt::format("{}: {} has no clusters, sm_90 is the first", text, arch_text(gpu.arch)));
  for (const auto size : {cluster.x, cluster.y, cluster.z})
    if (size < 1 || size > most)
      return rejected(Reason::grid, fmt::format("{}, allowed are 1 to {} in all", text, most));
  if (cluster.x * cluster.y * cluster.z > most)
    return rejected(Reason::grid, fmt::format("{}, at most {} in all are allowed", text, most));
  if (launch.grid.x % cluster.x != 0 || launch.grid.y % cluster.y != 0 || launch.grid.z % cluster.z != 0)
    return rejected(Reason::grid, fmt::format("{} does not divide the grid of {} x {} x {}", text, launch.grid.x,
                                              launch.grid.y, launch.grid.z));
  return std::nullopt;
}

// A grid that synchronises must be resident as a whole.
std::optional<Verdict> not_resident(const KernelAttributes& kernel, const Step& launch, const GpuFacts& gpu) {
  if (!launch.cooperative || gpu.sm_count == 0) return std::nullopt;
  const Occupancy each = occupancy(kernel, launch, gpu);
  const std::int64_t fit = std::int64_t{each.blocks_per_sm} * gpu.sm_count;
  const std::int64_t plane = launch.grid.x * launch.grid.y;  // below 2^47
  std::int64_t blocks = 0;
  if (!__builtin_mul_overflow(plane, launch.grid.z, &blocks) && blocks <= fit) return std::nullopt;
  return rejected(Reason::grid,
                  fmt::format("a cooperative grid of {} x {} x {} blocks, {} are resident at once ({} a "
                              "multiprocessor, limited by {})",
                              launch.grid.x, launch.grid.y, launch.grid.z, fit, each.blocks_per_sm, each.limiter));
}

std::optional<Verdict> too_big(const KernelAttributes& kernel, const Step& launch, const GpuFacts& gpu) {
  if (kernel.max_threads > 0 && threads_of(launch) > kernel.max_threads)
    return rejected(Reason::threads, fmt::format("{} threads a block, '{}' was compiled for at most {}",
                                                 threads_of(launch), kernel.entry, kernel.max_threads));
  const std::int64_t shared = kernel.static_shared_bytes + launch.shared_bytes;
  if (launch.shared_bytes < 0 || shared > gpu.shared_max)
    return rejected(Reason::shared_memory,
                    fmt::format("{} bytes of shared memory a block ({} static, {} dynamic), at most {} are allowed",
                                shared, kernel.static_shared_bytes, launch.shared_bytes, gpu.shared_max));
  const std::int64_t registers = registers_assumed(kernel, launch, gpu);
  if (blocks_by_registers(kernel, launch, gpu) == 0)
    return rejected(Reason::registers,
                    fmt::format("{} registers a thread x {} threads take {}, a block may have {}", kernel.registers,
                                threads_of(launch), registers, gpu.registers_per_block));
  return std::nullopt;
}

// What the host device cannot hold would pass unchecked.
std::optional<Verdict> not_emulated(const Step& launch) {
  const Dim3& grid = launch.grid;
  if (!launch.cooperative) return std::nullopt;
  const std::int64_t most = tuner_simt::most_threads / threads_of(launch), plane = grid.x * grid.y;  // below 2^47
  if (plane <= most && plane * grid.z <= most) return std::nullopt;
  return rejected(Reason::launch_error,
                  fmt::format("cannot be checked on the host device: the cooperative launch of '{}' has {} x {} x {} "
                              "blocks of {} threads, and {} threads are the most that live at once there",
                              launch.entry, grid.x, grid.y, grid.z, threads_of(launch),
                              static_cast<int>(tuner_simt::most_threads)));
}

}  // namespace

Occupancy occupancy(const KernelAttributes& kernel, const Step& launch, const GpuFacts& gpu) {
  if (outside_limits(launch, gpu)) return {0, 0, "warps"};
  struct Limit {
    std::int64_t blocks;
    const char* name;
  };
  const std::array<Limit, 4> limits{{{blocks_by_warps(launch, gpu), "warps"},
                                     {std::int64_t{gpu.max_blocks_per_sm}, "blocks"},
                                     {blocks_by_registers(kernel, launch, gpu), "registers"},
                                     {blocks_by_shared(kernel, launch, gpu), "shared memory"}}};
  const auto least =
      std::min_element(limits.begin(), limits.end(), [](const auto& a, const auto& b) { return a.blocks < b.blocks; });
  Occupancy result;
  result.blocks_per_sm = static_cast<int>(least->blocks);
  result.limiter = least->name;
  const double warps = static_cast<double>(least->blocks * warps_of(launch, gpu));
  result.occupancy = std::min(1.0, warps / (static_cast<double>(gpu.max_threads_per_sm) / gpu.warp_size));
  return result;
}

std::optional<Verdict> not_at_once(const Artifact& artifact, const Execution& execution, const GpuFacts& gpu) {
  for (const auto& step : execution.steps) {
    if (step.kind != Step::Kind::launch) continue;
    const auto* kernel = artifact.find(step.entry);
    if (artifact.host_index >= 0) {
      if (auto bad = not_emulated(step)) return bad;
    } else if (kernel != nullptr) {
      if (auto bad = not_resident(*kernel, step, gpu)) return bad;
    }
  }
  return std::nullopt;
}

std::optional<Verdict> cannot_run(const Artifact& artifact, const Execution& execution, const GpuFacts& gpu) {
  for (const auto& step : execution.steps) {
    if (step.kind != Step::Kind::launch) continue;
    if (auto bad = outside_limits(step, gpu)) return bad;
    if (auto bad = bad_cluster(step, gpu)) return bad;
    const auto* kernel = artifact.find(step.entry);
    if (kernel == nullptr) continue;
    if (auto bad = too_big(*kernel, step, gpu)) return bad;
  }
  return not_at_once(artifact, execution, gpu);
}

}  // namespace tuner::compile
