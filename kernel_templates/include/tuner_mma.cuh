// Tensor cores and asynchronous copies through PTX (sm_80 and newer), and what they do on the host device, a warp of
// whose threads hand each other their parts.
// https://docs.nvidia.com/cuda/parallel-thread-execution: ldmatrix, mma.m16n8k16, cp.async
#pragma once

#include "tuner_intrinsics.cuh"

#ifdef TUNER_HOST

typedef char* SharedPointer;
__device__ __forceinline__ SharedPointer shared_pointer(char* pointer) { return pointer; }

__device__ __forceinline__ void copy_async_16(SharedPointer base, int offset, const void* from, bool wanted) {
  char* const to = base + offset;
  if ((address_of(to) | address_of(from)) % 16 != 0) tuner_simt::misaligned(from, 16);
  for (int i = 0; i < 4; ++i)
    reinterpret_cast<unsigned int*>(to)[i] = wanted ? static_cast<const unsigned int*>(from)[i] : 0;
}
__device__ __forceinline__ void commit_copies() {}
template <int pending>
__device__ __forceinline__ void wait_for_copies() {}

__device__ __forceinline__ const unsigned short* row_of_lane(const void* mine, int lane) {
  return reinterpret_cast<const unsigned short*>(__shfl_sync(0xffffffffu, address_of(mine), lane));
}

__device__ __forceinline__ void load_matrices(unsigned int (&part)[4], SharedPointer base, int offset) {
  const int lane = threadIdx.x % 32;
  for (int i = 0; i < 4; ++i) {
    const unsigned short* from = row_of_lane(base + offset, i * 8 + lane / 4) + lane % 4 * 2;
    part[i] = from[0] | static_cast<unsigned int>(from[1]) << 16;
  }
}

__device__ __forceinline__ void load_matrices_transposed(unsigned int (&part)[4], SharedPointer base, int offset) {
  const int lane = threadIdx.x % 32;
  for (int i = 0; i < 4; ++i) {
    const unsigned short* low = row_of_lane(base + offset, i * 8 + lane % 4 * 2);
    const unsigned short* high = row_of_lane(base + offset, i * 8 + lane % 4 * 2 + 1);
    part[i] = low[lane / 4] | static_cast<unsigned int>(high[lane / 4]) << 16;
  }
}

template <class T>
__device__ __forceinline__ void mma_16x8x16(float (&sum)[4], const unsigned int (&a)[4], unsigned int b0,
                                            unsigned int b1) {
  const int lane = threadIdx.x % 32, row = lane / 4 * 4, column = lane % 4 * 2 * 4;
  for (int k = 0; k < 4; ++k) {
    unsigned int mine[4];
    for (int i = 0; i < 4; ++i) mine[i] = __shfl_sync(0xffffffffu, a[i], row + k);
    for (int n = 0; n < 2; ++n) {
      const unsigned int low = __shfl_sync(0xffffffffu, b0, column + n * 4 + k);
      const unsigned int high = __shfl_sync(0xffffffffu, b1, column + n * 4 + k);
      sum[n] = WordDot<T>::add(mine[2], high, WordDot<T>::add(mine[0], low, sum[n]));
      sum[2 + n] = WordDot<T>::add(mine[3], high, WordDot<T>::add(mine[1], low, sum[2 + n]));
    }
  }
}

#else

typedef unsigned int SharedPointer;
__device__ __forceinline__ SharedPointer shared_pointer(char* pointer) {
  return static_cast<unsigned int>(__cvta_generic_to_shared(pointer));
}

// 16 bytes to shared memory, zeros where they are not wanted; both addresses are multiples of 16.
__device__ __forceinline__ void copy_async_16(SharedPointer base, int offset, const void* from, bool wanted) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(base + offset), "l"(from), "r"(wanted ? 16 : 0));
}
// What has been copied since the last call is a group.
__device__ __forceinline__ void commit_copies() { asm volatile("cp.async.commit_group;"); }
// Until at most `pending` of this thread's groups are on their way.
template <int pending>
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

// Four 8 x 8 matrices of 16-bit elements; lane l names row l % 8 of matrix l / 8.
__device__ __forceinline__ void load_matrices(unsigned int (&part)[4], SharedPointer base, int offset) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(part[0]), "=r"(part[1]), "=r"(part[2]), "=r"(part[3])
               : "r"(base + offset)
               : "memory");
}
__device__ __forceinline__ void load_matrices_transposed(unsigned int (&part)[4], SharedPointer base, int offset) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(part[0]), "=r"(part[1]), "=r"(part[2]), "=r"(part[3])
               : "r"(base + offset)
               : "memory");
}

// sum += a b, a of 16 x 16, b of 16 x 8, as a warp's lanes hold them.
template <class T>
__device__ __forceinline__ void mma_16x8x16(float (&sum)[4], const unsigned int (&a)[4], unsigned int b0,
                                            unsigned int b1);

template <>
__device__ __forceinline__ void mma_16x8x16<half_t>(float (&sum)[4], const unsigned int (&a)[4], unsigned int b0,
                                                    unsigned int b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

template <>
__device__ __forceinline__ void mma_16x8x16<bf16_t>(float (&sum)[4], const unsigned int (&a)[4], unsigned int b0,
                                                    unsigned int b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

#endif
