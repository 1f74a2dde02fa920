#include "device/host_shared.h"

#include <cassert>
#include <cstring>
#include <utility>

namespace tuner::device {
namespace {

constexpr std::size_t alignment = 128;  // no object in shared memory needs more

// Whether `bytes` from `at` on are within the `size` from `begin` on.
bool holds(const char* begin, std::int64_t size, const char* at, std::int64_t bytes) {
  const std::int64_t offset = at - begin;
  return begin != nullptr && offset >= 0 && bytes <= size && offset <= size - bytes;
}

}  // namespace

void HostShared::begin(Memory memory) {
  assert(!memory.dynamic.empty());
  memory_ = std::move(memory);
  current_ = 0;
  const std::size_t blocks = memory_.dynamic.size();
  stride_ = (static_cast<std::size_t>(memory_.static_bytes) + alignment - 1) / alignment * alignment;
  kept_.resize(blocks > 1 ? blocks * stride_ + alignment : 0);
  const auto phase =
      reinterpret_cast<std::uintptr_t>(memory_.static_begin) - reinterpret_cast<std::uintptr_t>(kept_.data());
  first_kept_ = kept_.data() + phase % alignment;
}

void HostShared::overwrite(int byte) {
  if (!kept_.empty()) std::memset(kept_.data(), byte, kept_.size());
  if (memory_.static_bytes > 0) std::memset(memory_.static_begin, byte, static_cast<std::size_t>(memory_.static_bytes));
  if (memory_.dynamic_bytes == 0) return;
  for (char* each : memory_.dynamic) std::memset(each, byte, static_cast<std::size_t>(memory_.dynamic_bytes));
}

void HostShared::enter(std::size_t block) {
  if (block == current_) return;
  const auto bytes = static_cast<std::size_t>(memory_.static_bytes);
  if (bytes > 0) {
    std::memcpy(kept(current_), memory_.static_begin, bytes);
    std::memcpy(memory_.static_begin, kept(block), bytes);
  }
  current_ = block;
}

char* HostShared::while_running(void* own, std::size_t block) {
  char* const at = static_cast<char*>(own);
  return holds(dynamic(), memory_.dynamic_bytes, at, 1) ? memory_.dynamic[block] + (at - dynamic()) : at;
}

char* HostShared::of_block(const void* own, std::size_t block, std::int64_t bytes) {
  const char* const at = static_cast<const char*>(own);
  if (holds(memory_.static_begin, memory_.static_bytes, at, bytes)) {
    char* const begin = block == current_ ? memory_.static_begin : kept(block);
    return begin + (at - memory_.static_begin);
  }
  if (holds(dynamic(), memory_.dynamic_bytes, at, bytes)) return memory_.dynamic[block] + (at - dynamic());
  return nullptr;
}

}  // namespace tuner::device
