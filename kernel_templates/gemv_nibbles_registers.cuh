// Tiles of gemv_nibbles_mma.cuh whose weights go to registers at once.
#pragma once

#include "gemv_nibbles_mma.cuh"

constexpr int kSteps = steps_in_flight;

// All of one lane: up to kSteps steps are in flight before the first product of them, and those of the first round
// before x is asked for.
__device__ __forceinline__ void walk_rows(const Weights& weights, const Place& place, Walk& walk, const half_t* x,
                                          char* held, int first_column, Sums& sums) {
  Source source(place, x, weights.columns, held, walk.step, first_column);
  const unsigned int columns = static_cast<unsigned int>(weights.columns), first = static_cast<unsigned int>(walk.step);
  const unsigned int whole = kShared || source.vectors ? columns / kStepColumns : 0,
                     all = (columns + kStepColumns - 1) / kStepColumns;
  int left = whole > first ? static_cast<int>((whole - first + kStride - 1) / kStride) : 0;
  Share share = {};
  Step steps[kSteps];
  repeat<kSteps>([&](auto u) {
    if (u.value < left) load_step<true, u.value>(weights, place, walk, true, steps[u.value]);
  });
  wait_for_predecessor();
  if constexpr (kShared) {
    stage(x, weights.columns, source.vectors, held);
    __syncthreads();
  }
#pragma unroll 1
  while (left > 0) {
    repeat<kSteps>([&](auto u) {
      if (u.value >= left) return;
      multiply_passes<true, u.value>(weights, steps[u.value], place, walk.row, walk.step + u.value * kStride, source,
                                     share, sums);
      if (u.value + kSteps < left) load_step<true, u.value + kSteps>(weights, place, walk, true, steps[u.value]);
    });
    const int done = min(left, kSteps) * kStride;
    walk.advance(done);
    source.advance(done);
    left -= kSteps;
  }
  // A last step that the row does not fill, or all of them where x lies at an odd address.
#pragma unroll 1
  while (static_cast<unsigned int>(walk.step) < all) {
    Step step;
    load_step<false, 0>(weights, place, walk, walk.chunk(place) < weights.chunks(), step);
    multiply_passes<false, 0>(weights, step, place, walk.row, walk.step, source, share, sums);
    walk.advance(kStride);
    source.advance(kStride);
  }
}

// Of a block's rows and columns: store(partial, c, row, first_row), row counted from first_row of `rows` on. A warp
// begins at `first_step` of the weights and at `first_column` of x; its sums count `factor` times.
template <class Store>
__device__ __forceinline__ void multiply_rows(const Weights& weights, int rows, const half_t* x, char* held,
                                              int first_step, int first_column, float factor, const Store& store) {
  __shared__ Partial partial;
  const Place place(threadIdx.x % 32);
  const int first_row = first_row_of(rows, 0);
  Walk walk(weights, place, first_row, first_step);
  Sums sums = {};
  walk_rows(weights, place, walk, x, held, first_column, sums);
  partial.put(place, sums, factor);
  __syncthreads();
  for_each_result([&](int c, int row) { store(partial, c, row, first_row); });
}
