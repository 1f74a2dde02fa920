// A reduction as it is often taught, right for block sizes that are powers of two from 64 on, with faults to find.
#include "tuner_intrinsics.cuh"

extern "C" __global__ void reduce(const float* in, float* out, int N, int) {
  __shared__ float smem[block_size];
  int tid = threadIdx.x;
  int i = blockIdx.x * block_size * 2 + tid;
#if fault == fault_dropped_tail
  smem[tid] = (i < N ? in[i] : 0.f) + (i + block_size < N - 1 ? in[i + block_size] : 0.f);
#else
  smem[tid] = (i < N ? in[i] : 0.f) + (i + block_size < N ? in[i + block_size] : 0.f);
#endif
  __syncthreads();
  for (int s = block_size / 2; s > 32; s >>= 1) {
    if (tid < s) smem[tid] += smem[tid + s];
#if fault != fault_missing_barrier
    __syncthreads();
#endif
  }
  if (tid < 32) {
    float sum = smem[tid] + smem[tid + 32];
    for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (tid == 0) out[blockIdx.x] = sum;
  }
}
