// The chosen experts of one token, weights of four bits: docs/formats.md. Without FACT_sum x is one column and y has
// one for each chosen expert; with it x has one for each and y is the sum of their products, each times its share. With
// FACT_glu an expert is two matrices, gate and up, one after the other, and y is silu(gate x) * (up x).
#include "gemv_nibbles.cuh"

#if variant == variant_direct
#include "gemv_nibbles_direct.cuh"
#else
#include "gemv_nibbles_mma.cuh"
#if ring > 0
#include "gemv_nibbles_ring.cuh"
#else
#include "gemv_nibbles_registers.cuh"
#endif
#endif

constexpr unsigned int kChosen = FACT_chosen;
constexpr bool kSum = FACT_sum;

// All experts' weights, those of expert 0, and the same of another.
__device__ __forceinline__ Weights of_expert(Weights weights, int expert) {
  weights.codes += expert * weights.rows * weights.pitch();
  weights.scale += static_cast<long long>(expert) * weights.rows * weights.groups();
  return weights;
}

__device__ __forceinline__ float gated(float gate, float up) { return gate / (1 + expf(-gate)) * up; }

#if variant == variant_direct

// Of the chosen experts, or of the one that blockIdx.y says.
__device__ __forceinline__ void multiply_experts(const Weights& all, const int* ids, const float* share,
                                                 const half_t* x, Output* y, int rows, char*) {
  __shared__ Made made;
  const unsigned int first_row = first_row_of(static_cast<unsigned int>(rows)), slot = kSum ? 0 : blockIdx.y;
  const Place place(all, threadIdx.x % 32, first_row);
  Sums sums = {};
  const bool vectors = reads_vectors(all, x) && (!kSum || all.columns % 8 == 0);
  if constexpr (kSum) {
    const auto at = [&](unsigned int n, unsigned int step) {
      return At{of_expert(all, ids[n]), x + static_cast<long long>(n) * all.columns, step, share[n]};
    };
    add_rows<kChosen>(at, place, static_cast<unsigned int>(all.columns), vectors, sums);
  } else {
    const Weights weights = of_expert(all, ids[slot]);
    const auto at = [&](unsigned int, unsigned int step) { return At{weights, x, step, 1}; };
    add_rows<1>(at, place, static_cast<unsigned int>(all.columns), vectors, sums);
  }
  put_sums(place, sums, made.of[threadIdx.x / 32]);
  __syncthreads();
  if (threadIdx.x >= kOutRows) return;
  const unsigned int i = threadIdx.x, tile_row = kGated ? i / kTiles * kRows + i % kTiles : i;
  const float sum = kGated ? gated(made.sum(tile_row), made.sum(tile_row + kTiles)) : made.sum(tile_row);
  y[static_cast<long long>(slot) * rows + first_row + i] = from_float<Output>(sum);
}

#else

__device__ __forceinline__ void multiply_experts(const Weights& all, const int* ids, const float* share,
                                                 const half_t* x, Output* y, int rows, char* held) {
  const int warp = threadIdx.x / 32 % kWarps, slot = kSum ? warp / kStride : blockIdx.y;
  Output* to = y + (kSum ? 0 : static_cast<long long>(slot) * rows);
  multiply_rows(of_expert(all, ids[slot]), rows, x, held, warp % kStride, kSum ? slot : 0,
                kSum ? kUnit * share[slot] : kUnit, [&](const Partial& partial, int, int row, int first_row) {
                  float result;
                  if constexpr (kGated) {
                    constexpr int kRows = 16 / kSplit;  // of a tile
                    const int tile_row = row / kRows * 2 * kRows + row % kRows;
                    result = gated(partial.sum(0, tile_row), partial.sum(0, tile_row + kRows));
                  } else {
                    result = partial.sum(0, row);
                  }
                  to[first_row + row] = from_float<Output>(result);
                });
}

#endif

extern "C" __global__ void __launch_bounds__(block_size, min_blocks_per_sm)
    moe_gemv(const uint8_t* __restrict__ w, const Scale* __restrict__ scale, const int* TUNER_ACTIVATION ids,
             const float* TUNER_ACTIVATION share, const half_t* TUNER_ACTIVATION x, Output* __restrict__ y, int M,
             int K, int, int, int, int) {
  extern __shared__ __align__(16) char held[];
  let_successor_start();
  wait_for_predecessor();  // which experts are chosen is an activation
  const Weights all = {reinterpret_cast<const char*>(w), scale, nullptr, nullptr, FACT_glu ? 2 * M : M, K};
  multiply_experts(all, ids, share, x, y, M, held);
}
