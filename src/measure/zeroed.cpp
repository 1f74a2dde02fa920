#include "measure/zeroed.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tuner::measure {

void set_zeroed(device::Device& device, const Bound& bound, int byte) {
  for (const BoundBuffer& buffer : bound.buffers)
    if (buffer.role == Role::zeroed) device.set(buffer.memory->address(), byte, buffer.memory->bytes());
}

Verdict not_left_zero(device::Device& device, const Bound& bound) {
  for (const BoundBuffer& buffer : bound.buffers) {
    if (buffer.role != Role::zeroed) continue;
    std::vector<std::byte> left(static_cast<std::size_t>(buffer.memory->bytes()));
    device.download(buffer.memory->address(), left);
    const auto other = std::find_if(left.begin(), left.end(), [](std::byte each) { return each != std::byte{0}; });
    if (other == left.end()) continue;
    set_zeroed(device, bound, 0);
    Verdict verdict;
    verdict.reason = Reason::wrong_result;
    verdict.detail = fmt::format("byte {} of {}, which every launch leaves 0 for the next one, is {}",
                                 other - left.begin(), buffer.name, std::to_integer<int>(*other));
    return verdict;
  }
  return {};
}

}  // namespace tuner::measure
