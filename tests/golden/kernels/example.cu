// y = A x for the goldens: small, and unchanged when the shipped templates change.
#include "tuner_intrinsics.cuh"

#define EXAMPLE_ARGUMENTS const float *__restrict__ A, const float *__restrict__ x, float *__restrict__ y, int M, int N

extern "C" __global__ void __launch_bounds__(block_size) example(EXAMPLE_ARGUMENTS) {
#if variant == variant_warp
  const int row = (blockIdx.x * block_size + threadIdx.x) / 32;
  float sum = 0;
  if (row < M)
    for (int n = threadIdx.x % 32; n < N; n += 32) sum += A[static_cast<long long>(row) * N + n] * x[n];
  sum = warp_sum(sum);
  if (row < M && threadIdx.x % 32 == 0) y[row] = sum;
#else
  const int row = blockIdx.x * block_size + threadIdx.x;
  if (row >= M) return;
  float sum = 0;
#if variant == variant_unrolled
#pragma unroll unroll_by
#endif
  for (int n = 0; n < N; ++n) sum += A[static_cast<long long>(row) * N + n] * x[n];
  y[row] = sum;
#endif
}
