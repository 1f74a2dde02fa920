// Device memory that tells when something wrote beside it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "device/device.h"

namespace tuner::measure {

// An allocation that is released with this object.
class Block {
 public:
  Block() = default;
  Block(device::Device& device, std::int64_t bytes, device::Placement placement = device::Placement::anywhere);
  Block(Block&& other) noexcept;
  Block& operator=(Block&& other) noexcept;
  ~Block();
  device::Address address() const { return address_; }

 private:
  device::Device* device_ = nullptr;
  device::Address address_ = 0;
};

// [guard | payload | guard], guards filled with 0xFF, which reads as NaN. Where the device has inaccessible memory, the
// payload ends (within the 16 bytes it is rounded up to, which are guarded as well) or starts at it.
class Guarded {
 public:
  static constexpr std::int64_t guard_bytes = 64 * 1024;

  // The payload starts `shift` bytes after a 256-byte boundary (16-byte where it ends at inaccessible memory).
  Guarded(device::Device& device, std::int64_t bytes, std::int64_t shift, device::Placement placement);

  device::Address address() const { return block_.address() + before_; }
  std::int64_t bytes() const { return bytes_; }
  // 0xFF where nothing else is wanted; `damage` and `checksum` expect that.
  void set_guards(int byte = 0xff) const;
  // Where the first changed guard byte lies, from the payload's first byte: negative, or at least bytes(). Waits.
  std::optional<std::int64_t> damage() const;
  // Of the payload and its guards together. Waits.
  std::uint64_t checksum() const;

 private:
  device::Device* device_;
  std::int64_t bytes_;
  std::int64_t before_;  // bytes of the allocation in front of the payload
  std::int64_t after_;
  Block block_;
};

// "wrote 4 bytes past the end of y (8192 bytes)"; `offset` as Guarded::damage gives it.
std::string damage_text(const std::string& name, std::int64_t bytes, std::int64_t offset);

}  // namespace tuner::measure
