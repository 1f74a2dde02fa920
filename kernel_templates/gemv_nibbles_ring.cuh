// Tiles of gemv_nibbles_mma.cuh whose weights come through a ring in shared memory.
#pragma once

#include "gemv_nibbles_mma.cuh"

constexpr int kRing = ring;
constexpr int kFactWords = kZeros == Zeros::none ? 1 : 2;                     // of one group and row
constexpr int kSlotBytes = kTiles * (1024 + 2 * kScales * kFactWords * 128);  // of a warp

// The word that has *from in it, without what is at `end` or beyond, to shared memory. `from` is not below a multiple
// of four that is its buffer's first byte.
__device__ __forceinline__ void copy_async_word(SharedPointer base, int offset, const void* from, const void* end) {
  const unsigned long long word = address_of(from) & ~3ull, left = address_of(end) - word;
#ifdef TUNER_HOST
  for (unsigned int i = 0; i < 4; ++i)
    base[offset + static_cast<int>(i)] = i < left ? reinterpret_cast<const char*>(word)[i] : 0;
#else
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(base + offset), "l"(word),
               "r"(left < 4 ? static_cast<int>(left) : 4));
#endif
}

// Where the facts of one step lie in a slot, behind the codes, for one lane.
__device__ __forceinline__ constexpr int fact_at(int r, int half, int e) {
  return kTiles * 1024 + ((r * 2 + half) * kScales + e) * kFactWords * 128;
}

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

  __device__ __forceinline__ void copy_facts(const Weights& weights, const Place& place, SharedPointer to) const {
    const long long count = static_cast<long long>(weights.groups()) * weights.rows;
    const long long zeros = static_cast<long long>(weights.groups()) * ((static_cast<long long>(weights.rows) + 1) / 2);
#pragma unroll
    for (int e = 0; e < kScales; ++e) {
      const GroupPlace facts(weights, group_of(weights, place, walk.step, e), walk.row);
#pragma unroll
      for (int r = 0; r < kTiles; ++r) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int below = Walk::below(weights, r, half);
          copy_async_word(to, fact_at(r, half, e), facts.scale + below, weights.scale + count);
          if constexpr (kZeros == Zeros::points)
            copy_async_word(to, fact_at(r, half, e) + 128, facts.zero + (facts.row + below) / 2, weights.zero + zeros);
          if constexpr (kZeros == Zeros::offsets)
            copy_async_word(to, fact_at(r, half, e) + 128, facts.offset + below, weights.offset + count);
        }
      }
    }
  }

  // To a slot, from where this lane's codes and facts lie in it.
  __device__ __forceinline__ void copy(const Weights& weights, const Place& place, int rows, int first_step, int count,
                                       SharedPointer codes, SharedPointer facts) {
    if (left > 0) {
#pragma unroll
      for (int r = 0; r < kTiles; ++r) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          copy_async_16(codes, (r * 2 + half) * 512, walk.at(weights, r, half), chunk < weights.chunks());
        }
      }
      copy_facts(weights, place, facts);
      chunk += kStride * 4 * kSplit;
      walk.advance(kStride);
      if (--left == 0) *this = Cursor(weights, place, rows, first_step, count, round + 1);
    }
    commit_copies();
  }
};

// What lies in a slot of the facts of one step.
__device__ __forceinline__ void read_facts(const Weights& weights, const Place& place, int row, int step,
                                           const char* from, Step& to) {
#pragma unroll
  for (int e = 0; e < kScales; ++e) {
    const GroupPlace facts(weights, group_of(weights, place, step, e), row);
#pragma unroll
    for (int r = 0; r < kTiles; ++r) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int below = Walk::below(weights, r, half);
        const char* at = from + fact_at(r, half, e);
        GroupFacts& fact = to.facts[r][half][e];
        fact.scale = *reinterpret_cast<const Scale*>(at + (address_of(facts.scale + below) & 3));
        if constexpr (kZeros == Zeros::points)
          fact.zero = static_cast<uint8_t>(at[128 + (address_of(facts.zero + (facts.row + below) / 2) & 3)]);
        if constexpr (kZeros == Zeros::offsets)
          fact.offset = *reinterpret_cast<const half_t*>(at + 128 + (address_of(facts.offset + below) & 3));
      }
    }
  }
}

// kRing steps are on their way to shared memory, from before x is asked for, and on to the rows of the next round. A
// lane reads what it has copied itself, so that no thread waits for another but to add up.
template <class Store>
__device__ __forceinline__ void multiply_rows(const Weights& weights, int rows, const half_t* x, char* held,
                                              int first_step, int first_column, float factor, const Store& store) {
  __shared__ Partial partial[2];
  const Place place(threadIdx.x % 32);
  const int all = static_cast<int>((static_cast<unsigned int>(weights.columns) + kStepColumns - 1) / kStepColumns);
  const int count = all > first_step ? (all - first_step + kStride - 1) / kStride : 0;
  const int ring_at = static_cast<int>(all_staged_bytes(weights.columns) + threadIdx.x / 32 * (kRing * kSlotBytes));
  const SharedPointer mine = shared_pointer(held) + (ring_at + static_cast<int>(threadIdx.x % 32 * 16)),
                      my_facts = shared_pointer(held) + (ring_at + static_cast<int>(threadIdx.x % 32 * 4));
  Cursor cursor(weights, place, rows, first_step, count, 0);
#pragma unroll 1
  for (int i = 0; i < kRing; ++i)
    cursor.copy(weights, place, rows, first_step, count, mine + i * kSlotBytes, my_facts + i * kSlotBytes);
  Step step;
  int slot = 0;
  wait_for_predecessor();
  Source source(place, x, weights.columns, held, first_step, first_column);
  stage(x, weights.columns, source.vectors, held);
  __syncthreads();
  Share share = {};
#pragma unroll 1
  for (int round = 0; has_rows(rows, round); ++round) {
    const int first_row = first_row_of(rows, round);
    Sums sums = {};
#pragma unroll 1
    for (int i = 0; i < count; ++i) {
      wait_for_copies<kRing - 1>();
      repeat<kTiles>([&](auto r) {
        bring_shared<r.value * 1024>(true, mine + slot, step.codes[r.value][0]);
        bring_shared<r.value * 1024 + 512>(true, mine + slot, step.codes[r.value][1]);
      });
      read_facts(weights, place, first_row + place.row, first_step + i * kStride,
                 held + ring_at + threadIdx.x % 32 * 4 + slot, step);
      multiply_passes<true, 0>(weights, step, place, first_row + place.row, first_step + i * kStride, source, share,
                               sums);
      cursor.copy(weights, place, rows, first_step, count, mine + slot, my_facts + slot);
      slot = slot + kSlotBytes == kRing * kSlotBytes ? 0 : slot + kSlotBytes;
      source.advance(i + 1 == count ? -i * kStride : kStride);
    }
    partial[round % 2].put(place, sums, factor);
    __syncthreads();
    for_each_result([&](int c, int of) { store(partial[round % 2], c, of, first_row); });
  }
}
