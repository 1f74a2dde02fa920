// Our declarations of NVTX against the toolkit's headers, at compile time; nothing where there are none.
#include "device/nvtx_api.h"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>

#include <type_traits>

namespace tuner::device {

static_assert(nvtx::kVersion == NVTX_VERSION);
static_assert(nvtx::kCallbacks == NVTX_ETID_CALLBACKS && nvtx::kVersionInfo == NVTX_ETID_VERSIONINFO);
static_assert(nvtx::kCore == NVTX_CB_MODULE_CORE && nvtx::kModuleSizes.size() == NVTX_CB_MODULE_SIZE);
static_assert(nvtx::kRangePushA == NVTX_CBID_CORE_RangePushA && nvtx::kRangePop == NVTX_CBID_CORE_RangePop);
static_assert(nvtx::kModuleSizes[NVTX_CB_MODULE_CORE] == NVTX_CBID_CORE_SIZE);
static_assert(nvtx::kModuleSizes[NVTX_CB_MODULE_CUDA] == NVTX_CBID_CUDA_SIZE);
static_assert(nvtx::kModuleSizes[NVTX_CB_MODULE_OPENCL] == NVTX_CBID_OPENCL_SIZE);
static_assert(nvtx::kModuleSizes[NVTX_CB_MODULE_CUDART] == NVTX_CBID_CUDART_SIZE);
static_assert(nvtx::kModuleSizes[NVTX_CB_MODULE_CORE2] == NVTX_CBID_CORE2_SIZE);
static_assert(nvtx::kModuleSizes[NVTX_CB_MODULE_SYNC] == NVTX_CBID_SYNC_SIZE);
static_assert(std::is_same_v<nvtx::RangePushA, nvtxRangePushA_impl_fntype>);
static_assert(std::is_same_v<nvtx::RangePop, nvtxRangePop_impl_fntype>);
static_assert(std::is_same_v<nvtx::GetExportTable, NvtxGetExportTableFunc_t>);
static_assert(std::is_same_v<nvtx::Initialize, NvtxInitializeInjectionNvtxFunc_t>);
static_assert(std::is_same_v<nvtx::Function**, NvtxFunctionTable>);
static_assert(sizeof(nvtx::Callbacks) == sizeof(NvtxExportTableCallbacks));
static_assert(offsetof(nvtx::Callbacks, module_functions) ==
              offsetof(NvtxExportTableCallbacks, GetModuleFunctionTable));
static_assert(sizeof(nvtx::VersionInfo) == sizeof(NvtxExportTableVersionInfo));
static_assert(offsetof(nvtx::VersionInfo, version) == offsetof(NvtxExportTableVersionInfo, version));

}  // namespace tuner::device
#endif
