// The chosen experts of one token, weights of four bits: docs/formats.md. Without FACT_sum x is one column and y has
// one for each chosen expert; with it x has one for each and y is the sum of their products, each times its share. With
// FACT_glu an expert is two matrices, gate and up, one after the other, and y is silu(gate x) * (up x).
#include "gemv_nibbles.cuh"
#include "tuner_early.cuh"

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

// The chosen experts, each with its column of x and its share.
struct ChosenExperts {
  static constexpr unsigned int count = kChosen;
  Weights all;
  const int* ids;
  const float* share;
  const half_t* x;

  __device__ __forceinline__ At at(unsigned int number, unsigned int step) const {
    return {of_expert(all, ids[number]), x + static_cast<long long>(number) * all.columns, step, share[number]};
  }
};

// Of the chosen experts, or of the one that blockIdx.y says.
__device__ __forceinline__ void multiply_experts(const Weights& all, const int* ids, const float* share,
                                                 const half_t* x, Output* y, int rows, char*) {
  __shared__ Made made;
  const unsigned int first_row = first_row_of(static_cast<unsigned int>(rows)), slot = kSum ? 0 : blockIdx.y,
                     columns = static_cast<unsigned int>(all.columns);
  const Place place(all, threadIdx.x % 32, first_row);
  Sums sums = {};
  wait_for_predecessor();  // which experts are chosen is an activation
  const bool vectors = reads_vectors(all, x) && (!kSum || columns % 8 == 0);
  const unsigned int warp = threadIdx.x / 32;
  const ChosenExperts chosen = {all, ids, share, x};
  if constexpr (!kSum)
    add_rows(OneMatrix{{of_expert(all, ids[slot]), x, 0, 1}}, place, columns, vectors, warp, sums);
  else if constexpr (kStride < kWarps)
    add_rows(OneMatrix{chosen.at(warp / kStride, 0)}, place, columns, vectors, warp % kStride, sums);
  else
    add_rows(chosen, place, columns, vectors, warp, sums);
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
  wait_for_predecessor();  // which experts are chosen is an activation
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
  fetch_to_l2(ids, share);
  const Weights all = {reinterpret_cast<const char*>(w), scale, nullptr, nullptr, FACT_glu ? 2 * M : M, K};
  multiply_experts(all, ids, share, x, y, M, held);
}
