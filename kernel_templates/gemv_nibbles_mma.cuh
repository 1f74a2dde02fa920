// Tensor cores: a warp owns row_tiles tiles and, with warps_per_tile - 1 others, walks along K in steps of 128
// row_split. A tile is 16 rows of a product's a; these are row_split neighbouring parts of 16 / row_split rows of the
// matrix, so that a load takes 64 row_split bytes of a row. A lane holds 16 bytes of rows g and g + 8 of each tile as
// they lie in memory: they are its parts of a, since the order of k within a product is free. x is in the columns of b
// that are needed, zeros in the others: a column for each column of x, each part of a row and, where 128 columns have
// several groups, each group, so that a product never mixes groups; of what it makes of one part with the columns of
// another nothing is used.
#pragma once

#include "gemv_nibbles_x.cuh"

struct Step {
  Vector<16> codes[kTiles][2];
  GroupFacts facts[kTiles][2][kScales];
};

using Sums = float[kPasses][kTiles][2][kResults];

// The way of one lane along its rows.
struct Walk {
  const char* codes;  // of the first of them, at its next chunk
  int row;            // the first of them
  int step;           // the next one

  // Half `half` of tile r is so many rows further down than the first one.
  __device__ __forceinline__ static int below(const Weights& weights, int r, int half) {
    const int tile = kGated ? r / 2 : r;
    return tile * (16 / kSplit) + half * (8 / kSplit) + (kGated && r % 2 == 1 ? weights.rows / 2 : 0);
  }
  __device__ __forceinline__ Walk(const Weights& weights, const Place& place, int first_row, int first_step)
      : row(first_row + place.row), step(first_step) {
    codes = weights.codes + row * weights.pitch() + chunk(place) * 16ll;
  }
  // One pointer and the same distance for all lanes are fewer registers than two pointers.
  __device__ __forceinline__ const char* at(const Weights& weights, int r, int half) const {
    return codes + below(weights, r, half) * weights.pitch();
  }
  // Of this lane's rows, at the next step.
  __device__ __forceinline__ int chunk(const Place& place) const { return (step * kSplit + place.part) * 4 + place.t; }

  __device__ __forceinline__ void advance(int steps) {
    codes += static_cast<long long>(steps) * kStepBytes;
    step += steps;
  }
};

// Of result `e` in a step. One that the row does not fill has groups that are not there: the last one stands for them.
__device__ __forceinline__ int group_of(const Weights& weights, const Place& place, int step, int e) {
  if constexpr (kGroup == 0) return 0;
  return min((step * kSplit + place.part) * kClasses + place.class_of(e), weights.groups() - 1);
}

// Of one step, of rows from `row` on.
template <bool whole>
__device__ __forceinline__ void load_facts(const Weights& weights, const Place& place, int row, int step, Step& to) {
#pragma unroll
  for (int e = 0; e < kScales; ++e) {
    int group = kGroup == 0 ? 0 : (step * kSplit + place.part) * kClasses + place.class_of(e);
    if constexpr (!whole) group = group_of(weights, place, step, e);
    const GroupPlace facts(weights, group, row);
#pragma unroll
    for (int r = 0; r < kTiles; ++r) {
#pragma unroll
      for (int half = 0; half < 2; ++half) to.facts[r][half][e] = facts.load(Walk::below(weights, r, half));
    }
  }
}

// `wanted` is false for a lane beyond the end of a row, which has codes of 0.
template <bool whole, int u>
__device__ __forceinline__ void load_step(const Weights& weights, const Place& place, const Walk& walk, bool wanted,
                                          Step& to) {
  constexpr int offset = u * kStride * kStepBytes;
#pragma unroll
  for (int r = 0; r < kTiles; ++r) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if constexpr (whole)
        to.codes[r][half] = load_vector<kHint, 16, offset>(walk.at(weights, r, half));
      else
        to.codes[r][half] = load_vector_if<kHint, 16, offset>(wanted, walk.at(weights, r, half));
    }
  }
  load_facts<whole>(weights, place, walk.row, walk.step + u * kStride, to);
}

