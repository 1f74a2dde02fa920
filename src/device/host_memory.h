// Memory of the host device: every buffer lies between stretches of address space that nothing may touch.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "device/device.h"

namespace tuner::device {

class HostMemory {
 public:
  struct Buffer {
    Address address = 0;
    std::int64_t bytes = 0;
    Address reserved = 0;  // start of its stretch of address space, inaccessible parts included
    std::int64_t reserved_bytes = 0;
  };

  HostMemory() = default;
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  ~HostMemory();

  // Zeroed. starts_at_fault and anywhere: on a page boundary, so 256-byte aligned. ends_at_fault: its end is, so that
  // it is as aligned as `bytes` is. Throws MachineError.
  Address allocate(std::int64_t bytes, Placement placement);
  void release(Address address);
  // Lets the buffer in whose stretch `address` lies be touched, or not.
  void set_access(Address address, bool open);
  // The buffer in whose stretch `address` lies, accessible or not.
  std::optional<Buffer> around(Address address) const;

 private:
  std::map<Address, Buffer> buffers_;  // by `reserved`
  std::map<Address, Address> reserved_of_;
};

}  // namespace tuner::device
