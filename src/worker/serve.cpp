#include "worker/serve.h"

#include <charconv>
#include <optional>

#include "core/error.h"
#include "device/device.h"
#include "worker/server.h"

namespace tuner::worker {
namespace {

std::optional<int> cuda_index(const std::string& device) {
  constexpr std::string_view prefix = "cuda:";
  if (device.compare(0, prefix.size(), prefix) != 0) return {};
  int index = -1;
  const char* end = device.data() + device.size();
  const auto parsed = std::from_chars(device.data() + prefix.size(), end, index);
  if (parsed.ec != std::errc() || parsed.ptr != end || index < 0) return {};
  return index;
}

DeviceSource find(const std::string& device) {
  DeviceSource source;
  if (device == "host") {
    source.facts = device::open_host()->facts();
    source.emulated = true;
    source.open = [](const Artifact&) { return device::open_host(); };
    return source;
  }
  const auto index = cuda_index(device);
  if (!index) throw UserError("unknown device '" + device + "'", "--device", "known: host, cuda:N");
  const auto gpus = device::list_gpus();
  if (static_cast<std::size_t>(*index) >= gpus.size())
    throw MachineError("there is no GPU " + std::to_string(*index) + ": the driver sees " + std::to_string(gpus.size()),
                       "--device " + device);
  source.gpus = static_cast<int>(gpus.size());
  source.facts = gpus[static_cast<std::size_t>(*index)];
  source.open = [index](const Artifact& support) { return device::open_cuda(*index, support); };
  source.users = [index] { return device::gpu_users(*index); };
  return source;
}

}  // namespace

int serve(const std::string& device) {
  return serve_device(device, [&] { return find(device); });
}

}  // namespace tuner::worker
