// Tensor cores and one column of x, all of it straight to registers: few instructions for a weight, and every load of
// a round is in flight before the first product. Tiles are those of gemv_nibbles_mma.cuh, but a lane's rows are
// neighbours, so that one load brings their scales. Column p of b has the x of part p of a row; what the other columns
// have is of no use, and only lanes of the first row_split of them load.
#pragma once

#include "gemv_nibbles.cuh"
#include "tuner_mma.cuh"

static_assert(kBatch == 1 && kZeros == Zeros::none && (kGroup == 0 || kGroup == 128), "see the manifest");

constexpr int kTiles = row_tiles;
constexpr int kRows = 2 * kTiles;  // of a lane
constexpr int kSplit = row_split;
constexpr int kTileRows = 8 / kSplit * kRows;
constexpr int kWarps = block_size / 32;  // that share the rows of a block
constexpr int kSteps = steps_in_flight;
constexpr int kStepColumns = 128 * kSplit, kStepBytes = 64 * kSplit;
// The zero is taken away by sums of x; else what is decoded is codes less it.
constexpr bool kBySums = zero_from == zero_from_sums;
constexpr int kSpread = kBySums ? kSplit / 2 : 0;  // products that add up x, 256 columns each

using Scales = Vector<2 * kRows>;
using Sums = float[kRows];

// What this lane is to a product, and where what it loads begins in step 0. Few instructions lead to the first load:
// what fits in 32 bits is computed in them.
struct Place {
  unsigned int g, t, part;
  unsigned int pitch;
  unsigned int row;  // the first of this lane's
  const char* codes;

  __device__ __forceinline__ Place(const Weights& weights, unsigned int lane, unsigned int first_row)
      : g(lane / 4),
        t(lane % 4),
        part(g % kSplit),
        pitch(static_cast<unsigned int>(weights.pitch())),
        row(first_row + g / kSplit * kRows) {
    codes = weights.codes + static_cast<unsigned long long>(row) * pitch + (part * 64 + t * 16);
  }
};

struct Step {
  Vector<16> codes[kRows];
  Scales scales;
};

// One step. Beyond the end of a row codes are 0, and the last group's scale stands for those that are not there; only
// a whole step has its scales at a multiple of their size.
template <bool whole>
__device__ __forceinline__ void load_step(const Weights& weights, const Place& place, unsigned int step, Step& to) {
  const char* const codes = place.codes + static_cast<unsigned long long>(step) * kStepBytes;
  const bool wanted = whole || (step * kSplit + place.part) * 4 + place.t < static_cast<unsigned int>(weights.chunks());
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const char* const row = codes + static_cast<unsigned long long>(place.pitch) * i;
    if constexpr (whole)
      to.codes[i] = load_vector<CacheHint::streaming, 16>(row);
    else
      to.codes[i] = load_vector_if<CacheHint::streaming, 16>(wanted, row);
  }
  unsigned int group = kGroup == 0 ? 0 : step * kSplit + place.part;
  if constexpr (!whole) group = min(group, static_cast<unsigned int>(weights.groups()) - 1);
  const Scale* const scales =
      weights.scale + (static_cast<unsigned long long>(group) * static_cast<unsigned int>(weights.rows) + place.row);
  if constexpr (whole) {
    to.scales = load_vector<CacheHint::read_only, 2 * kRows>(reinterpret_cast<const char*>(scales));
  } else {
#pragma unroll
    for (int i = 0; i < kTiles; ++i)
      to.scales.word[i] = scales[2 * i].bits | static_cast<unsigned int>(scales[2 * i + 1].bits) << 16;
  }
}

// x of one step: eight elements for each word of a lane's codes, and, to be added up, eight in every column of b.
struct Share {
  Vector<16> x[4], spread[kBySums ? kSplit / 2 : 1];
};

template <bool whole>
__device__ __forceinline__ Vector<16> load_x(bool wanted, const half_t* x, unsigned int at, unsigned int end) {
  if constexpr (whole) return load_vector_if<activation_hint, 16>(wanted, reinterpret_cast<const char*>(x + at));
  return wanted ? load_eight(x, at, end) : Vector<16>{};
}

