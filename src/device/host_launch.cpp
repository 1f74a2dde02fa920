#include "device/host_launch.h"

#include <cstring>

namespace tuner::device {
namespace {

tuner_simt::Index3 index_of(const Dim3& dim) {
  return {static_cast<unsigned>(dim.x), static_cast<unsigned>(dim.y), static_cast<unsigned>(dim.z)};
}

// A byte that repeated gives ordinary finite numbers in every floating type.
int pattern_of(std::uint64_t seed) { return static_cast<int>(0x30 + seed * 7 % 13); }

void overwrite_shared(const HostLaunch& launch) {
  const int pattern = pattern_of(launch.order_seed);
  if (launch.static_shared_bytes > 0)
    std::memset(launch.static_shared, pattern, static_cast<std::size_t>(launch.static_shared_bytes));
  if (launch.step->shared_bytes > 0)
    std::memset(launch.dynamic_shared, pattern, static_cast<std::size_t>(launch.step->shared_bytes));
}

}  // namespace

bool run_blocks(HostBlock& threads, const HostLaunch& launch) {
  HostBlock::Work work;
  work.call = launch.entry->call;
  work.arguments = launch.arguments;
  work.grid_size = index_of(launch.step->grid);
  work.block_size = index_of(launch.step->block);
  work.order_seed = launch.order_seed;
  work.dynamic_shared = launch.dynamic_shared;
  threads.begin(work);
  const Dim3& grid = launch.step->grid;
  const std::int64_t blocks = grid.x * grid.y * grid.z;
  for (std::int64_t i = 0; i < blocks; ++i) {
    const std::int64_t block = launch.order_seed % 2 == 1 ? blocks - 1 - i : i;
    overwrite_shared(launch);
    if (!threads.run(index_of({block % grid.x, block / grid.x % grid.y, block / grid.x / grid.y}))) return false;
  }
  return true;
}

}  // namespace tuner::device
