#include "device/nvml.h"

#include <algorithm>
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
constexpr unsigned kNameLength = 256;
constexpr int kTooSmall = 7;
// Of a process that only draws: a game or a renderer, no display server.
constexpr unsigned long long kMuchMemory = 1ull << 30;
constexpr const char* kMpsServer = "nvidia-cuda-mps-server";

// nvmlProcessInfo_v2_t; the third version of the calls takes the same.
struct Process {
  unsigned pid;
  unsigned long long memory_bytes;  // all ones: unknown
  unsigned gpu_instance, compute_instance;
};
using List = Result(Handle gpu, unsigned* count, Process* processes);
struct Utilization {
  unsigned gpu, memory;
};

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
  List* computing = nullptr;
  List* drawing = nullptr;
  List* mps_clients = nullptr;
  Result (*process_name)(unsigned pid, char* name, unsigned length) = nullptr;
  Result (*utilization)(Handle gpu, Utilization* percent) = nullptr;
  bool ready = false;
};

void find_list(const SharedLibrary& library, List*& list, const std::string& name) {
  if (!library.find(list, (name + "_v3").c_str())) library.find(list, (name + "_v2").c_str());
}

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
  find_list(library, api.computing, "nvmlDeviceGetComputeRunningProcesses");
  find_list(library, api.drawing, "nvmlDeviceGetGraphicsRunningProcesses");
  find_list(library, api.mps_clients, "nvmlDeviceGetMPSComputeRunningProcesses");
  library.find(api.process_name, "nvmlSystemGetProcessName");
  library.find(api.utilization, "nvmlDeviceGetUtilizationRates");
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

std::vector<Process> listed(List* list, Handle gpu) {
  std::vector<Process> processes(16);
  for (int attempt = 0; list && attempt < 4; ++attempt) {
    auto count = static_cast<unsigned>(processes.size());
    const Result result = list(gpu, &count, processes.data());
    processes.resize(result == 0 ? count : result == kTooSmall ? count + 16 : 0);
    if (result != kTooSmall) return processes;
  }
  return {};
}

// Without its folder; empty where it is not visible. Its number may be another process's here: /proc is not asked.
std::string name_of(unsigned pid) {
  std::array<char, kNameLength> text{};
  if (!api().process_name || api().process_name(pid, text.data(), kNameLength) != 0) return {};
  std::string name = text.data();
  name = name.substr(name.rfind('/') + 1);
  // Another user chose it: no control character reaches a terminal.
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return name;
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

std::vector<GpuProcess> Nvml::processes() const {
  std::vector<GpuProcess> found;
  if (!gpu_) return found;
  const auto add = [&](const Process& process) {
    const auto pid = static_cast<int>(process.pid);
    std::string name = name_of(process.pid);
    const bool known =
        std::any_of(found.begin(), found.end(), [&](const GpuProcess& other) { return other.pid == pid; });
    if (known || name == kMpsServer) return;
    const bool says = process.memory_bytes != ~0ull;
    found.push_back({pid, std::move(name), says ? static_cast<std::int64_t>(process.memory_bytes) : 0});
  };
  for (const Process& process : listed(api().computing, gpu_)) add(process);
  for (const Process& process : listed(api().mps_clients, gpu_)) add(process);
  for (const Process& process : listed(api().drawing, gpu_))
    if (process.memory_bytes != ~0ull && process.memory_bytes >= kMuchMemory) add(process);
  return found;
}

int Nvml::utilization_percent() const {
  Utilization percent{};
  const bool known = gpu_ && api().utilization && api().utilization(gpu_, &percent) == 0;
  return known ? static_cast<int>(percent.gpu) : 0;
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