// Codes of one tile as products take them: of word j of a chunk, elements 0, 1, 4 and 5 are in `even`, the rest in
// `odd`.
struct Halves {
  unsigned int even[4][4], odd[4][4];
};

template <class C = Codes>
__device__ __forceinline__ void decode(const Vector<16>& upper, const Vector<16>& lower, int j, Halves& to) {
  unsigned int(&even)[4] = to.even[j], (&odd)[4] = to.odd[j];
  if constexpr (kLess8) {
    C::even_less_8(upper.word[j], even[0], even[2]);
    C::even_less_8(lower.word[j], even[1], even[3]);
    C::odd_less_8(upper.word[j], odd[0], odd[2]);
    C::odd_less_8(lower.word[j], odd[1], odd[3]);
  } else {
    C::even(upper.word[j], even[0], even[2]);
    C::even(lower.word[j], even[1], even[3]);
    C::odd(upper.word[j], odd[0], odd[2]);
    C::odd(lower.word[j], odd[1], odd[3]);
  }
}

// The same sums by products, where x is not in shared memory.
__device__ __forceinline__ void sum_by_products(const Share& share, float (&of_x)[kResults]) {
  float even[4] = {}, odd[4] = {};
  // -8 of `odd`, or 1.
  constexpr unsigned int two =
      kZeros == Zeros::none ? 0x80008000u | Codes::one * 0x00080008u : Codes::one * 0x00010001u;
  const unsigned int a[4] = {two, two, two, two};
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    mma_16x8x16<half_t>(even, a, share[j].word[kEven[0]], share[j].word[kEven[1]]);
    mma_16x8x16<half_t>(odd, a, share[j].word[kOdd[0]], share[j].word[kOdd[1]]);
  }
#pragma unroll
  for (int e = 0; e < kResults; ++e) of_x[e] = even[e] + odd[e];
}

// One step for one pass over the columns. Sums of codes are in units of `even`, those of `odd` and of x alone in units
// of `odd`; with kLess8 there is but one sum, of the codes' values.
__device__ __forceinline__ void multiply_step(const Weights& weights, const Step& step, int row, const Share& share,
                                              const float (&of_x)[kResults], float (&sum)[kTiles][2][kResults]) {
#pragma unroll
  for (int r = 0; r < kTiles; ++r) {
    float even[4] = {}, odd[4] = {};
    Halves halves;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      decode(step.codes[r][0], step.codes[r][1], j, halves);
      mma_16x8x16<half_t>(even, halves.even[j], share[j].word[kEven[0]], share[j].word[kEven[1]]);
      mma_16x8x16<half_t>(kLess8 ? even : odd, halves.odd[j], share[j].word[kOdd[0]], share[j].word[kOdd[1]]);
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int e = 0; e < kResults; ++e) {
        const GroupFacts& facts = step.facts[r][half][e % kScales];
        float rest = odd[half * 2 + e];
        if constexpr (kCorrects && !kLess8 && kZeros == Zeros::none) rest += of_x[e];
        if constexpr (kZeros == Zeros::points)
          rest = fmaf(-zero_value(facts, row + Walk::below(weights, r, half)), of_x[e], rest);
        const float both = kLess8 ? even[half * 2 + e] : fmaf(rest, Codes::odd_share, even[half * 2 + e]);
        sum[r][half][e] = fmaf(both, scale_value(facts.scale), sum[r][half][e]);
        if constexpr (kZeros == Zeros::offsets)
          sum[r][half][e] = fmaf(-to_float(facts.offset), of_x[e] * Codes::odd_share, sum[r][half][e]);
      }
    }
  }
}

// For all columns. `u` as in Source::take; `at` is the number of the step.
template <bool whole, int u>
__device__ __forceinline__ void multiply_passes(const Weights& weights, const Step& step, const Place& place, int row,
                                                int at, const Source& source, Share& share, Sums& sums) {
  repeat<kPasses>([&](auto pass) {
    if constexpr (kBatch % kColumns != 0) {
#pragma unroll
      for (int j = 0; j < 4; ++j) share[j] = {};
    }
    source.template take<whole, u, pass.value>(place, at, share);
    float of_x[kResults] = {};
    if constexpr (kStagesSums) {
#pragma unroll
      for (int e = 0; e < kResults; ++e) of_x[e] = source.template sum<pass.value>(place, at, e);
    } else if constexpr (kCorrects && !kLess8) {
      sum_by_products(share, of_x);
    }
    multiply_step(weights, step, row, share, of_x, sums[pass.value]);
  });
}

