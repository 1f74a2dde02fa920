// Each warp adds a b, of 16 x 16 and 16 x 8 elements, `steps` times to `chains` sums that do not wait for each other, by
// mma.sync.m16n8k16 (before sm_80 two of m16n8k8). y[w] is the 16 x 8 sum over the chains of warp w, row-major.
// https://docs.nvidia.com/cuda/parallel-thread-execution: mma.m16n8k16, mma.m16n8k8
#include "tuner_mma.cuh"

namespace probe {

typedef unsigned int u32;
typedef half_t Element;

__device__ __forceinline__ u32 pair(const Element* from) {
  return from[0].bits | static_cast<u32>(from[1].bits) << 16;
}

__device__ __forceinline__ void multiply(float (&sum)[4], const u32 (&a)[4], const u32 (&b)[2]) {
#if !defined(TUNER_HOST) && __CUDA_ARCH__ < 800
#pragma unroll
  for (int k = 0; k < 2; ++k)
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[2 * k]), "r"(a[2 * k + 1]), "r"(b[k]));
#else
  mma_16x8x16<Element>(sum, a, b[0], b[1]);
#endif
}

}  // namespace probe

// b lies column by column.
extern "C" __global__ __launch_bounds__(block_size) void probe_mma(const half_t* a, const half_t* b, float* y,
                                                                   int steps) {
  using namespace probe;
  const int lane = threadIdx.x % 32, row = lane / 4, column = lane % 4 * 2;
  const u32 of_a[4] = {pair(a + row * 16 + column), pair(a + (row + 8) * 16 + column), pair(a + row * 16 + column + 8),
                       pair(a + (row + 8) * 16 + column + 8)};
  const u32 of_b[2] = {pair(b + row * 16 + column), pair(b + row * 16 + column + 8)};
  float sums[chains][4] = {};
  for (int i = 0; i < steps / chains; ++i) {
#pragma unroll
    for (int c = 0; c < chains; ++c) multiply(sums[c], of_a, of_b);
  }
  float* const mine = y + (static_cast<long long>(blockIdx.x) * (block_size / 32) + threadIdx.x / 32) * 128;
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    float sum = 0;
#pragma unroll
    for (int c = 0; c < chains; ++c) sum += sums[c][e];
    mine[(row + e / 2 * 8) * 8 + column + e % 2] = sum;
  }
}
