// Stacks for the threads that live at once, kept and reused: making them costs more than running a thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/simt_abi.h"

namespace tuner::device {

class HostStacks {
 public:
  static constexpr std::size_t stack_bytes = 64 * 1024;
  static constexpr std::size_t most = tuner_simt::most_threads;

  HostStacks();
  HostStacks(const HostStacks&) = delete;
  HostStacks& operator=(const HostStacks&) = delete;
  ~HostStacks();

  // The number of a free stack, made when there is none. Throws MachineError when memory is out.
  int take();
  void give_back(int stack) { free_.push_back(stack); }
  // All are free again, whoever had them.
  void reclaim();
  // A stack grows down from here.
  void* top(int stack) const;
  // Whether `address` lies in the inaccessible page under a stack.
  bool is_below_a_stack(std::uint64_t address) const;

 private:
  std::vector<std::byte*> stacks_;  // each with its inaccessible page in front
  std::vector<int> free_;           // the one last given back is the first taken: it is in the cache
};

}  // namespace tuner::device
