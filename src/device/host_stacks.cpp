#include "device/host_stacks.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "core/error.h"

namespace tuner::device {
namespace {

std::size_t guard_page_bytes() {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace

// Nothing allocates in the middle of a run: it may be left at any instruction.
HostStacks::HostStacks() {
  stacks_.reserve(most);
  free_.reserve(most);
}

HostStacks::~HostStacks() {
  for (std::byte* stack : stacks_) ::munmap(stack, guard_page_bytes() + stack_bytes);
}

int HostStacks::take() {
  if (free_.empty()) {
    void* stack = ::mmap(nullptr, guard_page_bytes() + stack_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED || ::mprotect(stack, guard_page_bytes(), PROT_NONE) != 0)
      throw MachineError("out of memory for the stacks of emulated threads");
    stacks_.push_back(static_cast<std::byte*>(stack));
    return static_cast<int>(stacks_.size()) - 1;
  }
  const int stack = free_.back();
  free_.pop_back();
  return stack;
}

void HostStacks::reclaim() {
  free_.clear();
  for (std::size_t i = stacks_.size(); i-- > 0;) free_.push_back(static_cast<int>(i));
}

void* HostStacks::top(int stack) const {
  return stacks_[static_cast<std::size_t>(stack)] + guard_page_bytes() + stack_bytes;
}

bool HostStacks::is_below_a_stack(std::uint64_t address) const {
  return std::any_of(stacks_.begin(), stacks_.end(), [&](const std::byte* stack) {
    return address - reinterpret_cast<std::uint64_t>(stack) < guard_page_bytes();
  });
}

}  // namespace tuner::device
