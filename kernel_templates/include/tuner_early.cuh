// What may be asked for before the predecessor has ended, in the dependent regime.
#pragma once

#include "tuner_intrinsics.cuh"

// The lines of both come to L2, where the predecessor's writes go too: no value is seen. One thread asks, since more of
// them would queue for one line. https://docs.nvidia.com/cuda/parallel-thread-execution: prefetch
__device__ __forceinline__ void fetch_to_l2(const void* a, const void* b) {
#if defined(TUNER_DEPENDENT) && !defined(TUNER_HOST)
  if ((threadIdx.x | blockIdx.x | blockIdx.y) != 0) return;
  asm volatile("prefetch.global.L2 [%0];" ::"l"(a));
  asm volatile("prefetch.global.L2 [%0];" ::"l"(b));
#endif
}
