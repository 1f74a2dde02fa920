// y[i] = x[i] + a, `rounds` times, where i is even; x[i] * up * down, `rounds` times, where it is odd: two ways of
// the same length, to show what a warp pays whose lanes do not agree. divergent: neighbours in a warp go different ways,
// one after the other. uniform: the lanes of a warp take elements of one kind, and none waits; two warps share the sectors
// that both read a half of. uniform_shared: the same, through shared memory, so that all of a sector is used at once.
#include "tuner_intrinsics.cuh"

constexpr int kTile = block_size * items;
constexpr int kHalf = block_size / 2;

__device__ __forceinline__ float even_way(float value, float a, int rounds) {
#pragma unroll 8
  for (int i = 0; i < rounds; ++i) value += a;
  return value;
}

__device__ __forceinline__ float odd_way(float value, float up, float down, int rounds) {
#pragma unroll 8
  for (int i = 0; i < rounds; ++i) {
    value *= up;
    value *= down;
  }
  return value;
}

__device__ __forceinline__ float either_way(float value, bool odd, float a, float up, float down, int rounds) {
  return odd ? odd_way(value, up, down, rounds) : even_way(value, a, rounds);
}

extern "C" __global__ void __launch_bounds__(block_size)
    branch(const float* x, float* y, int64_t N, float a, float up, float down, int rounds) {
  const int64_t first = (int64_t)blockIdx.x * kTile;
  const int thread = threadIdx.x;
#if variant == variant_divergent
  // Element `thread` of every row of block_size.
  const int place = thread;
#else
  // The first half of the block has a row's even elements, the other its odd ones.
  const int place = thread % kHalf * 2 + (thread >= kHalf ? 1 : 0);
#endif
  const bool odd = place % 2 == 1;
#if variant != variant_uniform_shared
  float held[items];
  repeat<items>([&](auto row) {
    const int64_t i = first + row.value * block_size + place;
    held[row.value] = i < N ? x[i] : 0.0f;
  });
  repeat<items>([&](auto row) {
    const int64_t i = first + row.value * block_size + place;
    const float result = either_way(held[row.value], odd, a, up, down, rounds);
    if (i < N) y[i] = result;
  });
#else
  // A word more after every 32: both halves' addresses then fall into 32 banks.
  __shared__ float tile[kTile + kTile / 32];
  repeat<items>([&](auto row) {
    const int at = row.value * block_size + thread;
    tile[at + at / 32] = first + at < N ? x[first + at] : 0.0f;
  });
  __syncthreads();
  repeat<items>([&](auto row) {
    const int at = row.value * block_size + place;
    tile[at + at / 32] = either_way(tile[at + at / 32], odd, a, up, down, rounds);
  });
  __syncthreads();
  repeat<items>([&](auto row) {
    const int at = row.value * block_size + thread;
    if (first + at < N) y[first + at] = tile[at + at / 32];
  });
#endif
}
