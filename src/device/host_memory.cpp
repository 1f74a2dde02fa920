#include "device/host_memory.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>

namespace tuner::device {
namespace {

// Inaccessible on either side of a buffer: an index that is off by a row still falls into it.
constexpr std::int64_t moat_bytes = std::int64_t{16} << 20;

std::int64_t page_bytes() {
  static const std::int64_t bytes = ::sysconf(_SC_PAGESIZE);
  return bytes;
}

}  // namespace

HostMemory::~HostMemory() {
  for (const auto& [reserved, buffer] : buffers_)
    ::munmap(reinterpret_cast<void*>(reserved), static_cast<std::size_t>(buffer.reserved_bytes));
}

Address HostMemory::allocate(std::int64_t bytes, Placement placement) {
  assert(bytes >= 0);
  const std::int64_t page = page_bytes();
  const std::int64_t pages = (std::max<std::int64_t>(bytes, 1) + page - 1) / page * page;
  Buffer buffer;
  buffer.bytes = bytes;
  buffer.reserved_bytes = pages + 2 * moat_bytes;
  void* reserved = ::mmap(nullptr, static_cast<std::size_t>(buffer.reserved_bytes), PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) throw MachineError(fmt::format("out of memory: {} bytes were wanted", bytes));
  buffer.reserved = reinterpret_cast<Address>(reserved);
  const Address start = buffer.reserved + moat_bytes;
  if (::mprotect(reinterpret_cast<void*>(start), static_cast<std::size_t>(pages), PROT_READ | PROT_WRITE) != 0) {
    ::munmap(reserved, static_cast<std::size_t>(buffer.reserved_bytes));
    throw MachineError(fmt::format("out of memory: {} bytes were wanted", bytes));
  }
  buffer.address = placement == Placement::ends_at_fault ? start + pages - bytes : start;
  buffers_.emplace(buffer.reserved, buffer);
  reserved_of_.emplace(buffer.address, buffer.reserved);
  return buffer.address;
}

void HostMemory::release(Address address) {
  const auto found = reserved_of_.find(address);
  assert(found != reserved_of_.end());
  const auto buffer = buffers_.find(found->second);
  ::munmap(reinterpret_cast<void*>(buffer->first), static_cast<std::size_t>(buffer->second.reserved_bytes));
  buffers_.erase(buffer);
  reserved_of_.erase(found);
}

void HostMemory::set_access(Address address, bool open) {
  const auto buffer = around(address);
  assert(buffer);
  const std::int64_t bytes = buffer->reserved_bytes - 2 * moat_bytes;
  ::mprotect(reinterpret_cast<void*>(buffer->reserved + moat_bytes), static_cast<std::size_t>(bytes),
             open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

std::optional<HostMemory::Buffer> HostMemory::around(Address address) const {
  auto next = buffers_.upper_bound(address);
  if (next == buffers_.begin()) return {};
  const Buffer& buffer = std::prev(next)->second;
  if (address >= buffer.reserved + static_cast<Address>(buffer.reserved_bytes)) return {};
  return buffer;
}

}  // namespace tuner::device
