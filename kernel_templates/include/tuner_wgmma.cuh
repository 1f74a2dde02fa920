// Products of a warp group (128 threads) whose operands are in shared memory, sm_90a only, and what they do on the host
// device: each thread computes the elements that it would hold.
// https://docs.nvidia.com/cuda/parallel-thread-execution: wgmma.mma_async, fence.proxy.async
//
// Both operands lie as the tensor cores' swizzle of 128 bytes wants them: rows of 128 bytes, 64 elements, whose chunks
// of 16 bytes have changed places by exclusive or with the row's number modulo 8. A tile begins at a multiple of 1024
// bytes.
#pragma once

#include "tuner_mma.cuh"

#ifdef TUNER_HOST

// Before the products of what this thread has copied; a barrier comes between.
__device__ __forceinline__ void publish_copies() {}
__device__ __forceinline__ void begin_products() {}
__device__ __forceinline__ void commit_products() {}
template <int pending, int n, int rows>
__device__ __forceinline__ void wait_for_products(float (&)[rows][n / 2]) {}

__device__ __forceinline__ unsigned int swizzled(const char* tile, int row, int column) {
  return reinterpret_cast<const unsigned short*>(tile + row * 128 + (column / 8 ^ row % 8) * 16)[column % 8];
}

template <int n>
__device__ __forceinline__ void multiply_add(float (&sum)[n / 2], SharedPointer a, int k, SharedPointer b, int panel) {
  const int lane = threadIdx.x % 32, first = threadIdx.x / 32 % 4 * 16 + lane / 4;
  for (int i = 0; i < n / 2; ++i) {
    const int row = first + i / 2 % 2 * 8, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
    for (int at = k; at < k + 16; at += 2) {
      const char* of_b = b + column / 64 * panel;
      const unsigned int left = swizzled(a, row, at) | swizzled(a, row, at + 1) << 16;
      const unsigned int right = swizzled(of_b, at, column % 64) | swizzled(of_b, at + 1, column % 64) << 16;
      sum[i] = WordDot<half_t>::add(left, right, sum[i]);
    }
  }
}

#else

// Before the products of what this thread has copied; a barrier comes between.
__device__ __forceinline__ void publish_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ __forceinline__ void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
// What has been multiplied since the last call is a group.
__device__ __forceinline__ void commit_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// Until at most `pending` of this warp group's groups are on their way; the sums are not touched before.
template <int pending, int n, int rows>
__device__ __forceinline__ void wait_for_products(float (&sum)[rows][n / 2]) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
  if constexpr (pending == 0) {
#pragma unroll
    for (int i = 0; i < rows; ++i)
#pragma unroll
      for (int j = 0; j < n / 2; ++j) asm volatile("" : "+f"(sum[i][j])::"memory");
  }
}

// How an operand lies: its address, from one panel of 64 columns to the next, from 8 rows to the next, the swizzle.
__device__ __forceinline__ uint64_t operand(SharedPointer tile, int panel) {
  return (uint64_t)((tile & 0x3ffff) >> 4) | (uint64_t)(panel >> 4) << 16 | (uint64_t)(1024 >> 4) << 32 |
         (uint64_t)1 << 62;
}

#define TUNER_8(x, at) x(at), x(at + 1), x(at + 2), x(at + 3), x(at + 4), x(at + 5), x(at + 6), x(at + 7)
#define TUNER_32(x, at) TUNER_8(x, at), TUNER_8(x, at + 8), TUNER_8(x, at + 16), TUNER_8(x, at + 24)
#define TUNER_SUM(at) "+f"(sum[at])
#define TUNER_NAMES_32                                                                                        \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, " \
  "%23, %24, %25, %26, %27, %28, %29, %30, %31"
#define TUNER_NAMES_64                                                                                               \
  TUNER_NAMES_32                                                                                                     \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, " \
  "%54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define TUNER_NAMES_128                                                                                              \
  TUNER_NAMES_64                                                                                                     \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, " \
  "%86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, " \
  "%107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, "     \
  "%125, %126, %127"

// sum += a b of f16: a is 64 rows from `a` on, columns [k, k + 16) of its 64; b is n columns of panels of 64, `panel`
// bytes apart, rows [k, k + 16) of its 64. Element i of a thread is in row i / 2 % 2 * 8 + lane / 4 of its warp's 16,
// column i / 4 * 8 + lane % 4 * 2 + i % 2.
template <int n>
__device__ __forceinline__ void multiply_add(float (&sum)[n / 2], SharedPointer a, int k, SharedPointer b, int panel) {
  static_assert(n == 64 || n == 128 || n == 256, "64, 128 or 256 columns");
  const uint64_t left = operand(a + k * 2, 16), right = operand(b + k * 128, panel);
  if constexpr (n == 64)
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" TUNER_NAMES_32 "}, %32, %33, 1, 1, 1, 0, 1;"
                 : TUNER_32(TUNER_SUM, 0)
                 : "l"(left), "l"(right));
  else if constexpr (n == 128)
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" TUNER_NAMES_64 "}, %64, %65, 1, 1, 1, 0, 1;"
                 : TUNER_32(TUNER_SUM, 0), TUNER_32(TUNER_SUM, 32)
                 : "l"(left), "l"(right));
  else
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {" TUNER_NAMES_128 "}, %128, %129, 1, 1, 1, 0, 1;"
                 : TUNER_32(TUNER_SUM, 0), TUNER_32(TUNER_SUM, 32), TUNER_32(TUNER_SUM, 64), TUNER_32(TUNER_SUM, 96)
                 : "l"(left), "l"(right));
}

#undef TUNER_8
#undef TUNER_32
#undef TUNER_SUM
#undef TUNER_NAMES_32
#undef TUNER_NAMES_64
#undef TUNER_NAMES_128

#endif