template <bool whole>
__device__ __forceinline__ void load_share(const Place& place, const half_t* x, int columns, unsigned int step,
                                           Share& to) {
  const unsigned int first = step * kStepColumns + place.t * 32, end = static_cast<unsigned int>(columns);
#pragma unroll
  for (int j = 0; j < 4; ++j) to.x[j] = load_x<whole>(place.g < kSplit, x, first + place.part * 128 + j * 8, end);
#pragma unroll
  for (int h = 0; h < kSpread; ++h)
    to.spread[h] = load_x<whole>(true, x, first + h * 256 + place.g / 4 * 128 + place.g % 4 * 8, end);
}

// Both halves of a word masked and given other bits: one instruction, of which the compiler makes two.
__device__ __forceinline__ unsigned int mask_and_set(unsigned int word, unsigned int mask, unsigned int bits) {
#ifdef TUNER_HOST
  return (word & mask) | bits;
#else
  unsigned int result;
  asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(result) : "r"(word), "r"(mask), "r"(bits));
  return result;
#endif
}

// As UnsignedNibbles::even_less_8() and odd_less_8(), of two codes.
__device__ __forceinline__ unsigned int even_less_8(unsigned int word) {
  return multiply_add_halves(mask_and_set(word, 0x000f000fu, 0x64006400u), 0x3c003c00u, 0xe408e408u);
}
__device__ __forceinline__ unsigned int odd_less_8(unsigned int word) {
  return multiply_add_halves(mask_and_set(word, 0x00f000f0u, 0x64006400u), 0x2c002c00u, 0xd480d480u);
}

// What the zero makes of a step, in units of `odd`: what the sums of this lane's columns begin with.
__device__ __forceinline__ void sum_for_zero(const Place& place, const Share& share, float (&zero)[4]) {
  constexpr unsigned int two = 0x80008000u | Codes::one * 0x00080008u;  // -8
  const unsigned int a[4] = {two, two, two, two};
  float mine = 0;
#pragma unroll
  for (int h = 0; h < kSpread; ++h) {
    float sum[4] = {};
    mma_16x8x16<half_t>(sum, a, share.spread[h].word[0], share.spread[h].word[1]);
    mma_16x8x16<half_t>(sum, a, share.spread[h].word[2], share.spread[h].word[3]);
    // Of a quarter of part 2 h + t / 2: lanes t and t ^ 1 have the rest of it.
    float of_part = sum[0] + sum[1];
    of_part += __shfl_xor_sync(0xffffffffu, of_part, 1);
    if (h == place.t % 2) mine = of_part;
  }
  const float other = __shfl_xor_sync(0xffffffffu, mine, 2);
  zero[0] = zero[2] = mine;
  zero[1] = zero[3] = other;
}

// Adds one tile's two rows of this lane.
__device__ __forceinline__ void add_tile(const Step& step, int tile, const Share& share, const float (&zero)[4],
                                         bool second_column, Sums& sums) {
  float even[4] = {}, odd[4] = {zero[0], zero[1], zero[2], zero[3]};
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const unsigned int upper = step.codes[2 * tile].word[j], lower = step.codes[2 * tile + 1].word[j];
    const unsigned int(&x)[4] = share.x[j].word;
    if constexpr (kBySums) {
      unsigned int a[4];
      Codes::even(upper, a[0], a[2]);
      Codes::even(lower, a[1], a[3]);
      mma_16x8x16<half_t>(even, a, x[0], x[2]);
      Codes::odd(upper, a[0], a[2]);
      Codes::odd(lower, a[1], a[3]);
      mma_16x8x16<half_t>(odd, a, x[1], x[3]);
    } else {
      const unsigned int first[4] = {even_less_8(upper), even_less_8(lower), odd_less_8(upper), odd_less_8(lower)};
      mma_16x8x16<half_t>(even, first, x[0], x[1]);
      const unsigned int second[4] = {even_less_8(upper >> 8), even_less_8(lower >> 8), odd_less_8(upper >> 8),
                                      odd_less_8(lower >> 8)};
      mma_16x8x16<half_t>(even, second, x[2], x[3]);
    }
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float column[2];
#pragma unroll
    for (int e = 0; e < 2; ++e)
      column[e] = kBySums ? fmaf(odd[half * 2 + e], Codes::odd_share, even[half * 2 + e]) : even[half * 2 + e];
    const half_t scale = {static_cast<unsigned short>(step.scales.word[tile] >> half * 16)};
    float& sum = sums[2 * tile + half];
    sum = fmaf(second_column ? column[1] : column[0], to_float(scale), sum);
  }
}

