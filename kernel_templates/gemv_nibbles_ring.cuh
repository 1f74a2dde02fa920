// Tiles of gemv_nibbles_mma.cuh whose weights come through a ring in shared memory.
#pragma once

#include "gemv_nibbles_mma.cuh"

constexpr int kRing = ring;
constexpr int kSlotBytes = kTiles * 1024;  // of a warp

// What a lane copies next: step by step of its rows, then of the rows of the block's next round.
struct Cursor {
  Walk walk;
  int chunk, left, round;  // left: steps of these rows

  // `count` steps of the rows of round `number`, or nothing where there is no such round.
  __device__ __forceinline__ Cursor(const Weights& weights, const Place& place, int rows, int first_step, int count,
                                    int number)
      : walk(weights, place, first_row_of(rows, number), first_step),
        chunk(walk.chunk(place)),
        left(has_rows(rows, number) ? count : 0),
        round(number) {}

  __device__ __forceinline__ void copy(const Weights& weights, const Place& place, int rows, int first_step, int count,
                                       SharedPointer to) {
    if (left > 0) {
#pragma unroll
      for (int r = 0; r < kTiles; ++r) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          copy_async_16(to, (r * 2 + half) * 512, walk.rows[r][half], chunk < weights.chunks());
          walk.rows[r][half] += kStride * kStepBytes;
        }
      }
      chunk += kStride * 4 * kSplit;
      if (--left == 0) *this = Cursor(weights, place, rows, first_step, count, round + 1);
    }
    commit_copies();
  }
};

// kRing steps are on their way to shared memory, from before x is asked for, and on to the rows of the next round. A
// lane reads what it has copied itself, so that no thread waits for another but to add up.
template <class Store>
__device__ __forceinline__ void multiply_rows(const Weights& weights, int rows, const half_t* x, char* held,
                                              int first_step, int first_column, float factor, const Store& store) {
  __shared__ Partial partial[2];
  const Place place(threadIdx.x % 32);
  const int all = static_cast<int>((static_cast<unsigned int>(weights.columns) + kStepColumns - 1) / kStepColumns);
  const int count = all > first_step ? (all - first_step + kStride - 1) / kStride : 0;
  const SharedPointer mine = shared_pointer(held) + static_cast<int>(kStaged * staged_bytes(weights.columns)) +
                             static_cast<int>(threadIdx.x / 32 * (kRing * kSlotBytes) + threadIdx.x % 32 * 16);
  Cursor cursor(weights, place, rows, first_step, count, 0);
#pragma unroll 1
  for (int i = 0; i < kRing; ++i) cursor.copy(weights, place, rows, first_step, count, mine + i * kSlotBytes);
  Step step, next;
  int row = first_row_of(rows, 0) + place.row, slot = 0;
  if (count > 0) load_facts<false>(weights, place, row, first_step, step);
  wait_for_predecessor();
  Source source(place, x, weights.columns, held, first_step, first_column);
  stage(x, weights.columns, source.vectors, held);
  __syncthreads();
  Share share = {};
#pragma unroll 1
  for (int round = 0; has_rows(rows, round); ++round) {
    const int first_row = row - place.row;
    row = first_row_of(rows, round + 1) + place.row;  // of the next round
    Sums sums = {};
#pragma unroll 1
    for (int i = 0; i < count; ++i) {
      const bool last = i + 1 == count;
      if (!last || has_rows(rows, round + 1))
        load_facts<false>(weights, place, last ? row : first_row + place.row, first_step + (last ? 0 : i + 1) * kStride,
                          next);
      wait_for_copies<kRing - 1>();
      repeat<kTiles>([&](auto r) {
        bring_shared<r.value * 1024>(true, mine + slot, step.codes[r.value][0]);
        bring_shared<r.value * 1024 + 512>(true, mine + slot, step.codes[r.value][1]);
      });
      multiply_passes<true, 0>(weights, step, place, first_row + place.row, 0, source, share, sums);
      cursor.copy(weights, place, rows, first_step, count, mine + slot);
      slot = slot + kSlotBytes == kRing * kSlotBytes ? 0 : slot + kSlotBytes;
      source.advance(last ? -i * kStride : kStride);
#pragma unroll
      for (int r = 0; r < kTiles; ++r) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
#pragma unroll
          for (int e = 0; e < kScales; ++e) step.facts[r][half][e] = next.facts[r][half][e];
        }
      }
    }
    partial[round % 2].put(place, sums, factor);
    __syncthreads();
    for_each_result([&](int c, int of) { store(partial[round % 2], c, of, first_row); });
  }
}
