// One thread makes `hops` steps of which each needs the result of the one before; LEVEL says what a step is:
//   LEVEL_REGISTER: a multiplication with addition;
//   LEVEL_CONSTANT: a load from a table in constant memory that its cache holds;
//   LEVEL_SHARED:   a load of the next place in a ring of `lines` words in shared memory;
//   LEVEL_L1, LEVEL_L2, LEVEL_MEMORY: of the next address in a ring of `lines` lines of 128 bytes in global memory.
// Line i is followed by line (i * 1664525 + 1013904223) % lines, which visits all; lines is a power of two. `build`
// writes the ring, and `spare` lines behind it, which for LEVEL_MEMORY drive the ring out of L2.
// last[0] is where the thread stands in the end (of registers and constants: how many steps it made).
#include "tuner_intrinsics.cuh"

#define LEVEL_REGISTER 0
#define LEVEL_SHARED 1
#define LEVEL_L1 2
#define LEVEL_L2 3
#define LEVEL_MEMORY 4
#define LEVEL_CONSTANT 5

#define TABLE_WORDS 256
#if LEVEL == LEVEL_CONSTANT
__constant__ unsigned int table[TABLE_WORDS];  // word i holds 4 * (i + 1)
#endif

namespace probe {

typedef unsigned long long u64;
typedef unsigned int u32;

constexpr int kLine = 16;  // words of 8 bytes

__device__ __forceinline__ u32 next(u32 i, int lines) { return (i * 1664525u + 1013904223u) & (lines - 1); }

__device__ __forceinline__ u64 load(u64 address) {
  u64 value;
#ifdef TUNER_HOST
  value = *reinterpret_cast<const u64*>(address);
#elif LEVEL == LEVEL_L1
  asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(value) : "l"(address));
#else
  asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(value) : "l"(address));
#endif
  return value;
}

}  // namespace probe

extern "C" __global__ void build(unsigned long long* ring, int lines, int spare) {
  using namespace probe;
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= lines + spare) return;
  ring[static_cast<long long>(i) * kLine] =
      i < lines ? address_of(ring + static_cast<long long>(next(i, lines)) * kLine) : 0;
}

extern "C" __global__ void probe_latency(unsigned long long* ring, long long* last, int lines, int, int hops,
                                         float one) {
  using namespace probe;
#if LEVEL == LEVEL_REGISTER
  float count = 0;
#pragma unroll 64
  for (int i = 0; i < hops; ++i) {
#ifdef TUNER_HOST
    count = fmaf(count, one, one);
#else
    asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(count) : "f"(one));
#endif
  }
  last[0] = static_cast<long long>(count);
#elif LEVEL == LEVEL_CONSTANT
  u32 at = 0;
  long long steps = 0;
  for (int round = 0; round < hops / TABLE_WORDS; ++round) {
#pragma unroll 64
    for (int i = 0; i < TABLE_WORDS; ++i) at = *reinterpret_cast<const u32*>(reinterpret_cast<const char*>(table) + at);
    steps += at / 4;
    at -= TABLE_WORDS * 4;
  }
  last[0] = steps;
#elif LEVEL == LEVEL_SHARED
  __shared__ u32 held[1024];
#ifdef TUNER_HOST
  for (int i = 0; i < lines; ++i) held[i] = next(i, lines) * 4;
  u32 at = 0;
  for (int i = 0; i < hops; ++i) at = held[at / 4];
  last[0] = at / 4;
#else
  const u32 base = static_cast<u32>(__cvta_generic_to_shared(held));
  for (int i = 0; i < lines; ++i) held[i] = base + next(i, lines) * 4;
  __syncthreads();
  u32 at = base;
#pragma unroll 64
  for (int i = 0; i < hops; ++i) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
  last[0] = (at - base) / 4;
#endif
#else
  u64 at = address_of(ring);
#pragma unroll 64
  for (int i = 0; i < hops; ++i) at = load(at);
  last[0] = static_cast<long long>((at - address_of(ring)) / (kLine * 8));
#endif
}
