// Inclusive prefix sums with one fault, chosen by `fault`: what verification must reject. A block scans a tile in shared
// memory and adds what the block before it has left.
#include "tuner_intrinsics.cuh"

constexpr unsigned long long kReady = 1ull << 32;

__device__ __forceinline__ float block_scan(float value) {
#if fault == fault_race
  __shared__ float sums[block_size];
#else
  __shared__ float sums[2][block_size];
  int from = 0;
#endif
  const int thread = threadIdx.x;
#if fault == fault_race
  // In place: a thread may read what its neighbour has already added to.
  sums[thread] = value;
  __syncthreads();
  for (int distance = 1; distance < block_size; distance *= 2) {
    if (thread >= distance) sums[thread] += sums[thread - distance];
    __syncthreads();
  }
  return sums[thread];
#else
  sums[0][thread] = value;
  __syncthreads();
  for (int distance = 1; distance < block_size; distance *= 2) {
    sums[1 - from][thread] = sums[from][thread] + (thread >= distance ? sums[from][thread - distance] : 0.0f);
    from = 1 - from;
#if fault != fault_missing_barrier
    __syncthreads();
#endif
  }
  return sums[from][thread];
#endif
}

// The last thread takes what the tile before has left and leaves what is then so far.
__device__ __forceinline__ float sum_before(unsigned long long* state, int tile, float all) {
  __shared__ float before;
  if (threadIdx.x == block_size - 1) {
    unsigned long long word = tile == 0 ? kReady : 0;
    do {
      if (tile > 0) word = *static_cast<volatile unsigned long long*>(state + tile);
#if fault == fault_no_wait
      break;
#endif
    } while (word < kReady);
    before = bits_to_float((unsigned int)word);
#if fault == fault_lost_carry
    *static_cast<volatile unsigned long long*>(state + tile + 1) = kReady | float_to_bits(all);
#else
    *static_cast<volatile unsigned long long*>(state + tile + 1) = kReady | float_to_bits(before + all);
#endif
  }
#if fault == fault_divergent_barrier
  if (threadIdx.x < block_size - 1)
#endif
    __syncthreads();
  return before;
}

extern "C" __global__ void __launch_bounds__(block_size)
    scan(const float* x, float* y, unsigned long long* state, long long N, int) {
  __shared__ int drawn;
  if (threadIdx.x == 0) drawn = (int)atomicAdd(reinterpret_cast<unsigned int*>(state), 1u);
  __syncthreads();
#if fault == fault_no_wait
  const int tile = blockIdx.x;
#else
  const int tile = drawn;
#endif
  const long long i = (long long)tile * block_size + threadIdx.x;
#if fault == fault_dropped_tail
  const float value = i < N - 1 ? x[i] : 0.0f;
#else
  const float value = i < N ? x[i] : 0.0f;
#endif
  const float sum = block_scan(value);
  const float before = sum_before(state, tile, sum);
  if (i < N) y[i] = before + sum;
}
