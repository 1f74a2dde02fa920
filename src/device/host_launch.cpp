#include "device/host_launch.h"

#include <utility>

namespace tuner::device {
namespace {

tuner_simt::Index3 index_of(const Dim3& dim) {
  return {static_cast<unsigned>(dim.x), static_cast<unsigned>(dim.y), static_cast<unsigned>(dim.z)};
}

std::int64_t volume(const Dim3& dim) { return dim.x * dim.y * dim.z; }

// The element of a grid of this size that is number `i`.
Dim3 element(const Dim3& size, std::int64_t i) { return {i % size.x, i / size.x % size.y, i / size.x / size.y}; }

// A byte that repeated gives ordinary finite numbers in every floating type.
int pattern_of(std::uint64_t seed) { return static_cast<int>(0x30 + seed * 7 % 13); }

// Block number `i` of a launch, counted cluster after cluster.
tuner_simt::Index3 block_of(const Step& step, std::int64_t i) {
  const Dim3 &grid = step.grid, &size = step.cluster;
  const Dim3 cluster = element({grid.x / size.x, grid.y / size.y, grid.z / size.z}, i / volume(size));
  const Dim3 rank = element(size, i % volume(size));
  return index_of({cluster.x * size.x + rank.x, cluster.y * size.y + rank.y, cluster.z * size.z + rank.z});
}

}  // namespace

std::int64_t blocks_at_once(const Step& step) { return volume(step.cooperative ? step.grid : step.cluster); }

void prepare_blocks(HostBlocks& blocks, const HostLaunch& launch) {
  HostBlocks::Work work;
  work.call = launch.entry->call;
  work.arguments = launch.arguments;
  work.grid_size = index_of(launch.step->grid);
  work.block_size = index_of(launch.step->block);
  work.cluster_size = index_of(launch.step->cluster);
  work.cooperative = launch.step->cooperative;
  work.order_seed = launch.order_seed;
  work.shared = launch.shared;
  work.gate = launch.gate;
  blocks.begin(std::move(work));
}

bool run_blocks(HostBlocks& blocks, const HostLaunch& launch) {
  const std::int64_t at_once = blocks_at_once(*launch.step), sets = volume(launch.step->grid) / at_once;
  const int pattern = pattern_of(launch.order_seed);
  for (std::int64_t i = 0; i < sets; ++i) {
    const std::int64_t set = launch.order_seed % 2 == 1 ? sets - 1 - i : i;
    for (std::int64_t block = 0; block < at_once; ++block)
      blocks.place(block, block_of(*launch.step, set * at_once + block));
    if (!blocks.run(pattern)) return false;
  }
  return true;
}

}  // namespace tuner::device
