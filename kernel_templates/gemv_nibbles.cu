// y = W x, weights in codes of four bits with a scale for a group of a row: docs/formats.md. x holds FACT_batch columns
// of K, y as many of M. Sums are fp32, and a weight is read once for all columns.
#include "gemv_nibbles.cuh"

#if variant == variant_mma
#include "gemv_nibbles_mma.cuh"
#else
#include "gemv_nibbles_fma.cuh"
#endif

extern "C" __global__ void __launch_bounds__(block_size, min_blocks_per_sm) gemv_nibbles(NIBBLES_ARGUMENTS) {
  extern __shared__ __align__(16) char held[];
  const Weights weights = NIBBLES_WEIGHTS;
  multiply(weights, x, y, held);
}
