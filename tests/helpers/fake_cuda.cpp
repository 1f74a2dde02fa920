#include "helpers/fake_cuda.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <sstream>

namespace {

struct FakeModule {
  std::string image;
  std::map<std::string, std::string> symbols = {};
};
struct FakeFunction {
  std::string name;
};
struct FakeLaunchAttribute {
  int id;
  int pad;
  unsigned value[16];
};
struct FakeLaunchConfig {
  unsigned grid[3], block[3], shared;
  void* stream;
  const FakeLaunchAttribute* attributes;
  unsigned count;
};
struct FakeNvmlProcess {
  unsigned pid;
  unsigned long long bytes;
  unsigned gpu_instance, compute_instance;
};

FakeProcess process_of(const std::string& text) {
  const auto first = text.find(':'), second = text.find(':', first + 1);
  return {static_cast<unsigned>(std::stoul(text)), text.substr(first + 1, second - first - 1),
          std::stoull(text.substr(second + 1))};
}

void script(FakeCuda& fake, const std::string& key, const std::string& value) {
  if (key == "computes") return fake.computes.push_back(process_of(value));
  if (key == "draws") return fake.draws.push_back(process_of(value));
  if (key == "name") {
    fake.gpu_name = value;
    std::replace(fake.gpu_name.begin(), fake.gpu_name.end(), '_', ' ');
  }
  if (key == "sms") fake.attributes[16] = std::stoi(value);
  if (key == "memory") fake.total_bytes = std::stoull(value);
  if (key == "gpus") fake.gpus = std::stoi(value);
  if (key == "driver") fake.driver_version = std::stoi(value);
  if (key == "utilization") fake.utilization = static_cast<unsigned>(std::stoul(value));
  if (key == "display") fake.attributes[17] = std::stoi(value);
  if (key == "mps") fake.attributes[133] = std::stoi(value);
  if (key == "limits")  // of an H200, so that kernels may be launched
    for (const auto& [attribute, limit] : std::map<int, int>{{1, 1024},
                                                             {2, 1024},
                                                             {3, 1024},
                                                             {4, 64},
                                                             {5, 2147483647},
                                                             {6, 65535},
                                                             {7, 65535},
                                                             {8, 49152},
                                                             {10, 32},
                                                             {12, 65536},
                                                             {16, 132},
                                                             {38, 62914560},
                                                             {39, 2048},
                                                             {81, 233472},
                                                             {82, 65536},
                                                             {97, 232448},
                                                             {106, 32},
                                                             {111, 1024}})
      fake.attributes[attribute] = limit;
  if (key == "free") fake.free_bytes = std::stoull(value);
  if (key == "slow") {
    fake.slow_entry = value.substr(0, value.find(':'));
    fake.slow_factor = std::stof(value.substr(value.find(':') + 1));
  }
  if (key == "arch") {
    fake.attributes[75] = std::stoi(value) / 10;
    fake.attributes[76] = std::stoi(value) % 10;
  }
}

FakeCuda fresh() {
  FakeCuda fake;
  fake.attributes[133] = 0;
  const char* words = std::getenv("TUNER_FAKE_GPU");
  if (!words) return fake;
  fake.attributes[17] = 0;
  std::istringstream in(words);
  for (std::string word; in >> word;) script(fake, word.substr(0, word.find('=')), word.substr(word.find('=') + 1));
  return fake;
}

int list(const std::vector<FakeProcess>& processes, unsigned* count, FakeNvmlProcess* out) {
  const bool fits = processes.size() <= *count;
  *count = static_cast<unsigned>(processes.size());
  if (!fits) return 7;
  for (const auto& process : processes) *out++ = {process.pid, process.bytes, ~0u, ~0u};
  return 0;
}

FakeCuda state = fresh();
FakeCuda others;  // as NVML sees the second GPU: nobody is on it
std::vector<std::unique_ptr<FakeFunction>> functions;
std::size_t elapsed_read = 0;
void* last_event = nullptr;                // that was recorded
std::map<void*, std::string> timed_entry;  // what was launched first behind an event

void note(const std::string& call) { state.calls.push_back(call); }

int scripted(const char* entry) {
  const auto found = state.results.find(entry);
  return found == state.results.end() ? 0 : found->second;
}

template <class T>
int make(const char* entry, T** out, int& live) {
  if (const int result = scripted(entry)) return result;
  *out = reinterpret_cast<T*>(new char);
  ++live;
  return 0;
}

int destroy(void* thing, int& live) {
  delete static_cast<char*>(thing);
  --live;
  return 0;
}

std::string text(const char* format, auto... values) {
  char buffer[160];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

void* host(std::uint64_t address) { return reinterpret_cast<void*>(address); }

}  // namespace

extern "C" {

FakeCuda* fake_cuda() { return &state; }

// --- driver ---

int cuInit(unsigned) { return scripted("cuInit"); }
int cuDriverGetVersion(int* version) { return *version = state.driver_version, 0; }
int cuGetErrorName(int error, const char** name) {
  switch (error) {
    case 1:
      *name = "CUDA_ERROR_INVALID_VALUE";
      return 0;
    case 200:
      *name = "CUDA_ERROR_INVALID_IMAGE";
      return 0;
    case 500:
      *name = "CUDA_ERROR_NOT_FOUND";
      return 0;
    case 700:
      *name = "CUDA_ERROR_ILLEGAL_ADDRESS";
      return 0;
    case 701:
      *name = "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES";
      return 0;
    default:
      return 1;
  }
}
int cuGetErrorString(int error, const char** string) {
  *string = error == 700 ? "an illegal memory access was encountered" : "a fake error";
  return 0;
}

int cuDeviceGetCount(int* count) { return *count = state.gpus, scripted("cuDeviceGetCount"); }
int cuDeviceGet(int* device, int ordinal) { return *device = ordinal, 0; }
int cuDeviceGetName(char* name, int length, int) {
  return std::snprintf(name, static_cast<std::size_t>(length), "%s", state.gpu_name.c_str()), 0;
}
int cuDeviceGetUuid_v2(char* uuid, int device) {
  for (int i = 0; i < 16; ++i) uuid[i] = static_cast<char>(i * 16 + 1 + (i == 15 ? device : 0));
  return 0;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) { return *bytes = state.total_bytes, 0; }
int cuDeviceGetAttribute(int* value, int attribute, int) {
  const auto found = state.attributes.find(attribute);
  *value = found == state.attributes.end() ? 7 : found->second;
  return 0;
}
int cuDeviceGetPCIBusId(char* id, int length, int) {
  return std::snprintf(id, static_cast<std::size_t>(length), "0000:01:00.0"), 0;
}

int cuDevicePrimaryCtxSetFlags_v2(int, unsigned flags) { return note(text("context flags 0x%x", flags)), 0; }
int cuDevicePrimaryCtxRetain(void** context, int) { return *context = &state, 0; }
int cuDevicePrimaryCtxRelease_v2(int) { return note("release context"), 0; }
int cuCtxSetCurrent(void*) { return 0; }
int cuCtxResetPersistingL2Cache() { return 0; }

int cuStreamCreate(void** stream, unsigned flags) { return note(text("stream 0x%x", flags)), *stream = &state, 0; }
int cuStreamDestroy_v2(void*) { return 0; }
int cuStreamQuery(void*) {
  if (state.launches.empty() && state.stream_result != 0) return 0;
  if (state.queries_until_done > 0) return --state.queries_until_done, 600;
  return state.stream_result;
}
int cuStreamBeginCapture_v2(void*, int mode) { return note(text("begin %d", mode)), scripted("cuStreamBeginCapture"); }
int cuStreamEndCapture(void*, void** graph) {
  note("end");
  return make("cuStreamEndCapture", graph, state.live_graphs);
}

int cuEventCreate(void** event, unsigned) { return make("cuEventCreate", event, state.live_events); }
int cuEventDestroy_v2(void* event) { return destroy(event, state.live_events); }
int cuEventRecord(void*, void*) { return note("record"), 0; }
int cuEventRecordWithFlags(void* event, void*, unsigned flags) {
  last_event = event;
  timed_entry.erase(event);
  return note(text("record %u", flags)), 0;
}
int cuEventQuery(void*) { return 0; }
int cuEventElapsedTime(float* ms, void* start, void*) {
  *ms = elapsed_read < state.elapsed_ms.size() ? state.elapsed_ms[elapsed_read++] : 0.5f;
  const auto entry = timed_entry.find(start);
  if (entry != timed_entry.end() && entry->second.find(state.slow_entry) != std::string::npos) *ms *= state.slow_factor;
  return 0;
}

int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  return *free = state.free_bytes, *total = state.total_bytes, 0;
}
int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  if (const int result = scripted("cuMemAlloc")) return result;
  *address = reinterpret_cast<std::uint64_t>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return ++state.live_buffers, 0;
}
int cuMemFree_v2(std::uint64_t address) { return std::free(host(address)), --state.live_buffers, 0; }
int cuMemsetD8Async(std::uint64_t to, unsigned char byte, std::size_t count, void*) {
  note(text("memset 0x%02x x%zu", byte, count));
  return std::memset(host(to), byte, count), scripted("cuMemsetD8Async");
}
int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, void*) {
  return std::memcpy(host(to), from, bytes), 0;
}
int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void*) {
  return std::memcpy(to, host(from), bytes), 0;
}
int cuMemcpyDtoDAsync_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes, void*) {
  note(text("copy x%zu", bytes));
  if (const int result = scripted("cuMemcpyDtoDAsync")) return result;
  std::memmove(host(to), host(from), bytes);
  state.copied.assign(static_cast<const char*>(host(to)), bytes);
  return 0;
}

