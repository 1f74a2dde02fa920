// One launch on the host device: its blocks, in sets of those that live at once, one set after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/execution.h"
#include "core/simt_abi.h"
#include "device/host_blocks.h"

namespace tuner::device {

struct HostLaunch {
  const tuner_simt::Entry* entry = nullptr;
  void* const* arguments = nullptr;
  const Step* step = nullptr;
  std::uint64_t order_seed = 0;
  HostShared::Memory shared;
  std::function<void(bool open)> gate = {};  // as of HostBlocks::Work
};

// Blocks of this launch that live at once: one, a cluster, or where it is cooperative all.
std::int64_t blocks_at_once(const Step& step);

// Makes ready for run_blocks, which allocates nothing.
void prepare_blocks(HostBlocks& blocks, const HostLaunch& launch);

// False when a block cannot end. Shared memory holds a pattern before every block, another one in another order, so
// that what reads it unwritten is seen to depend on it. Odd seeds run the blocks backwards.
bool run_blocks(HostBlocks& blocks, const HostLaunch& launch);

}  // namespace tuner::device
