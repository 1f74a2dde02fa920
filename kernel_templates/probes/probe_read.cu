// Reads a matrix A of M rows of N elements and, with FACT_reads_x, a vector x, and writes M values that depend on both.
//
// What it must do, so that its time is one a GEMV could reach and nothing less: load every byte of A once, have all of x
// in every block, merge across lanes by shuffles and across warps through shared memory as a sum has to, and store M
// values. A GEMV adds only the arithmetic.
//
// What it writes can be checked. Let h(bytes) be the xor of all 16-bit halves of these bytes (a value of y counts by its
// bits). For every batch b, with x_b the b-th column of x:
//   rows:  h(y[b * M + m]) = h(row m of A) ^ h(x_b);
//   flat:  with G = gridDim.x, values i and i + G are equal, and the xor of the first G values is
//          h(A) ^ (G odd ? h(x_0) ^ h(x_1) ^ ... : 0); every single one depends on all of x.
// In the dependent regime a block has weights on their way, or read, before it waits for its predecessor; all of x is
// read after that. No kernel that obeys the rule can fetch more before it.
//
// Without FACT_reads_x nothing is written, except one value with a probability of 2^-32 a thread, which keeps the loads.
#include "tuner_intrinsics.cuh"

// How x is loaded: a predecessor may write it while this kernel is there already.
#ifdef TUNER_DEPENDENT
#define PROBE_KEEP "ld.global"
#else
#define PROBE_KEEP "ld.global.nc"
#endif

namespace probe {

typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

// `Bytes` loaded at once, never kept in L1, folded to 32 bits.
template <int Bytes>
struct Loaded;

template <>
struct Loaded<16> {
  u32 a = 0, b = 0, c = 0, d = 0;
  __device__ __forceinline__ void stream(const char* from) {
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(from));
  }
  __device__ __forceinline__ void keep(const char* from) {
    asm volatile(PROBE_KEEP ".v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(from));
  }
  __device__ __forceinline__ u32 fold() const { return a ^ b ^ c ^ d; }
};

template <>
struct Loaded<4> {
  u32 a = 0;
  __device__ __forceinline__ void stream(const char* from) {
    asm volatile("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(a) : "l"(from));
  }
  __device__ __forceinline__ void keep(const char* from) {
    asm volatile(PROBE_KEEP ".u32 %0, [%1];" : "=r"(a) : "l"(from));
  }
  __device__ __forceinline__ u32 fold() const { return a; }
};

template <>
struct Loaded<2> {
  u16 a = 0;
  __device__ __forceinline__ void stream(const char* from) {
    asm volatile("ld.global.nc.L1::no_allocate.u16 %0, [%1];" : "=h"(a) : "l"(from));
  }
  __device__ __forceinline__ void keep(const char* from) {
    asm volatile(PROBE_KEEP ".u16 %0, [%1];" : "=h"(a) : "l"(from));
  }
  __device__ __forceinline__ u32 fold() const { return a; }
};

__device__ __forceinline__ u32 warp_xor(u32 v) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes >>= 1) v ^= __shfl_xor_sync(0xffffffffu, v, lanes);
  return v;
}

// Never true in practice, and the compiler cannot know it.
__device__ __forceinline__ bool improbable(u32 v) { return v == 0x5eed1e55u; }

// y's element i gets bits whose 16-bit halves xor to those of v.
__device__ __forceinline__ void store(void* y, u64 i, u32 v) {
  if constexpr (sizeof(FACT_y) == 8)
    ((u64*)y)[i] = v;
  else if constexpr (sizeof(FACT_y) == 4)
    ((u32*)y)[i] = v;
  else
    ((u16*)y)[i] = (u16)(v ^ (v >> 16));
}

}  // namespace probe

#if layout == layout_rows
// warps_per_row warps share a group of rows_per_warp rows; each lane keeps unroll loads of each row in flight.
namespace probe {

constexpr int kWarps = block_size / 32;
constexpr int kGroups = kWarps / warps_per_row;
constexpr int kStep = warps_per_row * 32 * vector_bytes;  // bytes the group reads at once of each row
typedef Loaded<vector_bytes> Load;

// Folds `unroll` vectors of each row and the x beside them, from byte k of the row on; `whole`: all of them exist;
// `first`: x may not be there yet.
template <bool whole, bool first>
__device__ __forceinline__ void chunk(const char* row, u64 stride, const char* x, int k, int row_bytes,
                                      u32 (&folds)[rows_per_warp], u32 (&x_folds)[FACT_batch]) {
  Load a[rows_per_warp][unroll];
#pragma unroll
  for (int u = 0; u < unroll; ++u)
#pragma unroll
    for (int r = 0; r < rows_per_warp; ++r)
      if (whole || k + u * kStep < row_bytes) a[r][u].stream(row + r * stride + k + u * kStep);
  if constexpr (first) wait_for_predecessor();
#if FACT_reads_x
#pragma unroll
  for (int b = 0; b < FACT_batch; ++b) {
    Load v[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u)
      if (whole || k + u * kStep < row_bytes) v[u].keep(x + (u64)b * row_bytes + k + u * kStep);
#pragma unroll
    for (int u = 0; u < unroll; ++u) x_folds[b] ^= v[u].fold();
  }
#endif
#pragma unroll
  for (int u = 0; u < unroll; ++u)
#pragma unroll
    for (int r = 0; r < rows_per_warp; ++r) folds[r] ^= a[r][u].fold();
}

#if FACT_reads_x
// Merges the group's lanes and warps and stores its values. Every thread of the block is here.
__device__ __forceinline__ void finish(const u32 (&folds)[rows_per_warp], const u32 (&x_folds)[FACT_batch], void* y,
                                       int m, int M) {
  constexpr int kValues = rows_per_warp * FACT_batch;
  const int lane = threadIdx.x % 32;
  wait_for_predecessor();  // whoever had no part of a row has not
  u32 values[kValues];
#pragma unroll
  for (int i = 0; i < kValues; ++i) values[i] = warp_xor(folds[i % rows_per_warp] ^ x_folds[i / rows_per_warp]);
#if warps_per_row == 1
  if (lane == 0 && m < M) {
#pragma unroll
    for (int i = 0; i < kValues; ++i) store(y, (u64)(i / rows_per_warp) * M + m + i % rows_per_warp, values[i]);
  }
#else
  __shared__ u32 shared[kWarps][kValues];
  const int warp = threadIdx.x / 32;
  if (lane == 0) {
#pragma unroll
    for (int i = 0; i < kValues; ++i) shared[warp][i] = values[i];
  }
  __syncthreads();
  if (warp % warps_per_row == 0 && m < M)
    for (int i = lane; i < kValues; i += 32) {
      u32 v = 0;
#pragma unroll
      for (int w = 0; w < warps_per_row; ++w) v ^= shared[warp + w][i];
      store(y, (u64)(i / rows_per_warp) * M + m + i % rows_per_warp, v);
    }
  if (gridDim.x * kGroups * rows_per_warp < M) __syncthreads();  // shared is used again
#endif
}
#endif

}  // namespace probe