// An image is the names of its kernels between spaces.
int cuModuleLoadData(FakeModule** module, const char* image) {
  if (const int result = scripted("cuModuleLoadData")) return result;
  *module = new FakeModule{std::string(" ") + image + " "};
  return ++state.live_modules, 0;
}
int cuModuleUnload(FakeModule* module) { return delete module, --state.live_modules, 0; }
int cuModuleGetFunction(FakeFunction** function, FakeModule* module, const char* name) {
  const bool compiled = module->image.rfind(
                            " \x7f"
                            "ELF",
                            0) == 0;  // a real cubin: it has what is asked
  if (!compiled && module->image.find(" " + std::string(name) + " ") == std::string::npos) return 500;
  functions.push_back(std::make_unique<FakeFunction>(FakeFunction{name}));
  return *function = functions.back().get(), 0;
}
// A word `name:BYTES` of the image is a symbol.
int cuModuleGetGlobal_v2(std::uint64_t* address, std::size_t* bytes, FakeModule* module, const char* name) {
  const std::string word = " " + std::string(name) + ":";
  const auto at = module->image.find(word);
  if (at == std::string::npos) return 500;
  *bytes = std::stoul(module->image.substr(at + word.size()));
  auto& memory = module->symbols[name];
  memory.resize(*bytes + 16);
  return *address = reinterpret_cast<std::uint64_t>(memory.data()), 0;
}
int cuFuncLoad(FakeFunction* function) { return note("load " + function->name), 0; }
int cuFuncSetAttribute(FakeFunction* function, int attribute, int value) {
  note(text("attribute %d of %s = %d", attribute, function->name.c_str(), value));
  return scripted("cuFuncSetAttribute");
}
namespace {

int launched(const char* entry, FakeLaunch launch, void** arguments) {
  note("launch " + launch.entry);
  timed_entry.try_emplace(last_event, launch.entry);
  if (const char* path = std::getenv("TUNER_FAKE_LAUNCHES"))
    if (std::FILE* file = std::fopen(path, "a")) {
      std::fprintf(file, "launch %s\n", launch.entry.c_str());
      std::fclose(file);
    }
  if (const int result = scripted(entry)) return result;
  for (std::size_t i = 0; i < state.parameter_bytes.size(); ++i) {
    std::uint64_t value = 0;
    std::memcpy(&value, arguments[i], static_cast<std::size_t>(state.parameter_bytes[i]));
    launch.arguments.push_back(value);
  }
  return state.launches.push_back(launch), 0;
}

}  // namespace