// `count` steps of this warp from `step` on. The weights of all are on their way before x is waited for.
template <int count, bool whole>
__device__ __forceinline__ void add_steps(const Weights& weights, const Place& place, const half_t* x,
                                          unsigned int step, Sums& sums) {
  Step steps[count];
  Share shares[count];
#pragma unroll
  for (int u = 0; u < count; ++u) load_step<whole>(weights, place, step + u * kWarps, steps[u]);
  wait_for_predecessor();
#pragma unroll
  for (int u = 0; u < count; ++u) load_share<whole>(place, x, weights.columns, step + u * kWarps, shares[u]);
#pragma unroll
  for (int u = 0; u < count; ++u) {
    float zero[4] = {};
    if constexpr (kBySums) sum_for_zero(place, shares[u], zero);
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) add_tile(steps[u], tile, shares[u], zero, place.part % 2 == 1, sums);
  }
}

// What the warp has of its rows, to shared memory. Only lanes whose columns are of their part of the rows count.
__device__ __forceinline__ void put_sums(const Place& place, const Sums& sums, float* to) {
  const bool upper = place.part % 2 == 1;
#pragma unroll
  for (int i = 0; i < kTiles; ++i) {
    const float mine = upper ? sums[i + kTiles] : sums[i], other = upper ? sums[i] : sums[i + kTiles];
    float sum = mine + __shfl_xor_sync(0xffffffffu, other, 4);
    if constexpr (kSplit == 4) sum += __shfl_xor_sync(0xffffffffu, sum, 9);
    if (place.t == 0 && place.part < 2) to[place.g / kSplit * kRows + upper * kTiles + i] = sum;
  }
}

__device__ __forceinline__ void multiply(const Weights& weights, const half_t* x, Output* y, char*) {
  __shared__ float partial[kWarps][kTileRows];
  const unsigned int warp = threadIdx.x / 32, rows = static_cast<unsigned int>(weights.rows),
                     columns = static_cast<unsigned int>(weights.columns);
  // The last block does rows of the one before once more, with the same result.
  const unsigned int first_row = min(blockIdx.x * kTileRows, rows - kTileRows);
  const Place place(weights, threadIdx.x % 32, first_row);
  const bool vectors = (address_of(x) | address_of(weights.scale) % sizeof(Scales)) % 16 == 0 && rows % kRows == 0;
  const unsigned int whole = vectors ? columns / kStepColumns : 0, all = (columns + kStepColumns - 1) / kStepColumns;
  Sums sums = {};
  unsigned int step = warp;
#pragma unroll 1
  for (; step + (kSteps - 1) * kWarps < whole; step += kSteps * kWarps)
    add_steps<kSteps, true>(weights, place, x, step, sums);
  if constexpr (kSteps > 1) {
#pragma unroll 1
    for (; step < whole; step += kWarps) add_steps<1, true>(weights, place, x, step, sums);
  }
#pragma unroll 1
  for (; step < all; step += kWarps) add_steps<1, false>(weights, place, x, step, sums);
  wait_for_predecessor();
  put_sums(place, sums, partial[warp]);
  __syncthreads();
  if (threadIdx.x >= kTileRows) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kWarps; ++k) sum += partial[k][threadIdx.x];
  y[first_row + threadIdx.x] = from_float<Output>(sum * (kBySums ? Codes::unit : 1.0f));
}
