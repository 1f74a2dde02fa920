// The chosen experts of one token, weights of four bits: docs/formats.md. Without FACT_sum x is one column and y has
// one for each chosen expert; with it x has one for each and y is the sum of their products, each times its share. With
// FACT_glu an expert is two matrices, gate and up, one after the other, and y is silu(gate x) * (up x).
#include "gemv_nibbles_mma.cuh"
#if ring > 0
#include "gemv_nibbles_ring.cuh"
#else
#include "gemv_nibbles_registers.cuh"
#endif

constexpr int kChosen = FACT_chosen;
constexpr bool kSum = FACT_sum;

extern "C" __global__ void __launch_bounds__(block_size, min_blocks_per_sm)
    moe_gemv(const uint8_t* __restrict__ w, const Scale* __restrict__ scale, const int* TUNER_ACTIVATION ids,
             const float* TUNER_ACTIVATION share, const half_t* TUNER_ACTIVATION x, Output* __restrict__ y, int M,
             int K, int, int, int, int) {
  extern __shared__ __align__(16) char held[];
  let_successor_start();
  wait_for_predecessor();  // which experts are chosen is an activation
  const int warp = threadIdx.x / 32 % kWarps, slot = kSum ? warp / kStride : blockIdx.y;
  const long long expert = ids[slot];
  Weights weights = {reinterpret_cast<const char*>(w), scale, nullptr, nullptr, kGated ? 2 * M : M, K};
  weights.codes += expert * weights.rows * weights.pitch();
  weights.scale += expert * weights.rows * weights.groups();
  Output* to = y + (kSum ? 0 : static_cast<long long>(slot) * M);
  multiply_rows(weights, M, x, held, warp % kStride, kSum ? slot : 0, kSum ? kUnit * share[slot] : kUnit,
                [&](const Partial& partial, int, int row, int first_row) {
                  float result;
                  if constexpr (kGated) {
                    constexpr int kRows = 16 / kSplit;  // of a tile
                    const int tile_row = row / kRows * 2 * kRows + row % kRows;
                    const float gate = partial.sum(0, tile_row);
                    result = gate / (1 + expf(-gate)) * partial.sum(0, tile_row + kRows);
                  } else {
                    result = partial.sum(0, row);
                  }
                  to[first_row + row] = from_float<Output>(result);
                });
}
