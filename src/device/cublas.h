// cuBLAS as a baseline, opened on first use; optional.
#pragma once

#include <string>
#include <vector>

#include "device/device.h"
#include "device/driver_api.h"
#include "device/shared_library.h"

namespace tuner::device {

struct CublasApi {
  using Handle = struct CublasTag*;
  int (*create)(Handle* handle);
  int (*destroy)(Handle handle);
  int (*set_stream)(Handle handle, cu::Stream stream);
  int (*set_workspace)(Handle handle, void* workspace, std::size_t bytes);
  int (*gemm)(Handle handle, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a, int a_type,
              int lda, const void* b, int b_type, int ldb, const void* beta, void* c, int c_type, int ldc,
              int compute_type, int algorithm);
};

// Constants of cublas_api.h and library_types.h; compared with them in cublas_check.cpp.
namespace blas {
inline constexpr int kOpNone = 0;
inline constexpr int kOpTranspose = 1;
inline constexpr int kReal32 = 0;
inline constexpr int kReal16 = 2;
inline constexpr int kRealBf16 = 14;
inline constexpr int kCompute32 = 68;
inline constexpr int kDefaultAlgorithm = -1;
inline constexpr int kNotSupported = 15;
}  // namespace blas

class Cublas {
 public:
  static constexpr std::int64_t kWorkspaceBytes = std::int64_t{32} << 20;

  // Tries every place a cuBLAS may lie, then makes a handle on `stream` with `workspace`. Empty: it is ready; else what
  // was tried and why each failed. `TUNER_CUBLAS` names the one library to try.
  std::string open(cu::Stream stream, Address workspace);
  void close();

  // Enqueues y = A x for pair `copy`. Empty text: enqueued.
  std::string gemv(const Device::Gemv& gemv, std::size_t copy);

 private:
  std::string start(SharedLibrary& library, cu::Stream stream, Address workspace);

  CublasApi api_{};
  CublasApi::Handle handle_ = nullptr;
};

// Paths to try, in order: the loader's, CUDA_HOME, the usual folders, Python's packages.
std::vector<std::string> cublas_paths();

}  // namespace tuner::device
