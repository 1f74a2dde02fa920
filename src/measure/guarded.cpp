#include "measure/guarded.h"

#include <fmt/core.h>

#include <utility>

namespace tuner::measure {
namespace {

std::int64_t rounded_up(std::int64_t bytes, std::int64_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

Block::Block(device::Device& device, std::int64_t bytes, device::Placement placement)
    : device_(&device), address_(device.allocate(bytes, placement)) {}

Block::Block(Block&& other) noexcept
    : device_(std::exchange(other.device_, nullptr)), address_(std::exchange(other.address_, 0)) {}

Block& Block::operator=(Block&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(address_, other.address_);
  return *this;
}

Block::~Block() {
  if (device_ != nullptr) device_->release(address_);
}

Guarded::Guarded(device::Device& device, std::int64_t bytes, std::int64_t shift, device::Placement placement)
    : device_(&device),
      bytes_(bytes),
      before_(shift + (placement == device::Placement::starts_at_fault ? 0 : guard_bytes)),
      after_(rounded_up(before_ + bytes, 16) - before_ - bytes +
             (placement == device::Placement::ends_at_fault ? 0 : guard_bytes)),
      block_(device, before_ + bytes_ + after_, placement) {
  set_guards();
}

void Guarded::set_guards(int byte) const {
  if (before_ > 0) device_->set(block_.address(), byte, before_);
  if (after_ > 0) device_->set(address() + bytes_, byte, after_);
}

std::optional<std::int64_t> Guarded::damage() const {
  if (after_ > 0) {
    const std::int64_t at = device_->first_not(address() + bytes_, 0xff, after_);
    if (at >= 0) return bytes_ + at;
  }
  if (before_ > 0) {
    const std::int64_t at = device_->first_not(block_.address(), 0xff, before_);
    if (at >= 0) return at - before_;
  }
  return {};
}

std::uint64_t Guarded::checksum() const { return device_->checksum(block_.address(), before_ + bytes_ + after_); }

std::string damage_text(const std::string& name, std::int64_t bytes, std::int64_t offset) {
  if (offset < 0) return fmt::format("wrote {} bytes before the start of {}", -offset, name);
  if (offset == bytes) return fmt::format("wrote just past the end of {} ({} bytes)", name, bytes);
  return fmt::format("wrote {} bytes past the end of {} ({} bytes)", offset - bytes, name, bytes);
}

}  // namespace tuner::measure
