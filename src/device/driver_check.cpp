// Our declarations of the driver against the toolkit's header, at compile time; nothing where there is none.
#include "device/driver_api.h"

#if __has_include(<cuda.h>)
#include <cuda.h>

#include "device/abi.h"

namespace tuner::device {

static_assert(sizeof(cu::Result) == sizeof(CUresult) && sizeof(cu::Attribute) == sizeof(CUdevice_attribute));
static_assert(sizeof(cu::Pointer) == sizeof(CUdeviceptr) && sizeof(cu::Uuid) == sizeof(CUuuid));
static_assert(sizeof(cu::DeviceIndex) == sizeof(CUdevice));

static_assert(cu::kSuccess == CUDA_SUCCESS && cu::kInvalidValue == CUDA_ERROR_INVALID_VALUE);
static_assert(cu::kOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY && cu::kNoDevice == CUDA_ERROR_NO_DEVICE);
static_assert(cu::kEccUncorrectable == CUDA_ERROR_ECC_UNCORRECTABLE);
static_assert(cu::kNvlinkUncorrectable == CUDA_ERROR_NVLINK_UNCORRECTABLE);
static_assert(cu::kNotFound == CUDA_ERROR_NOT_FOUND && cu::kNotReady == CUDA_ERROR_NOT_READY);
static_assert(cu::kIllegalAddress == CUDA_ERROR_ILLEGAL_ADDRESS);
static_assert(cu::kLaunchOutOfResources == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
static_assert(cu::kLaunchTimeout == CUDA_ERROR_LAUNCH_TIMEOUT && cu::kAssert == CUDA_ERROR_ASSERT);
static_assert(cu::kContextIsDestroyed == CUDA_ERROR_CONTEXT_IS_DESTROYED);
static_assert(cu::kHardwareStackError == CUDA_ERROR_HARDWARE_STACK_ERROR);
static_assert(cu::kLaunchFailed == CUDA_ERROR_LAUNCH_FAILED);
#if CUDA_VERSION >= 13000
static_assert(cu::kContained == CUDA_ERROR_CONTAINED && cu::kTensorMemoryLeak == CUDA_ERROR_TENSOR_MEMORY_LEAK);
#endif

constexpr bool is(cu::Attribute ours, CUdevice_attribute theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}
static_assert(is(cu::Attribute::max_threads_per_block, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
static_assert(is(cu::Attribute::max_shared_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
static_assert(is(cu::Attribute::warp_size, CU_DEVICE_ATTRIBUTE_WARP_SIZE));
static_assert(is(cu::Attribute::max_registers_per_block, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK));
static_assert(is(cu::Attribute::clock_rate, CU_DEVICE_ATTRIBUTE_CLOCK_RATE));
static_assert(is(cu::Attribute::sm_count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
static_assert(is(cu::Attribute::kernel_exec_timeout, CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT));
static_assert(is(cu::Attribute::ecc_enabled, CU_DEVICE_ATTRIBUTE_ECC_ENABLED));
static_assert(is(cu::Attribute::memory_clock_rate, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE));
static_assert(is(cu::Attribute::memory_bus_width, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH));
static_assert(is(cu::Attribute::l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
static_assert(is(cu::Attribute::max_threads_per_sm, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR));
static_assert(is(cu::Attribute::compute_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
static_assert(is(cu::Attribute::compute_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
static_assert(is(cu::Attribute::max_shared_per_sm, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR));
static_assert(is(cu::Attribute::max_registers_per_sm, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR));
static_assert(is(cu::Attribute::max_shared_opt_in, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
static_assert(is(cu::Attribute::max_blocks_per_sm, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR));
static_assert(is(cu::Attribute::reserved_shared_per_block, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK));
#if CUDA_VERSION >= 13000
static_assert(is(cu::Attribute::mps_enabled, CU_DEVICE_ATTRIBUTE_MPS_ENABLED));
#endif

static_assert(cu::kFunctionMaxDynamicShared == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
#if CUDA_VERSION >= 11080
static_assert(cu::kFunctionNonPortableCluster == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
static_assert(sizeof(cu::LaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(offsetof(cu::LaunchAttribute, value) == offsetof(CUlaunchAttribute, value));
static_assert(static_cast<int>(cu::LaunchAttribute::Id::cooperative) == CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
static_assert(static_cast<int>(cu::LaunchAttribute::Id::cluster_dimension) == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
static_assert(static_cast<int>(cu::LaunchAttribute::Id::programmatic_serialization) ==
              CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
static_assert(sizeof(CUlaunchAttributeValue::programmaticStreamSerializationAllowed) == sizeof(int));
static_assert(sizeof(CUlaunchAttributeValue::clusterDim) == 3 * sizeof(unsigned));
static_assert(sizeof(cu::LaunchConfig) == sizeof(CUlaunchConfig));
static_assert(offsetof(cu::LaunchConfig, block_x) == offsetof(CUlaunchConfig, blockDimX));
static_assert(offsetof(cu::LaunchConfig, shared_bytes) == offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(cu::LaunchConfig, stream) == offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(cu::LaunchConfig, attributes) == offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(cu::LaunchConfig, attribute_count) == offsetof(CUlaunchConfig, numAttrs));
static_assert(same_abi<decltype(Driver::launch_with), decltype(&cuLaunchKernelEx)>);
#endif
static_assert(cu::kContextKeepLocalMemory == CU_CTX_LMEM_RESIZE_TO_MAX);
static_assert(cu::kStreamNonBlocking == CU_STREAM_NON_BLOCKING && cu::kEventDefault == CU_EVENT_DEFAULT);
static_assert(cu::kEventRecordExternal == CU_EVENT_RECORD_EXTERNAL);
static_assert(cu::kCaptureRelaxed == CU_STREAM_CAPTURE_MODE_RELAXED);

// The header's macros name the version of each entry that driver.cpp asks for.
static_assert(same_abi<decltype(Driver::init), decltype(&cuInit)>);
static_assert(same_abi<decltype(Driver::driver_version), decltype(&cuDriverGetVersion)>);
static_assert(same_abi<decltype(Driver::error_name), decltype(&cuGetErrorName)>);
static_assert(same_abi<decltype(Driver::error_string), decltype(&cuGetErrorString)>);
static_assert(same_abi<decltype(Driver::device_count), decltype(&cuDeviceGetCount)>);
static_assert(same_abi<decltype(Driver::device_get), decltype(&cuDeviceGet)>);
static_assert(same_abi<decltype(Driver::device_name), decltype(&cuDeviceGetName)>);
static_assert(same_abi<decltype(Driver::device_uuid), decltype(&cuDeviceGetUuid)>);
static_assert(same_abi<decltype(Driver::device_total_memory), decltype(&cuDeviceTotalMem)>);
static_assert(same_abi<decltype(Driver::device_attribute), decltype(&cuDeviceGetAttribute)>);
static_assert(same_abi<decltype(Driver::device_pci_bus_id), decltype(&cuDeviceGetPCIBusId)>);
static_assert(same_abi<decltype(Driver::context_set_flags), decltype(&cuDevicePrimaryCtxSetFlags)>);
static_assert(same_abi<decltype(Driver::context_retain), decltype(&cuDevicePrimaryCtxRetain)>);
static_assert(same_abi<decltype(Driver::context_release), decltype(&cuDevicePrimaryCtxRelease)>);
static_assert(same_abi<decltype(Driver::context_set_current), decltype(&cuCtxSetCurrent)>);
static_assert(same_abi<decltype(Driver::context_reset_persisting_l2), decltype(&cuCtxResetPersistingL2Cache)>);
static_assert(same_abi<decltype(Driver::stream_create), decltype(&cuStreamCreate)>);
static_assert(same_abi<decltype(Driver::stream_destroy), decltype(&cuStreamDestroy)>);
static_assert(same_abi<decltype(Driver::stream_query), decltype(&cuStreamQuery)>);
static_assert(same_abi<decltype(Driver::stream_begin_capture), decltype(&cuStreamBeginCapture)>);
static_assert(same_abi<decltype(Driver::stream_end_capture), decltype(&cuStreamEndCapture)>);
static_assert(same_abi<decltype(Driver::event_create), decltype(&cuEventCreate)>);
static_assert(same_abi<decltype(Driver::event_destroy), decltype(&cuEventDestroy)>);
static_assert(same_abi<decltype(Driver::event_record), decltype(&cuEventRecord)>);
static_assert(same_abi<decltype(Driver::event_record_with_flags), decltype(&cuEventRecordWithFlags)>);
static_assert(same_abi<decltype(Driver::event_query), decltype(&cuEventQuery)>);
static_assert(same_abi<decltype(Driver::event_elapsed), decltype(&cuEventElapsedTime)>);
static_assert(same_abi<decltype(Driver::memory_info), decltype(&cuMemGetInfo)>);
static_assert(same_abi<decltype(Driver::memory_allocate), decltype(&cuMemAlloc)>);
static_assert(same_abi<decltype(Driver::memory_free), decltype(&cuMemFree)>);
static_assert(same_abi<decltype(Driver::memory_set), decltype(&cuMemsetD8Async)>);
static_assert(same_abi<decltype(Driver::copy_to_device), decltype(&cuMemcpyHtoDAsync)>);
static_assert(same_abi<decltype(Driver::copy_to_host), decltype(&cuMemcpyDtoHAsync)>);
static_assert(same_abi<decltype(Driver::copy_on_device), decltype(&cuMemcpyDtoDAsync)>);
static_assert(same_abi<decltype(Driver::module_load), decltype(&cuModuleLoadData)>);
static_assert(same_abi<decltype(Driver::module_unload), decltype(&cuModuleUnload)>);
static_assert(same_abi<decltype(Driver::module_global), decltype(&cuModuleGetGlobal)>);
static_assert(same_abi<decltype(Driver::module_function), decltype(&cuModuleGetFunction)>);
#if CUDA_VERSION >= 12040
static_assert(same_abi<decltype(Driver::function_load), decltype(&cuFuncLoad)>);
#endif
static_assert(same_abi<decltype(Driver::function_set_attribute), decltype(&cuFuncSetAttribute)>);
static_assert(same_abi<decltype(Driver::launch), decltype(&cuLaunchKernel)>);
static_assert(same_abi<decltype(Driver::graph_instantiate), decltype(&cuGraphInstantiateWithFlags)>);
static_assert(same_abi<decltype(Driver::graph_upload), decltype(&cuGraphUpload)>);
static_assert(same_abi<decltype(Driver::graph_launch), decltype(&cuGraphLaunch)>);
static_assert(same_abi<decltype(Driver::graph_destroy), decltype(&cuGraphDestroy)>);
static_assert(same_abi<decltype(Driver::graph_exec_destroy), decltype(&cuGraphExecDestroy)>);

}  // namespace tuner::device
#endif
