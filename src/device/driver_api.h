// The entries of the CUDA driver that this program uses, declared by us so that building needs no CUDA toolkit.
// driver_check.cpp compares them with <cuda.h> where it is present.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tuner::device {

namespace cu {

using Result = int;
using DeviceIndex = int;
using Pointer = std::uint64_t;  // CUdeviceptr
using Context = struct ContextTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;
using Module = struct ModuleTag*;
using Function = struct FunctionTag*;
using Graph = struct GraphTag*;
using GraphExec = struct GraphExecTag*;

struct Uuid {
  char bytes[16];
};

// Of a launch, for cuLaunchKernelEx.
struct LaunchAttribute {
  enum class Id : int { cooperative = 2, cluster_dimension = 4, programmatic_serialization = 6 } id;
  char pad[4];
  union {
    char all[64];
    int cooperative;
    int programmatic_serialization;
    struct {
      unsigned x, y, z;
    } cluster;
  } value;
};

// The launch may start before what is in front of it has ended.
inline LaunchAttribute overlapping() {
  LaunchAttribute attribute = {};
  attribute.id = LaunchAttribute::Id::programmatic_serialization;
  attribute.value.programmatic_serialization = 1;
  return attribute;
}

struct LaunchConfig {
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  Stream stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

inline constexpr Result kSuccess = 0;
inline constexpr Result kInvalidValue = 1;
inline constexpr Result kOutOfMemory = 2;
inline constexpr Result kNoDevice = 100;
inline constexpr Result kEccUncorrectable = 214;
inline constexpr Result kNvlinkUncorrectable = 220;
inline constexpr Result kContained = 226;
inline constexpr Result kNotFound = 500;
inline constexpr Result kNotReady = 600;
inline constexpr Result kIllegalAddress = 700;
inline constexpr Result kLaunchOutOfResources = 701;
inline constexpr Result kLaunchTimeout = 702;
inline constexpr Result kContextIsDestroyed = 709;
inline constexpr Result kAssert = 710;
inline constexpr Result kHardwareStackError = 714;
inline constexpr Result kLaunchFailed = 719;
inline constexpr Result kTensorMemoryLeak = 721;

// Attributes of a device, for cuDeviceGetAttribute.
enum class Attribute : int {
  max_threads_per_block = 1,
  max_shared_per_block = 8,
  warp_size = 10,
  max_registers_per_block = 12,
  clock_rate = 13,
  sm_count = 16,
  kernel_exec_timeout = 17,
  ecc_enabled = 32,
  memory_clock_rate = 36,
  memory_bus_width = 37,
  l2_bytes = 38,
  max_threads_per_sm = 39,
  compute_major = 75,
  compute_minor = 76,
  max_shared_per_sm = 81,
  max_registers_per_sm = 82,
  max_shared_opt_in = 97,
  max_blocks_per_sm = 106,
  reserved_shared_per_block = 111,
  mps_enabled = 133,
};

inline constexpr int kFunctionMaxDynamicShared = 8;  // cuFuncSetAttribute
inline constexpr int kFunctionNonPortableCluster = 14;
inline constexpr unsigned kContextKeepLocalMemory = 0x10;
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDefault = 0;
inline constexpr unsigned kEventRecordExternal = 1;
inline constexpr int kCaptureRelaxed = 2;

}  // namespace cu

// One pointer an entry, found by name in the driver's library; the names are in driver.cpp.
struct Driver {
  cu::Result (*init)(unsigned flags);
  cu::Result (*driver_version)(int* version);
  cu::Result (*error_name)(cu::Result error, const char** text);
  cu::Result (*error_string)(cu::Result error, const char** text);

  cu::Result (*device_count)(int* count);
  cu::Result (*device_get)(cu::DeviceIndex* device, int ordinal);
  cu::Result (*device_name)(char* name, int length, cu::DeviceIndex device);
  cu::Result (*device_uuid)(cu::Uuid* uuid, cu::DeviceIndex device);
  cu::Result (*device_total_memory)(std::size_t* bytes, cu::DeviceIndex device);
  cu::Result (*device_attribute)(int* value, cu::Attribute attribute, cu::DeviceIndex device);
  cu::Result (*device_pci_bus_id)(char* id, int length, cu::DeviceIndex device);

  cu::Result (*context_set_flags)(cu::DeviceIndex device, unsigned flags);
  cu::Result (*context_retain)(cu::Context* context, cu::DeviceIndex device);
  cu::Result (*context_release)(cu::DeviceIndex device);
  cu::Result (*context_set_current)(cu::Context context);
  cu::Result (*context_reset_persisting_l2)();

  cu::Result (*stream_create)(cu::Stream* stream, unsigned flags);
  cu::Result (*stream_destroy)(cu::Stream stream);
  cu::Result (*stream_query)(cu::Stream stream);
  cu::Result (*stream_begin_capture)(cu::Stream stream, int mode);
  cu::Result (*stream_end_capture)(cu::Stream stream, cu::Graph* graph);

  cu::Result (*event_create)(cu::Event* event, unsigned flags);
  cu::Result (*event_destroy)(cu::Event event);
  cu::Result (*event_record)(cu::Event event, cu::Stream stream);
  cu::Result (*event_record_with_flags)(cu::Event event, cu::Stream stream, unsigned flags);
  cu::Result (*event_query)(cu::Event event);
  cu::Result (*event_elapsed)(float* milliseconds, cu::Event start, cu::Event end);

  cu::Result (*memory_info)(std::size_t* free_bytes, std::size_t* total);
  cu::Result (*memory_allocate)(cu::Pointer* address, std::size_t bytes);
  cu::Result (*memory_free)(cu::Pointer address);
  cu::Result (*memory_set)(cu::Pointer to, unsigned char byte, std::size_t count, cu::Stream stream);
  cu::Result (*copy_to_device)(cu::Pointer to, const void* from, std::size_t bytes, cu::Stream stream);
  cu::Result (*copy_to_host)(void* to, cu::Pointer from, std::size_t bytes, cu::Stream stream);
  cu::Result (*copy_on_device)(cu::Pointer to, cu::Pointer from, std::size_t bytes, cu::Stream stream);

  cu::Result (*module_load)(cu::Module* module, const void* image);
  cu::Result (*module_unload)(cu::Module module);
  cu::Result (*module_global)(cu::Pointer* address, std::size_t* bytes, cu::Module module, const char* name);
  cu::Result (*module_function)(cu::Function* function, cu::Module module, const char* name);
  cu::Result (*function_load)(cu::Function function);  // may be null: drivers before CUDA 12.4 lack it
  cu::Result (*function_set_attribute)(cu::Function function, int attribute, int value);
  cu::Result (*launch)(cu::Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                       unsigned block_y, unsigned block_z, unsigned shared_bytes, cu::Stream stream, void** arguments,
                       void** extra);

  // May be null: drivers before CUDA 11.8 lack it.
  cu::Result (*launch_with)(const cu::LaunchConfig* config, cu::Function function, void** arguments, void** extra);

  cu::Result (*graph_instantiate)(cu::GraphExec* exec, cu::Graph graph, unsigned long long flags);
  cu::Result (*graph_upload)(cu::GraphExec exec, cu::Stream stream);
  cu::Result (*graph_launch)(cu::GraphExec exec, cu::Stream stream);
  cu::Result (*graph_destroy)(cu::Graph graph);
  cu::Result (*graph_exec_destroy)(cu::GraphExec exec);
};

}  // namespace tuner::device
