// Every block reads the same `vectors` vectors of 16 bytes `passes` times from one level of memory, of which LEVEL tells:
//   LEVEL_SHARED: its own copy in shared memory;
//   LEVEL_L1:     global memory, through L1, which holds all of them;
//   LEVEL_L2:     global memory, past L1; L2 holds all of them. Blocks begin at different places.
// sums[b] = passes * (the sum of all words), modulo 2^32, of each block b: no read can be left out.
#include "tuner_intrinsics.cuh"

#define LEVEL_SHARED 1
#define LEVEL_L1 2
#define LEVEL_L2 3

namespace probe {

typedef unsigned int u32;

struct Words {
  u32 a, b, c, d;
};

#if LEVEL == LEVEL_SHARED && !defined(TUNER_HOST)
typedef u32 Place;  // an address of shared memory
#else
typedef const char* Place;
#endif

__device__ __forceinline__ Words load(Place from) {
  Words w;
#ifdef TUNER_HOST
  __builtin_memcpy(&w, from, 16);
#elif LEVEL == LEVEL_SHARED
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(w.a), "=r"(w.b), "=r"(w.c), "=r"(w.d) : "r"(from));
#elif LEVEL == LEVEL_L1
  asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(w.a), "=r"(w.b), "=r"(w.c), "=r"(w.d) : "l"(from));
#else
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(w.a), "=r"(w.b), "=r"(w.c), "=r"(w.d) : "l"(from));
#endif
  return w;
}

constexpr int kStep = block_size * unroll;  // vectors that a block reads at once

// Vectors [first, end), both multiples of kStep.
__device__ __forceinline__ u32 read(Place base, int first, int end) {
  u32 sum = 0;
  for (int i = first; i < end; i += kStep) {
    Words w[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) w[u] = load(base + static_cast<unsigned int>(i + u * block_size) * 16);
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      sum += w[u].a + w[u].b;
      sum += w[u].c + w[u].d;
    }
  }
  return sum;
}

// The sum over the block, in thread 0.
__device__ __forceinline__ u32 block_sum(u32 sum) {
  __shared__ u32 of_warp[block_size / 32];
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  u32 all = 0;
  if (threadIdx.x == 0)
    for (int w = 0; w < block_size / 32; ++w) all += of_warp[w];
  return all;
}

}  // namespace probe

extern "C" __global__ __launch_bounds__(block_size) void probe_cache(const unsigned int* from, unsigned int* sums,
                                                                     int vectors, int passes, int) {
  using namespace probe;
#if LEVEL == LEVEL_SHARED
  extern __shared__ __align__(16) char held[];
  for (int i = threadIdx.x; i < vectors * 4; i += block_size) reinterpret_cast<u32*>(held)[i] = from[i];
  __syncthreads();
#ifdef TUNER_HOST
  const Place base = held + threadIdx.x * 16;
#else
  const Place base = static_cast<u32>(__cvta_generic_to_shared(held)) + threadIdx.x * 16;
#endif
  const int start = 0;
#else
  const Place base = reinterpret_cast<const char*>(from) + threadIdx.x * 16;
#if LEVEL == LEVEL_L2
  const int start = static_cast<int>(static_cast<long long>(vectors / kStep) * blockIdx.x / gridDim.x) * kStep;
#else
  const int start = 0;
#endif
#endif
  u32 sum = 0;
  for (int pass = 0; pass < passes; ++pass) sum += read(base, start, vectors) + read(base, 0, start);
  sum = block_sum(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