int cuLaunchKernel(FakeFunction* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void*, void** arguments, void**) {
  return launched("cuLaunchKernel", {function->name, {gx, gy, gz}, {bx, by, bz}, shared, {}, {}}, arguments);
}
int cuLaunchKernelEx(const FakeLaunchConfig* config, FakeFunction* function, void** arguments, void**) {
  FakeLaunch launch{function->name, {}, {}, config->shared, {}, {}};
  std::copy(config->grid, config->grid + 3, launch.grid);
  std::copy(config->block, config->block + 3, launch.block);
  for (unsigned i = 0; i < config->count; ++i) {
    const FakeLaunchAttribute& each = config->attributes[i];
    if (each.id == 4) launch.attributes += text("cluster %u %u %u;", each.value[0], each.value[1], each.value[2]);
    if (each.id == 2) launch.attributes += text("cooperative %u;", each.value[0]);
    if (each.id == 6) launch.attributes += text("overlapping %u;", each.value[0]);
  }
  return launched("cuLaunchKernelEx", launch, arguments);
}

int cuGraphInstantiateWithFlags(void** exec, void*, unsigned long long) {
  return make("cuGraphInstantiate", exec, state.live_graphs);
}
int cuGraphUpload(void*, void*) { return note("upload"), 0; }
int cuGraphLaunch(void*, void*) { return note("graph"), scripted("cuGraphLaunch"); }
int cuGraphDestroy(void* graph) { return destroy(graph, state.live_graphs); }
int cuGraphExecDestroy(void* exec) { return destroy(exec, state.live_graphs); }

