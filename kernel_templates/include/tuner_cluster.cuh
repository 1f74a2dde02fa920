// Blocks that work together: a cluster's rank, barrier and distributed shared memory (sm_90 and newer, of a launch with
// `cluster`), and a barrier of the whole grid (of a launch with `cooperative: true`, on any GPU).
// https://docs.nvidia.com/cuda/parallel-thread-execution: barrier.cluster, mapa, ld and st of shared::cluster
#pragma once

#include "tuner_intrinsics.cuh"

#ifdef TUNER_HOST

__device__ __forceinline__ unsigned int cluster_rank() { return tuner_simt::cluster_rank(); }
__device__ __forceinline__ unsigned int cluster_blocks() { return tuner_simt::cluster_blocks(); }
__device__ __forceinline__ void cluster_arrive(int line = __builtin_LINE()) {
  tuner_simt::wide_barrier(tuner_simt::cluster_arrive, line);
}
__device__ __forceinline__ void cluster_wait(int line = __builtin_LINE()) {
  tuner_simt::wide_barrier(tuner_simt::cluster_wait, line);
}
__device__ __forceinline__ void cluster_sync(int line = __builtin_LINE()) {
  cluster_arrive(line);
  cluster_wait(line);
}

template <class T>
__device__ __forceinline__ T load_peer(const T* own, unsigned int rank) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16, "one instruction loads 4, 8 or 16 bytes");
  if (address_of(own) % sizeof(T) != 0) tuner_simt::misaligned(own, sizeof(T));
  T value;
  __builtin_memcpy(&value, tuner_simt::peer_shared(own, rank, sizeof(T)), sizeof(T));
  return value;
}

template <class T>
__device__ __forceinline__ void store_peer(T* own, unsigned int rank, const T& value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16, "one instruction stores 4, 8 or 16 bytes");
  if (address_of(own) % sizeof(T) != 0) tuner_simt::misaligned(own, sizeof(T));
  __builtin_memcpy(tuner_simt::peer_shared(own, rank, sizeof(T)), &value, sizeof(T));
}

__device__ __forceinline__ void grid_sync(unsigned int* arrived, int line = __builtin_LINE()) {
  const bool counts = threadIdx.x + threadIdx.y + threadIdx.z == 0;
  const unsigned int blocks = gridDim.x * gridDim.y * gridDim.z, before = counts ? (*arrived)++ : 0;
  tuner_simt::wide_barrier(tuner_simt::grid_sync, line);
  if (counts && static_cast<int>(*arrived - (before - before % blocks + blocks)) < 0)
    tuner_simt::runtime->trap("waits for the grid with a counter that was not 0 before the launch");
}

#else

// This block's number in its cluster, x fastest, and how many there are.
__device__ __forceinline__ unsigned int cluster_rank() {
  unsigned int value;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(value));
  return value;
}

__device__ __forceinline__ unsigned int cluster_blocks() {
  unsigned int value;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(value));
  return value;
}

// The barrier of all threads of a cluster. Every thread arrives, then waits; what is written before the arrival, to
// peers as well, is seen behind the wait. Warps arrive and wait as a whole. A block's shared memory is there for its
// peers from the first barrier on that they have passed together to the last one at which it arrives.
__device__ __forceinline__ void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

__device__ __forceinline__ void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }

__device__ __forceinline__ void cluster_sync() {
  cluster_arrive();
  cluster_wait();
}

// The address, in the window of the cluster, of what the block of this rank has where `own` is in shared memory here.
__device__ __forceinline__ unsigned int peer_address(const void* own, unsigned int rank) {
  unsigned int there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(there)
      : "r"(static_cast<unsigned int>(__cvta_generic_to_shared(own))), "r"(rank));
  return there;
}

// What the block of this rank has at `own`, an address in shared memory of this block; aligned to the size of T.
template <class T>
__device__ __forceinline__ T load_peer(const T* own, unsigned int rank) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16, "one instruction loads 4, 8 or 16 bytes");
  constexpr int words = sizeof(T) / 4;
  const unsigned int from = peer_address(own, rank);
  Vector<sizeof(T)> bits;
  if constexpr (words == 4)
    asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(bits.word[0]), "=r"(bits.word[1 % words]), "=r"(bits.word[2 % words]), "=r"(bits.word[3 % words])
                 : "r"(from)
                 : "memory");
  else if constexpr (words == 2)
    asm volatile("ld.shared::cluster.v2.u32 {%0, %1}, [%2];"
                 : "=r"(bits.word[0]), "=r"(bits.word[1 % words])
                 : "r"(from)
                 : "memory");
  else
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(bits.word[0]) : "r"(from) : "memory");
  T value;
  memcpy(&value, &bits, sizeof(T));
  return value;
}

template <class T>
__device__ __forceinline__ void store_peer(T* own, unsigned int rank, const T& value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16, "one instruction stores 4, 8 or 16 bytes");
  constexpr int words = sizeof(T) / 4;
  const unsigned int to = peer_address(own, rank);
  Vector<sizeof(T)> bits;
  memcpy(&bits, &value, sizeof(T));
  if constexpr (words == 4)
    asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(bits.word[0]),
                 "r"(bits.word[1 % words]), "r"(bits.word[2 % words]), "r"(bits.word[3 % words])
                 : "memory");
  else if constexpr (words == 2)
    asm volatile("st.shared::cluster.v2.u32 [%0], {%1, %2};" ::"r"(to), "r"(bits.word[0]), "r"(bits.word[1 % words])
                 : "memory");
  else
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(to), "r"(bits.word[0]) : "memory");
}

// Waits until all threads of the grid are here; what they wrote before is seen behind it. `arrived` is one word of
// scratch, 0 before the launch (a memset step), and serves every barrier of a launch.
__device__ __forceinline__ void grid_sync(unsigned int* arrived) {
  __syncthreads();
  if (threadIdx.x + threadIdx.y + threadIdx.z == 0) {
    const unsigned int blocks = gridDim.x * gridDim.y * gridDim.z;
    unsigned int before, now;
    asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], 1;" : "=r"(before) : "l"(arrived) : "memory");
    const unsigned int all = before - before % blocks + blocks;
    do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(arrived) : "memory");
    while (static_cast<int>(now - all) < 0);
  }
  __syncthreads();
}

#endif
