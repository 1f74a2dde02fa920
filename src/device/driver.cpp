#include "device/driver.h"

#include <fmt/core.h>

#include <cstdlib>
#include <vector>

#include "core/error.h"
#include "device/shared_library.h"

namespace tuner::device {

namespace {

SharedLibrary open_library(const std::vector<std::string>& paths) {
  SharedLibrary library;
  std::string refused;  // the loader's own words, where a file is there
  for (const auto& path : paths) {
    if (library.open(path)) return library;
    if (refused.empty() && library.error().find("No such file") == std::string::npos) refused = library.error();
  }
  const std::string name = paths.front().substr(paths.front().rfind('/') + 1);
  throw MachineError(fmt::format("no NVIDIA driver: {}", refused.empty() ? name + " not found" : refused), "",
                     "install the NVIDIA driver, or use --device host, which needs no GPU");
}

class Loader {
 public:
  Loader(const SharedLibrary& library) : library_(library) {}

  template <class F>
  void find(F*& entry, const char* name) {
    if (!library_.find(entry, name))
      throw MachineError(fmt::format("the NVIDIA driver is too old: it has no {}", name), "",
                         "CUDA 11.4 (driver 470) or newer is needed");
  }
  template <class F>
  void find_optional(F*& entry, const char* name) {
    library_.find(entry, name);
  }

 private:
  const SharedLibrary& library_;
};

void find_device_entries(Loader& in, Driver& d) {
  in.find(d.init, "cuInit");
  in.find(d.driver_version, "cuDriverGetVersion");
  in.find(d.error_name, "cuGetErrorName");
  in.find(d.error_string, "cuGetErrorString");
  in.find(d.device_count, "cuDeviceGetCount");
  in.find(d.device_get, "cuDeviceGet");
  in.find(d.device_name, "cuDeviceGetName");
  in.find(d.device_uuid, "cuDeviceGetUuid_v2");
  in.find(d.device_total_memory, "cuDeviceTotalMem_v2");
  in.find(d.device_attribute, "cuDeviceGetAttribute");
  in.find(d.device_pci_bus_id, "cuDeviceGetPCIBusId");
  in.find(d.context_set_flags, "cuDevicePrimaryCtxSetFlags_v2");
  in.find(d.context_retain, "cuDevicePrimaryCtxRetain");
  in.find(d.context_release, "cuDevicePrimaryCtxRelease_v2");
  in.find(d.context_set_current, "cuCtxSetCurrent");
  in.find(d.context_reset_persisting_l2, "cuCtxResetPersistingL2Cache");
}

void find_stream_entries(Loader& in, Driver& d) {
  in.find(d.stream_create, "cuStreamCreate");
  in.find(d.stream_destroy, "cuStreamDestroy_v2");
  in.find(d.stream_query, "cuStreamQuery");
  in.find(d.stream_begin_capture, "cuStreamBeginCapture_v2");
  in.find(d.stream_end_capture, "cuStreamEndCapture");
  in.find(d.event_create, "cuEventCreate");
  in.find(d.event_destroy, "cuEventDestroy_v2");
  in.find(d.event_record, "cuEventRecord");
  in.find(d.event_record_with_flags, "cuEventRecordWithFlags");
  in.find(d.event_query, "cuEventQuery");
  in.find(d.event_elapsed, "cuEventElapsedTime");
  in.find(d.graph_instantiate, "cuGraphInstantiateWithFlags");
  in.find(d.graph_upload, "cuGraphUpload");
  in.find(d.graph_launch, "cuGraphLaunch");
  in.find(d.graph_destroy, "cuGraphDestroy");
  in.find(d.graph_exec_destroy, "cuGraphExecDestroy");
}

void find_memory_and_module_entries(Loader& in, Driver& d) {
  in.find(d.memory_info, "cuMemGetInfo_v2");
  in.find(d.memory_allocate, "cuMemAlloc_v2");
  in.find(d.memory_free, "cuMemFree_v2");
  in.find(d.memory_set, "cuMemsetD8Async");
  in.find(d.copy_to_device, "cuMemcpyHtoDAsync_v2");
  in.find(d.copy_to_host, "cuMemcpyDtoHAsync_v2");
  in.find(d.copy_on_device, "cuMemcpyDtoDAsync_v2");
  in.find(d.module_load, "cuModuleLoadData");
  in.find(d.module_unload, "cuModuleUnload");
  in.find(d.module_global, "cuModuleGetGlobal_v2");
  in.find(d.module_function, "cuModuleGetFunction");
  in.find_optional(d.function_load, "cuFuncLoad");
  in.find(d.function_set_attribute, "cuFuncSetAttribute");
  in.find(d.launch, "cuLaunchKernel");
  in.find_optional(d.launch_with, "cuLaunchKernelEx");
}

}  // namespace

std::vector<std::string> driver_paths() {
  if (const char* path = std::getenv("TUNER_LIBCUDA"); path && *path) return {path};
  // WSL and some containers keep the driver out of the loader's path.
  return {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1", "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
          "/usr/local/nvidia/lib64/libcuda.so.1", "/run/opengl-driver/lib/libcuda.so.1"};
}

Driver open_driver(const std::vector<std::string>& paths) {
  SharedLibrary library = open_library(paths);
  Loader loader(library);
  Driver d{};
  find_device_entries(loader, d);
  find_stream_entries(loader, d);
  find_memory_and_module_entries(loader, d);
  // Lazy loading would put the load of a kernel into its first launch. Newer drivers load one kernel on request; the
  // older ones only everything, all of cuBLAS among it.
  if (!d.function_load) setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  const cu::Result result = d.init(0);
  if (result == cu::kNoDevice)
    throw MachineError("the NVIDIA driver sees no GPU", "",
                       "look at nvidia-smi and CUDA_VISIBLE_DEVICES, or use --device host, which needs no GPU");
  check(d, result, "start the NVIDIA driver");
  library.leak();
  return d;
}

const Driver& driver() {
  static const Driver opened = open_driver(driver_paths());
  return opened;
}

std::string error_text(const Driver& driver, cu::Result result) {
  const char* name = nullptr;
  const char* text = nullptr;
  driver.error_name(result, &name);
  driver.error_string(result, &text);
  return fmt::format("{} ({})", name ? name : fmt::format("CUDA error {}", result), text ? text : "no description");
}

void check(const Driver& driver, cu::Result result, std::string_view what) {
  if (result == cu::kSuccess) return;
  throw MachineError(fmt::format("cannot {}: {}", what, error_text(driver, result)), "",
                     is_sticky(result) ? "the GPU context is lost; a new worker is needed" : "");
}

bool is_sticky(cu::Result result) {
  switch (result) {
    case cu::kEccUncorrectable:
    case cu::kNvlinkUncorrectable:
    case cu::kContained:
    case cu::kIllegalAddress:
    case cu::kLaunchTimeout:
    case cu::kContextIsDestroyed:
    case cu::kAssert:
    case cu::kTensorMemoryLeak:
      return true;
    default:
      return result >= cu::kHardwareStackError && result <= cu::kLaunchFailed;
  }
}

Reason reason_of(cu::Result result) {
  if (result == cu::kLaunchTimeout) return Reason::timeout;
  return is_sticky(result) ? Reason::fault : Reason::launch_error;
}

}  // namespace tuner::device
