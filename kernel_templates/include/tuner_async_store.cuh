// Stores to the shared memory of another block of the cluster that complete on an mbarrier there (sm_90 and newer).
// https://docs.nvidia.com/cuda/parallel-thread-execution: st.async
#pragma once

#include "tuner_bulk.cuh"
#include "tuner_cluster.cuh"

// Stores `value` where `own` is, in the block of this rank, and then takes its bytes from those that the phase of
// `barrier` there waits for. Nothing is said of stores before it.
#ifdef TUNER_HOST

template <class T>
__device__ __forceinline__ void store_peer_async(T* own, unsigned int rank, const T& value, Barrier* barrier) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16, "one instruction stores 4, 8 or 16 bytes");
  if (address_of(own) % sizeof(T) != 0) tuner_simt::misaligned(own, sizeof(T));
  tuner_simt::runtime->store_async(own, rank, &value, sizeof(T), barrier);
}

#else

template <class T>
__device__ __forceinline__ void store_peer_async(T* own, unsigned int rank, const T& value, Barrier* barrier) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16, "one instruction stores 4, 8 or 16 bytes");
  constexpr int words = sizeof(T) / 4;
  const unsigned int to = peer_address(own, rank), there = peer_address(barrier, rank);
  Vector<sizeof(T)> bits;
  memcpy(&bits, &value, sizeof(T));
  if constexpr (words == 4)
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(to),
                 "r"(bits.word[0]), "r"(bits.word[1 % words]), "r"(bits.word[2 % words]), "r"(bits.word[3 % words]),
                 "r"(there)
                 : "memory");
  else if constexpr (words == 2)
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" ::"r"(to),
                 "r"(bits.word[0]), "r"(bits.word[1 % words]), "r"(there)
                 : "memory");
  else
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(to),
                 "r"(bits.word[0]), "r"(there)
                 : "memory");
}

#endif
