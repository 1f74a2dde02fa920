// Those of N floats above a threshold, in their order, with one fault, chosen by `fault`: what verification must reject.
// A warp numbers what it keeps by votes; a block begins where the one before it has ended.
#include "tuner_intrinsics.cuh"

#define WARPS (block_size / 32)

constexpr unsigned long long kReady = 1ull << 32;

// What the warps before this one keep, and all of them.
__device__ __forceinline__ unsigned int warps_before(unsigned int own, unsigned int& all) {
  __shared__ unsigned int counts[WARPS];
  const int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) counts[warp] = own;
#if fault != fault_missing_barrier
  __syncthreads();
#endif
  unsigned int before = 0;
  all = 0;
  for (int i = 0; i < WARPS; ++i) {
    if (i < warp) before += counts[i];
    all += counts[i];
  }
  return before;
}

// Where the tile begins: what the one before it has left.
__device__ __forceinline__ unsigned int tile_begins(unsigned long long* state, int tile, unsigned int own) {
  __shared__ unsigned int begin;
  if (threadIdx.x == 0) {
#if fault == fault_unordered
    begin = (unsigned int)atomicAdd(state + 1, (unsigned long long)own);
#else
    unsigned long long word = tile == 0 ? kReady : 0;
    while (word < kReady) word = *static_cast<volatile unsigned long long*>(state + tile);
    begin = (unsigned int)word;
    *static_cast<volatile unsigned long long*>(state + tile + 1) = kReady | (begin + own);
#endif
  }
  __syncthreads();
  return begin;
}

extern "C" __global__ void __launch_bounds__(block_size)
    compact(const float* x, float* y, long long* count, unsigned long long* state, long long N, float threshold,
            int tiles) {
  __shared__ int drawn;
  if (threadIdx.x == 0) drawn = (int)atomicAdd(reinterpret_cast<unsigned int*>(state), 1u);
  __syncthreads();
#if fault == fault_unordered
  const int tile = blockIdx.x;
#else
  const int tile = drawn;
#endif
  const long long i = (long long)tile * block_size + threadIdx.x;
#if fault == fault_dropped_tail
  const long long last = N / 32 * 32;
#else
  const long long last = N;
#endif
  const float value = i < last ? x[i] : 0.0f;
#if fault == fault_wrong_comparison
  const bool keeps = i < last && value >= threshold - 1.0f;
#else
  const bool keeps = i < last && value > threshold;
#endif
  const unsigned int votes = __ballot_sync(0xffffffffu, keeps);
#if fault == fault_counts_itself
  const unsigned int lanes = 0xffffffffu >> (31 - threadIdx.x % 32);
#else
  const unsigned int lanes = (1u << threadIdx.x % 32) - 1;
#endif
  unsigned int all = 0;
  const unsigned int before = warps_before(__popc(votes), all);
  const unsigned int begin = tile_begins(state, tile, all);
  const unsigned int to = begin + before + __popc(votes & lanes);
  if (keeps && to < N) y[to] = value;  // counts without a barrier may be anything
#if fault == fault_overwrites_rest
  if (i < last && !keeps && begin + all + threadIdx.x < N) y[begin + all + threadIdx.x] = value;
#endif
#if fault == fault_no_count
  if (tile == tiles) *count = begin + all;
#else
  if (tile == tiles - 1 && threadIdx.x == 0) *count = begin + all;
#endif
}
