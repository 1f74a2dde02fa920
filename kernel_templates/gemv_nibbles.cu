// y = W x, weights in codes of four bits with a scale for a group of a row: docs/formats.md. x holds FACT_batch columns
// of K, y as many of M. Sums are fp32, and a weight is read once for all columns.
#include "gemv_nibbles.cuh"

#if variant == variant_mma
#include "gemv_nibbles_mma.cuh"

__device__ __forceinline__ void multiply(const Weights& weights, const half_t* x, Output* y, char* held) {
  __shared__ Partial partial;
  const Place place(threadIdx.x % 32);
  const int first_row = first_row_of_team(weights.rows);
  Walk walk(weights, place, first_row, threadIdx.x / 32 % kWarps);
  Sums sums = {};
  walk_rows(weights, place, walk, x, held, 0, sums);
  partial.put(place, sums, Codes::unit);
  __syncthreads();
  for_each_result([&](int c, int row) {
    y[static_cast<long long>(c) * weights.rows + first_row + row] = from_float<Output>(partial.sum(c, row));
  });
}
#else
#include "gemv_nibbles_fma.cuh"
#endif

extern "C" __global__ void __launch_bounds__(block_size, min_blocks_per_sm) gemv_nibbles(NIBBLES_ARGUMENTS) {
  extern __shared__ __align__(16) char held[];
  let_successor_start();
  const Weights weights = NIBBLES_WEIGHTS;
  multiply(weights, x, y, held);
}
