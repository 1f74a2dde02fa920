#include "device/nvml.h"

#include <array>
#include <cstdlib>

#include "device/shared_library.h"

namespace tuner::device {

namespace {

using Handle = void*;
using Result = int;  // 0: success

constexpr int kClockSm = 1;
constexpr int kClockMemory = 2;
constexpr int kTemperatureGpu = 0;
constexpr unsigned kVersionLength = 80;

struct Api {
  Result (*init)() = nullptr;
  Result (*driver_version)(char* text, unsigned length) = nullptr;
  Result (*by_uuid)(const char* uuid, Handle* gpu) = nullptr;
  Result (*by_pci)(const char* id, Handle* gpu) = nullptr;
  Result (*clock)(Handle gpu, int type, unsigned* mhz) = nullptr;
  Result (*temperature)(Handle gpu, int sensor, unsigned* celsius) = nullptr;
  Result (*power)(Handle gpu, unsigned* milliwatts) = nullptr;
  Result (*power_limit)(Handle gpu, unsigned* milliwatts) = nullptr;
  Result (*clock_reasons)(Handle gpu, unsigned long long* reasons) = nullptr;
  bool ready = false;
};

Api open_api() {
  Api api;
  SharedLibrary library;
  const char* path = std::getenv("TUNER_LIBNVML");
  if (!library.open(path && *path ? path : "libnvidia-ml.so.1")) return api;
  library.find(api.init, "nvmlInit_v2");
  library.find(api.driver_version, "nvmlSystemGetDriverVersion");
  library.find(api.by_uuid, "nvmlDeviceGetHandleByUUID");
  library.find(api.by_pci, "nvmlDeviceGetHandleByPciBusId_v2");
  library.find(api.clock, "nvmlDeviceGetClockInfo");
  library.find(api.temperature, "nvmlDeviceGetTemperature");
  library.find(api.power, "nvmlDeviceGetPowerUsage");
  library.find(api.power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  // The newer name first; they are one call.
  if (!library.find(api.clock_reasons, "nvmlDeviceGetCurrentClocksEventReasons"))
    library.find(api.clock_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  api.ready = api.init && api.init() == 0;
  library.leak();
  return api;
}

const Api& api() {
  static const Api opened = open_api();
  return opened;
}

// What `call` wrote, or 0 when it is missing or failed.
template <class Call, class... Arguments>
unsigned value_of(Call* call, Arguments... arguments) {
  unsigned value = 0;
  return call && call(arguments..., &value) == 0 ? value : 0;
}

struct ThrottleName {
  unsigned long long bit;
  const char* text;
};
// nvmlClocksEventReason*; 0x1 (idle), 0x2 (clocks set by an application) and 0x100 (display) are no throttling.
constexpr std::array<ThrottleName, 6> kThrottleNames{{
    {0x4, "sw_power_cap"},
    {0x8, "hw_slowdown"},
    {0x10, "sync_boost"},
    {0x20, "sw_thermal_slowdown"},
    {0x40, "hw_thermal_slowdown"},
    {0x80, "hw_power_brake_slowdown"},
}};

}  // namespace

Nvml::Nvml(const std::string& uuid, const std::string& pci_bus_id) {
  const Api& nvml = api();
  if (!nvml.ready) return;
  if (nvml.by_uuid && nvml.by_uuid(uuid.c_str(), &gpu_) == 0) return;
  if (nvml.by_pci && nvml.by_pci(pci_bus_id.c_str(), &gpu_) == 0) return;
  gpu_ = nullptr;
}

std::string Nvml::driver_version() const {
  const Api& nvml = api();
  std::array<char, kVersionLength> text{};
  if (!nvml.ready || !nvml.driver_version || nvml.driver_version(text.data(), kVersionLength) != 0) return {};
  return text.data();
}

int Nvml::power_limit_w() const { return gpu_ ? static_cast<int>(value_of(api().power_limit, gpu_) / 1000) : 0; }

Conditions Nvml::conditions() const {
  Conditions now;
  if (!gpu_) return now;
  const Api& nvml = api();
  now.sm_clock_mhz = static_cast<int>(value_of(nvml.clock, gpu_, kClockSm));
  now.memory_clock_mhz = static_cast<int>(value_of(nvml.clock, gpu_, kClockMemory));
  now.temperature_c = static_cast<int>(value_of(nvml.temperature, gpu_, kTemperatureGpu));
  now.power_w = static_cast<int>(value_of(nvml.power, gpu_) / 1000);
  unsigned long long reasons = 0;
  if (nvml.clock_reasons && nvml.clock_reasons(gpu_, &reasons) == 0) now.throttle = throttle_text(reasons);
  return now;
}

std::string throttle_text(unsigned long long reasons) {
  std::string text;
  for (const auto& name : kThrottleNames) {
    if (!(reasons & name.bit)) continue;
    if (!text.empty()) text += ',';
    text += name.text;
  }
  return text;
}

}  // namespace tuner::device
