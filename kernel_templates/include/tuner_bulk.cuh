// Bulk copies from global to shared memory that complete on mbarriers (sm_90 and newer), and the same on the host device.
// https://docs.nvidia.com/cuda/parallel-thread-execution: mbarrier, cp.async.bulk
//
// A phase of a barrier ends when its arrivals have come and so have the bytes that were expected in it; then the next one
// begins. Phases have parities: 0, 1, 0, ...
#pragma once

#include "tuner_intrinsics.cuh"

typedef unsigned long long Barrier;  // in shared memory

#ifdef TUNER_HOST

__device__ __forceinline__ void make_barrier(Barrier* barrier, int arrivals) {
  tuner_simt::runtime->barrier_init(barrier, arrivals);
}
__device__ __forceinline__ void publish_barriers() {}
__device__ __forceinline__ void arrive(Barrier* barrier) { tuner_simt::runtime->barrier_arrive(barrier, 0); }
__device__ __forceinline__ void arrive_expecting(Barrier* barrier, unsigned int bytes) {
  tuner_simt::runtime->barrier_arrive(barrier, bytes);
}
__device__ __forceinline__ void copy_bulk(char* to, const void* from, unsigned int bytes, Barrier* barrier) {
  tuner_simt::runtime->bulk_copy(to, from, bytes, barrier);
}
__device__ __forceinline__ void wait_for_phase(Barrier* barrier, unsigned int parity, int line = __builtin_LINE()) {
  tuner_simt::runtime->barrier_wait(barrier, parity, line);
}

#else

__device__ __forceinline__ unsigned int shared_address(const void* pointer) {
  return static_cast<unsigned int>(__cvta_generic_to_shared(pointer));
}

// By one thread; publish_barriers() and a block barrier come before others use it.
__device__ __forceinline__ void make_barrier(Barrier* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}
__device__ __forceinline__ void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ __forceinline__ void arrive(Barrier* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
// One arrival, and `bytes` more to come in this phase.
__device__ __forceinline__ void arrive_expecting(Barrier* barrier, unsigned int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}
// To shared memory; both addresses and `bytes` are multiples of 16.
__device__ __forceinline__ void copy_bulk(char* to, const void* from, unsigned int bytes, Barrier* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(barrier))
               : "memory");
}
// Until the phase of this parity is over: the one that goes on, or the one before it.
__device__ __forceinline__ void wait_for_phase(Barrier* barrier, unsigned int parity) {
  asm volatile(
      "{.reg .pred p;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      "@!p bra again;}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

#endif
