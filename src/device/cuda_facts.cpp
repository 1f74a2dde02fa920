#include "device/cuda_facts.h"

#include <fmt/core.h>

#include <array>

#include "core/error.h"
#include "device/device.h"
#include "device/nvml.h"

namespace tuner::device {

namespace {

constexpr int kNameLength = 256;

int attribute(const Driver& driver, cu::DeviceIndex device, cu::Attribute which) {
  int value = 0;
  // An older driver does not know every attribute: 0 then, which means unknown.
  return driver.device_attribute(&value, which, device) == cu::kSuccess ? value : 0;
}

int device_count(const Driver& driver) {
  int count = 0;
  check(driver, driver.device_count(&count), "count the GPUs");
  return count;
}

// A slice of a GPU is called "NVIDIA A100-SXM4-40GB MIG 1g.5gb".
void split_name(const std::string& name, GpuFacts& facts) {
  constexpr std::string_view kMark = " MIG ";
  const auto at = name.find(kMark);
  facts.name = name.substr(0, at);
  if (at != std::string::npos) facts.mig_profile = name.substr(at + kMark.size());
}

void read_limits(const Driver& driver, cu::DeviceIndex device, GpuFacts& facts) {
  const auto read = [&](cu::Attribute which) { return attribute(driver, device, which); };
  facts.arch = read(cu::Attribute::compute_major) * 10 + read(cu::Attribute::compute_minor);
  facts.sm_count = read(cu::Attribute::sm_count);
  facts.warp_size = read(cu::Attribute::warp_size);
  facts.max_threads_per_block = read(cu::Attribute::max_threads_per_block);
  facts.max_threads_per_sm = read(cu::Attribute::max_threads_per_sm);
  facts.max_blocks_per_sm = read(cu::Attribute::max_blocks_per_sm);
  facts.registers_per_sm = read(cu::Attribute::max_registers_per_sm);
  facts.registers_per_block = read(cu::Attribute::max_registers_per_block);
  facts.shared_per_block = read(cu::Attribute::max_shared_per_block);
  facts.shared_max = read(cu::Attribute::max_shared_opt_in);
  facts.shared_per_sm = read(cu::Attribute::max_shared_per_sm);
  facts.reserved_shared_per_block = read(cu::Attribute::reserved_shared_per_block);
  facts.l2_bytes = read(cu::Attribute::l2_bytes);
  facts.memory_bus_bits = read(cu::Attribute::memory_bus_width);
  facts.memory_clock_khz = read(cu::Attribute::memory_clock_rate);
  facts.sm_clock_khz = read(cu::Attribute::clock_rate);
  facts.ecc = read(cu::Attribute::ecc_enabled) != 0;
  facts.display = read(cu::Attribute::kernel_exec_timeout) != 0;
}

}  // namespace

cu::DeviceIndex cuda_device(const Driver& driver, int index) {
  const int count = device_count(driver);
  if (index < 0 || index >= count)
    throw MachineError(fmt::format("no GPU {}: the driver sees {}", index, count), fmt::format("cuda:{}", index),
                       "`tuner doctor` lists the GPUs");
  cu::DeviceIndex device = 0;
  check(driver, driver.device_get(&device, index), "get the GPU");
  return device;
}

std::string uuid_text(const cu::Uuid& uuid) {
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned>(static_cast<unsigned char>(uuid.bytes[i])));
  }
  return text;
}

std::string pci_bus_id(const Driver& driver, cu::DeviceIndex device) {
  std::array<char, kNameLength> text{};
  return driver.device_pci_bus_id(text.data(), kNameLength, device) == cu::kSuccess ? text.data() : "";
}

GpuFacts cuda_facts(const Driver& driver, cu::DeviceIndex device) {
  GpuFacts facts;
  std::array<char, kNameLength> name{};
  check(driver, driver.device_name(name.data(), kNameLength, device), "read the GPU's name");
  split_name(name.data(), facts);
  std::size_t memory = 0;
  check(driver, driver.device_total_memory(&memory, device), "read the GPU's memory size");
  facts.memory_bytes = static_cast<std::int64_t>(memory);
  read_limits(driver, device, facts);
  cu::Uuid uuid{};
  if (driver.device_uuid(&uuid, device) == cu::kSuccess) {
    facts.uuid = uuid_text(uuid);
    if (!facts.mig_profile.empty()) facts.uuid.replace(0, 3, "MIG");
  }
  check(driver, driver.driver_version(&facts.cuda_driver), "read the driver's version");
  const Nvml nvml(facts.uuid, pci_bus_id(driver, device));
  facts.driver = nvml.driver_version();
  facts.power_limit_w = nvml.power_limit_w();
  return facts;
}

std::vector<GpuFacts> list_gpus() {
  const Driver& loaded = driver();
  std::vector<GpuFacts> gpus;
  for (int i = 0, count = device_count(loaded); i < count; ++i)
    gpus.push_back(cuda_facts(loaded, cuda_device(loaded, i)));
  return gpus;
}

}  // namespace tuner::device