// How many of 2 kTiles values a lane is left with when they are added up over lanes.
constexpr int kLeft = 2 * kTiles > 4 * kSplit ? 2 * kTiles / (4 * kSplit) : 1;

// The sums of `count` values over the lanes that differ in the bits of `away` ... 2 kSplit: in every round a lane hands
// half of its values on. It is left with one, whose number is `number`, and with the lanes that differ in `shared`
// bits.
template <int count, int away>
__device__ __forceinline__ void add_lanes(float (&values)[count], int lane, int& number, int& shared) {
  if constexpr (away < 4 * kSplit) {
    if constexpr (count == 1) {
      values[0] += __shfl_xor_sync(0xffffffffu, values[0], away);
      shared |= away;
      add_lanes<1, away * 2>(values, lane, number, shared);
    } else {
      const bool upper = (lane & away) != 0;
      float rest[count / 2];
#pragma unroll
      for (int i = 0; i < count / 2; ++i) {
        const float mine = upper ? values[i + count / 2] : values[i], other = upper ? values[i] : values[i + count / 2];
        rest[i] = mine + __shfl_xor_sync(0xffffffffu, other, away);
      }
      number += upper ? count / 2 : 0;
      add_lanes<count / 2, away * 2>(rest, lane, number, shared);
#pragma unroll
      for (int i = 0; i < count / 2 && i < kLeft; ++i) values[i] = rest[i];
    }
  }
}

// What the warps of a block have, by column of x and row of their tiles.
struct Partial {
  float of[kTeams * kWarps][kBatch][kTileRows];

  // `factor` times what this warp has.
  __device__ __forceinline__ void put(const Place& place, const Sums& sums, float factor) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
#pragma unroll
      for (int column = 0; column < kColumns; ++column) {
        float values[2 * kTiles];
#pragma unroll
        for (int i = 0; i < 2 * kTiles; ++i) {
          values[i] = 0;
#pragma unroll
          for (int e = 0; e < kResults; ++e)
            values[i] += place.column_of_result(e) == column ? sums[pass][i / 2][i % 2][e] : 0.0f;
        }
        int number = 0, shared = 0;
        add_lanes<2 * kTiles, 1>(values, lane, number, shared);
        const int c = pass * kColumns + column;
#pragma unroll
        for (int i = 0; i < kLeft; ++i)
          if ((lane & shared) == 0 && c < kBatch)
            of[warp][c][(number + i) * (8 / kSplit) + place.row] = values[i] * factor;
      }
    }
  }
  // Of this thread's team.
  __device__ __forceinline__ float sum(int c, int tile_row) const {
    const int first = static_cast<int>(threadIdx.x) / (kWarps * 32) * kWarps;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < kWarps; ++k) sum += of[first + k][c][tile_row];
    return sum;
  }
};

// Where the rows of y begin that this thread's team makes in one round of its block, of `rows`: at least kOutRows. A
// team beyond the last row does the last ones once more, with the same result.
__device__ __forceinline__ int first_row_of(int rows, int round) {
  const unsigned int tile = (blockIdx.x + round * gridDim.x) * kTeams + threadIdx.x / (kWarps * 32);
  return static_cast<int>(min(static_cast<long long>(tile) * kOutRows, static_cast<long long>(rows - kOutRows)));
}
// Whether the block has anything to do in it.
__device__ __forceinline__ bool has_rows(int rows, int round) {
  return static_cast<long long>(blockIdx.x + round * gridDim.x) * (kTeams * kOutRows) < rows;
}

// store(c, row): of every column and row of the team, by all of its threads.
template <class Store>
__device__ __forceinline__ void for_each_result(const Store& store) {
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x) % (kWarps * 32); i < kBatch * kOutRows; i += kWarps * 32)
    store(i / kOutRows, i % kOutRows);
}
