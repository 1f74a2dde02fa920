// CUB's device-wide inclusive sum.
#include <cub/device/device_scan.cuh>

const char* scan_cub(const float* x, float* y, long long N, int, void* workspace, size_t* bytes, cudaStream_t stream) {
  const cudaError_t result = cub::DeviceScan::InclusiveSum(workspace, *bytes, x, y, N, stream);
  return result == cudaSuccess ? nullptr : cudaGetErrorString(result);
}
