// Our declarations of cuBLAS against the toolkit's header, at compile time; nothing where there is none.
#include "device/cublas.h"

#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>

#include "device/abi.h"

namespace tuner::device {

static_assert(blas::kOpNone == CUBLAS_OP_N && blas::kOpTranspose == CUBLAS_OP_T);
static_assert(blas::kReal32 == CUDA_R_32F && blas::kReal16 == CUDA_R_16F && blas::kRealBf16 == CUDA_R_16BF);
static_assert(blas::kCompute32 == CUBLAS_COMPUTE_32F && blas::kDefaultAlgorithm == CUBLAS_GEMM_DEFAULT);
static_assert(blas::kNotSupported == CUBLAS_STATUS_NOT_SUPPORTED);

using GemmEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
                                  const void*, cudaDataType, int, const void*, cudaDataType, int, const void*, void*,
                                  cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t);
// The header overloads cublasGemmEx: this picks the one with C linkage, and fails where there is none like it.
inline constexpr GemmEx kGemmEx = nullptr;
static_assert(sizeof(static_cast<GemmEx>(&cublasGemmEx)) == sizeof(kGemmEx));

static_assert(same_abi<decltype(CublasApi::create), decltype(&cublasCreate_v2)>);
static_assert(same_abi<decltype(CublasApi::destroy), decltype(&cublasDestroy_v2)>);
static_assert(same_abi<decltype(CublasApi::set_stream), decltype(&cublasSetStream_v2)>);
static_assert(same_abi<decltype(CublasApi::set_workspace), decltype(&cublasSetWorkspace_v2)>);
static_assert(same_abi<decltype(CublasApi::gemm), GemmEx>);

}  // namespace tuner::device
#endif
