// A chain of launches where nothing overlaps.
#include "core/number.h"
#include "device/device.h"
#include "device/generator.h"

namespace tuner::device {
namespace {

void feed(Device& device, const Left& left) {
  std::vector<std::byte> held(static_cast<std::size_t>(bytes_of(left.from_type, left.fed_elements)));
  device.download(left.from, held);
  std::vector<double> values = decoded(left.from_type, held);
  for (double& value : values) value = small_of(value, left.magnitude);
  std::vector<double> fed(static_cast<std::size_t>(left.bytes / size_of(left.type)));
  for (std::size_t i = 0; i < fed.size(); ++i) fed[i] = values[i % values.size()];
  std::vector<std::byte> bytes(static_cast<std::size_t>(left.bytes));
  encode_all(left.type, fed, bytes.data());
  device.upload(left.to, bytes);
}

}  // namespace

void leave(Device& device, const Left& left) {
  if (left.fed_elements > 0)
    feed(device, left);
  else if (left.from != 0)
    device.copy(left.to, left.from, left.bytes);
  else
    device.set(left.to, left.byte, left.bytes);
}

RunResult Device::run_chain(std::span<const Link> links, const RunOptions& options, Clock::time_point deadline) {
  RunResult result;
  for (const Link& link : links) {
    for (const Left& left : link.before) leave(*this, left);
    result = run(link.timed, options, deadline);
    if (result.reason != Reason::none) break;
  }
  return result;
}

}  // namespace tuner::device
