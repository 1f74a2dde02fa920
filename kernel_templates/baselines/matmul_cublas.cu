// cuBLAS' product of row-major matrices: c^T = b^T a^T in its column-major terms. Sums are fp32: neither TF32 nor parts of
// sums in f16, which the default of a product split along K allows itself.
#include <cublas_v2.h>
#include <cuda_fp16.h>

namespace {

cublasHandle_t handle() {
  static cublasHandle_t made = [] {
    cublasHandle_t fresh = nullptr;
    if (cublasCreate(&fresh) == CUBLAS_STATUS_SUCCESS)
      cublasSetMathMode(fresh, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
    return fresh;
  }();
  return made;
}

const char* product(const void* a, const void* b, void* c, cudaDataType_t in, cudaDataType_t out, int M, int N, int K,
                    void* workspace, size_t* bytes, cudaStream_t stream) {
  *bytes = size_t(32) << 20;
  if (workspace == nullptr) return nullptr;
  if (handle() == nullptr) return "cuBLAS does not start";
  cublasSetStream(handle(), stream);
  cublasSetWorkspace(handle(), workspace, *bytes);
  const float one = 1, zero = 0;
  const cublasStatus_t result = cublasGemmEx(handle(), CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &one, b, in, N, a, in, K,
                                             &zero, c, out, N, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  return result == CUBLAS_STATUS_SUCCESS ? nullptr : cublasGetStatusString(result);
}

}  // namespace

const char* matmul_cublas_f32(const float* a, const float* b, float* c, int M, int N, int K, void* workspace,
                              size_t* bytes, cudaStream_t stream) {
  return product(a, b, c, CUDA_R_32F, CUDA_R_32F, M, N, K, workspace, bytes, stream);
}

const char* matmul_cublas_f16(const __half* a, const __half* b, __half* c, int M, int N, int K, void* workspace,
                              size_t* bytes, cudaStream_t stream) {
  return product(a, b, c, CUDA_R_16F, CUDA_R_16F, M, N, K, workspace, bytes, stream);
}