// --- NVML ---

int nvmlInit_v2() { return 0; }
int nvmlSystemGetDriverVersion(char* version, unsigned length) { return std::snprintf(version, length, "580.1.2"), 0; }
int nvmlDeviceGetHandleByUUID(const char* uuid, void** gpu) {
  const std::string_view text = uuid;
  *gpu = text.back() == '1' ? &state : nullptr;
  if (text.back() == '2') *gpu = &others;
  return text.substr(0, text.size() - 1) == "GPU-01112131-4151-6171-8191-a1b1c1d1e1f" && *gpu ? 0 : 6;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char*, void**) { return 6; }
int nvmlDeviceGetClockInfo(void*, int type, unsigned* mhz) { return *mhz = type == 1 ? 1980 : 3201, 0; }
int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) { return *celsius = 41, 0; }
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) { return *milliwatts = 123456, 0; }
int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) { return *milliwatts = 700000, 0; }
int nvmlDeviceGetComputeRunningProcesses_v3(void* gpu, unsigned* count, FakeNvmlProcess* out) {
  return list(static_cast<FakeCuda*>(gpu)->computes, count, out);
}
int nvmlDeviceGetGraphicsRunningProcesses_v3(void* gpu, unsigned* count, FakeNvmlProcess* out) {
  return list(static_cast<FakeCuda*>(gpu)->draws, count, out);
}
int nvmlDeviceGetMPSComputeRunningProcesses_v3(void* gpu, unsigned* count, FakeNvmlProcess* out) {
  return list(static_cast<FakeCuda*>(gpu)->mps_clients, count, out);
}
int nvmlSystemGetProcessName(unsigned pid, char* name, unsigned length) {
  for (const auto* processes : {&state.computes, &state.draws, &state.mps_clients})
    for (const auto& process : *processes)
      if (process.pid == pid && !process.name.empty())
        return std::snprintf(name, length, "/usr/bin/%s", process.name.c_str()), 0;
  return 6;
}
int nvmlDeviceGetUtilizationRates(void*, unsigned* percent) {
  return percent[0] = state.utilization, percent[1] = 0, 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  return *reasons = state.clock_reasons, 0;
}

// --- cuBLAS ---

int cublasCreate_v2(void** handle) { return *handle = &state, 0; }
int cublasDestroy_v2(void*) { return 0; }
int cublasSetStream_v2(void*, void*) { return 0; }
int cublasSetWorkspace_v2(void*, void*, std::size_t bytes) { return note(text("workspace %zu", bytes)), 0; }
int cublasGemmEx(void*, int op_a, int op_b, int m, int n, int k, const void*, const void* a, int a_type, int lda,
                 const void* b, int b_type, int ldb, const void*, void* c, int c_type, int ldc, int compute_type,
                 int algorithm) {
  note("gemm");
  const auto address = [](const void* p) { return reinterpret_cast<std::uint64_t>(p); };
  state.gemms.push_back({op_a, op_b, m, n, k, a_type, lda, b_type, ldb, c_type, ldc, compute_type, algorithm,
                         address(a), address(b), address(c)});
  return state.cublas_status;
}

void fake_cuda_reset() {
  state = fresh();
  elapsed_read = 0;
}

}  // extern "C"
