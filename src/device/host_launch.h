// One launch on the host device: its blocks, one after the other.
#pragma once

#include <cstdint>

#include "core/execution.h"
#include "core/simt_abi.h"
#include "device/host_block.h"

namespace tuner::device {

struct HostLaunch {
  const tuner_simt::Entry* entry = nullptr;
  void* const* arguments = nullptr;
  const Step* step = nullptr;
  std::uint64_t order_seed = 0;
  char* static_shared = nullptr;
  std::int64_t static_shared_bytes = 0;
  char* dynamic_shared = nullptr;
};

// False when a block cannot end. Shared memory holds a pattern before every block, another one in another order, so
// that what reads it unwritten is seen to depend on it. Odd seeds run the blocks backwards.
bool run_blocks(HostBlock& threads, const HostLaunch& launch);

}  // namespace tuner::device
