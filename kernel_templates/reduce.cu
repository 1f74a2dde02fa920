// y[0] = the sum of x, N floats. The stages of the classic reduction, each a variant: how a block adds up what its
// threads hold (`variant`), and how the blocks' sums become one (`finish`).
#include "tuner_intrinsics.cuh"

#define WARPS (block_size / 32)

constexpr bool kVectors = variant == variant_vectorised;
constexpr int kPerLoad = kVectors ? 4 : 1;
constexpr int kTile = block_size * unroll * kPerLoad;  // elements a block adds at a time

// --- what a block does with one value a thread; the sum is in thread 0 ------------------------------------------

#if variant == variant_interleaved || variant == variant_sequential

__device__ __forceinline__ float block_sum(float value) {
  __shared__ float sums[block_size];
  const int thread = threadIdx.x;
  sums[thread] = value;
  __syncthreads();
#if variant == variant_interleaved
  // Neighbours first: in every step the threads that add are spread over all warps.
  for (int step = 1; step < block_size; step *= 2) {
    if (thread % (2 * step) == 0) sums[thread] += sums[thread + step];
    __syncthreads();
  }
#else
  // Halves: the threads that add are the first ones, and a warp's addresses are consecutive.
  for (int half = block_size / 2; half > 0; half /= 2) {
    if (thread < half) sums[thread] += sums[thread + half];
    __syncthreads();
  }
#endif
  const float total = sums[0];
  __syncthreads();  // sums may be used again
  return total;
}

#else

__device__ __forceinline__ float block_sum(float value) {
  __shared__ float sums[WARPS];
  value = warp_sum(value);
  if (WARPS == 1) return value;
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  const float total = warp_sum(threadIdx.x % 32 < WARPS ? sums[threadIdx.x % 32] : 0.0f);
  __syncthreads();
  return total;
}

#endif

// --- what a thread reads -----------------------------------------------------------------------------------------

__device__ __forceinline__ float load(const float* from) {
  const Vector<4> word = load_vector<CacheHint::streaming, 4>(reinterpret_cast<const char*>(from));
  return bits_to_float(word.word[0]);
}

__device__ __forceinline__ float sum_of(const Vector<16>& v) {
  return (bits_to_float(v.word[0]) + bits_to_float(v.word[1])) + (bits_to_float(v.word[2]) + bits_to_float(v.word[3]));
}

// Elements in front of the first that vectors can begin at.
__device__ __forceinline__ int64_t elements_before(const float* x, int64_t N) {
  const int64_t elements = kVectors ? (int64_t)((16 - (address_of(x) & 15)) & 15) / 4 : 0;
  return elements < N ? elements : N;
}

// A whole tile: all loads are in flight before the first is used.
__device__ __forceinline__ float tile_sum(const float* x, int64_t tile) {
  float sum = 0;
#if variant == variant_vectorised
  const char* from = reinterpret_cast<const char*>(x + tile * kTile) + threadIdx.x * 16;
  Vector<16> held[unroll];
  repeat<unroll>([&](auto i) { held[i.value] = load_vector<CacheHint::streaming, 16, i.value * block_size * 16>(from); });
  repeat<unroll>([&](auto i) { sum += sum_of(held[i.value]); });
#else
  const float* from = x + tile * kTile + threadIdx.x;
  float held[unroll];
  repeat<unroll>([&](auto i) { held[i.value] = load(from + i.value * block_size); });
  repeat<unroll>([&](auto i) { sum += held[i.value]; });
#endif
  return sum;
}

// What this thread adds of the whole array. The last block also takes what lies in front of the first whole tile and
// behind the last.
__device__ __forceinline__ float thread_sum(const float* x, int64_t N) {
  const int64_t before = elements_before(x, N);
  const float* aligned = x + before;
  const int64_t tiles = (N - before) / kTile;
  float sum = 0;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) sum += tile_sum(aligned, tile);
  if (blockIdx.x == gridDim.x - 1) {
    for (int64_t i = threadIdx.x; i < before; i += block_size) sum += load(x + i);
    for (int64_t i = before + tiles * kTile + threadIdx.x; i < N; i += block_size) sum += load(x + i);
  }
  return sum;
}

// --- the launches ------------------------------------------------------------------------------------------------

extern "C" __global__ void __launch_bounds__(block_size)
    reduce(const float* x, float* y, float* partial, unsigned int* arrived, int64_t N, int blocks) {
  const float total = block_sum(thread_sum(x, N));
#if finish == finish_two_pass
  if (threadIdx.x == 0) partial[blockIdx.x] = total;
#else
  // Who arrives last adds up what all have left, in the order of the blocks: the sum does not depend on who that is.
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = total;
    __threadfence();
    is_last = atomicAdd(arrived, 1u) == (unsigned int)blocks - 1;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  float sum = 0;
  for (int i = threadIdx.x; i < blocks; i += block_size) sum += static_cast<volatile const float*>(partial)[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) y[0] = sum;
#endif
}

// The second pass: one block adds what the first left.
extern "C" __global__ void __launch_bounds__(block_size)
    add_partial(const float*, float* y, float* partial, unsigned int*, int64_t, int blocks) {
  float sum = 0;
  for (int i = threadIdx.x; i < blocks; i += block_size) sum += partial[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) y[0] = sum;
}