// M is a multiple of rows_per_warp.
extern "C" __global__ __launch_bounds__(block_size) void probe_read(const char* A, const char* x, void* y, int M, int N,
                                                                    long long row_stride) {
  using namespace probe;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row_bytes = N * (int)sizeof(FACT_a);
  const u64 stride = (u64)row_stride * sizeof(FACT_a);
  let_successor_start();
  for (int first = blockIdx.x * kGroups * rows_per_warp; first < M; first += gridDim.x * kGroups * rows_per_warp) {
    const int m = first + warp / warps_per_row * rows_per_warp;
    u32 folds[rows_per_warp] = {}, x_folds[FACT_batch] = {};
    if (m < M) {
      const char* row = A + m * stride;
      int k = warp % warps_per_row * 32 * vector_bytes + lane * vector_bytes;
#ifdef TUNER_DEPENDENT
      chunk<false, true>(row, stride, x, k, row_bytes, folds, x_folds);
      k += unroll * kStep;
#endif
      for (; k + (unroll - 1) * kStep < row_bytes; k += unroll * kStep)
        chunk<true, false>(row, stride, x, k, row_bytes, folds, x_folds);
      if (unroll > 1 && k < row_bytes) chunk<false, false>(row, stride, x, k, row_bytes, folds, x_folds);
    }
#if FACT_reads_x
    finish(folds, x_folds, y, m, M);
#else
    u32 all = 0;
#pragma unroll
    for (int r = 0; r < rows_per_warp; ++r) all ^= folds[r];
    if (improbable(all)) store(y, m, all);
#endif
  }
}

#else
// The matrix as one run of 16-byte vectors, which all threads stride through together.
namespace probe {

// Folds what lies past the last whole vector of `bytes`; a few elements, so one thread of the grid or block does it.
__device__ __forceinline__ u32 tail_fold(const char* from, u64 bytes) {
  u32 v = 0;
  for (u64 i = bytes / 16 * 16; i < bytes; i += 2) v ^= *(const u16*)(from + i);
  return v;
}

}  // namespace probe

extern "C" __global__ __launch_bounds__(block_size) void probe_read(const char* A, const char* x, void* y, int M, int N,
                                                                    long long) {
  using namespace probe;
  const u64 bytes = (u64)M * (u64)N * sizeof(FACT_a), vectors = bytes / 16;
  const u64 step = (u64)gridDim.x * block_size;
  u64 i = (u64)blockIdx.x * block_size + threadIdx.x;
  let_successor_start();
  u32 fold = i == 0 ? tail_fold(A, bytes) : 0;
  for (; i + (unroll - 1) * step < vectors; i += unroll * step) {
    Loaded<16> a[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) a[u].stream(A + (i + u * step) * 16);
#pragma unroll
    for (int u = 0; u < unroll; ++u) fold ^= a[u].fold();
  }
  Loaded<16> rest[unroll];
#pragma unroll
  for (int u = 0; u < unroll - 1; ++u)
    if (i + u * step < vectors) rest[u].stream(A + (i + u * step) * 16);
  wait_for_predecessor();
#if FACT_reads_x
  const u64 x_bytes = (u64)N * FACT_batch * sizeof(FACT_a);
  if (threadIdx.x == 0) fold ^= tail_fold(x, x_bytes);
  for (u64 k = threadIdx.x; k < x_bytes / 16; k += block_size) {
    Loaded<16> v;
    v.keep(x + k * 16);
    fold ^= v.fold();
  }
#endif
#pragma unroll
  for (int u = 0; u < unroll - 1; ++u) fold ^= rest[u].fold();
#if FACT_reads_x
  constexpr int kWarps = block_size / 32;
  __shared__ u32 shared[kWarps];
  fold = warp_xor(fold);
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = fold;
  __syncthreads();
  u32 all = 0;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) all ^= shared[w];
  const u64 values = (u64)M * FACT_batch;
  for (u64 m = blockIdx.x + (u64)threadIdx.x * gridDim.x; m < values; m += step) store(y, m, all);
#else
  if (improbable(fold)) store(y, 0, fold);
#endif
}
#endif
