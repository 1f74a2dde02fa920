// y = W x, weights in codes of four bits with a scale for a group of a row: docs/formats.md. x holds FACT_batch columns
// of K, y as many of M. Sums are fp32, and a weight is read once for all columns.
#include "gemv_nibbles.cuh"

#if variant == variant_fma
#include "gemv_nibbles_fma.cuh"
#elif defined(variant_direct) && variant == variant_direct
#include "gemv_nibbles_direct.cuh"
#else
#include "gemv_nibbles_mma.cuh"
#if variant == variant_stream
#include "gemv_nibbles_stream.cuh"
#else
#include "gemv_nibbles_registers.cuh"
#endif
#endif

#if variant == variant_mma || variant == variant_stream
__device__ __forceinline__ void multiply(const Weights& weights, const half_t* x, Output* y, char* held) {
  const auto store = [&](const Partial& partial, int c, int row, int first_row) {
    y[static_cast<long long>(c) * weights.rows + first_row + row] = from_float<Output>(partial.sum(c, row));
  };
#if variant == variant_stream
  multiply_rows(weights, x, held, store);
#else
  multiply_rows(weights, weights.rows, x, held, threadIdx.x / 32 % kWarps, 0, kUnit, store);
#endif
}
#endif

#if variant == variant_stream
constexpr int kThreads = block_size + 32;
#else
constexpr int kThreads = block_size;
#endif

extern "C" __global__ void __launch_bounds__(kThreads, min_blocks_per_sm) gemv_nibbles(NIBBLES_ARGUMENTS) {
  extern __shared__ __align__(16) char held[];
  let_successor_start();
  const Weights weights = NIBBLES_WEIGHTS;
  multiply(weights, x, y, held);
}
