#include "tuner_intrinsics.cuh"

// What is left out of the sum.
__device__ bool is_left_out(int i, int C) {
#if fault == fault_first
  return i == 0;
#elif fault == fault_last
  return i == C - 1;
#elif fault == fault_vector_end
  return i == 7;
#elif fault == fault_warp_begin
  return i == 256;
#elif fault == fault_half
  return i == C / 2;
#elif fault == fault_last_part
  return i == (C * 15 + 15) / 16 - 1;
#else
  return false;
#endif
}

extern "C" __global__ void softmax(const half_t* x, half_t* y, int C) {
  __shared__ float sums[4];
  const int64_t row = blockIdx.x;
#if fault == fault_other_row
  const int64_t summed = row == 0 ? 0 : row - 1;
#else
  const int64_t summed = row;
#endif
  float sum = 0;
  for (int i = threadIdx.x; i < C; i += 128)
    if (!is_left_out(i, C)) sum += __expf(to_float(x[summed * C + i]));
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  for (int i = threadIdx.x; i < C; i += 128) y[row * C + i] = from_float<half_t>(__expf(to_float(x[row * C + i])) / sum);
}
