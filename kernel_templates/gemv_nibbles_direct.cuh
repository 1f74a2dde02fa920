// Tensor cores and one column of x, all of it straight to registers: few instructions for a weight, and every load of
// a round is in flight before the first product. Tiles are those of gemv_nibbles_mma.cuh, but a lane's rows are
// neighbours, so that one load brings their scales. Column 8 / kClasses c + p of b has the x of group c of part p of a
// row, so that the lane that loaded codes of a group also has, or is next to the one that has, what they come to; what
// the other columns have is of no use, and only lanes that bring something load.
#pragma once

#include "gemv_nibbles.cuh"
#include "tuner_mma.cuh"

static_assert(kBatch == 1 && kZeros == Zeros::none, "see the manifest");

constexpr int kTiles = row_tiles;
constexpr int kRows = 2 * kTiles;  // of a lane
constexpr int kSplit = row_split;
constexpr int kTileRows = 8 / kSplit * kRows;
constexpr int kWarps = block_size / 32;  // that share the rows of a block
constexpr int kSteps = steps_in_flight;
#if defined(add_experts_apart) && add_experts == add_experts_apart
constexpr int kStride = kWarps / FACT_chosen;
#else
constexpr int kStride = kWarps;
#endif
constexpr int kStepColumns = 128 * kSplit, kStepBytes = 64 * kSplit;
constexpr int kClasses = kGroup == 0 || kGroup >= 128 ? 1 : 128 / (kGroup == 0 ? 1 : kGroup);  // groups in 128 columns
static_assert(kClasses * kSplit <= 8, "a product has eight columns");
#ifdef FACT_glu
constexpr bool kGated = FACT_glu;  // the upper half of a lane's rows is of a second matrix, which follows the first
#else
constexpr bool kGated = false;
#endif
constexpr int kNeighbours = kGated ? kTiles : kRows;  // of a lane's rows
constexpr int kOutRows = kGated ? kTileRows / 2 : kTileRows;
// The zero is taken away by sums of x in whole steps; else, and in all others, what is decoded is codes less it.
#ifdef zero_from
constexpr bool kBySums = kCorrects && zero_from == zero_from_sums;
#else
constexpr bool kBySums = false;
#endif
static_assert(!kBySums || kClasses == 1, "see the manifest");
constexpr int kSpread = kBySums ? kSplit / 2 : 0;  // products that add up x, 256 columns each
constexpr float kUnit = kCorrects && !kBySums ? 1.0f : Codes::unit;

using Sums = float[kRows];

// How much is known of a step: all of it is in its row; its last chunks of 32 may be beyond the end, all else as before;
// or its last columns may, and neither x nor scales need lie at multiples of 16 bytes and of a lane's scales.
enum class Reach { whole, bounded, unaligned };

// What this lane is to a product, and where what it loads of a matrix begins in step 0. Few instructions lead to the
// first load: what fits in 32 bits is computed in them.
struct Place {
  unsigned int g, t, part, group;  // `group`: of the kClasses of its part
  unsigned int pitch;
  unsigned int row;  // the first of this lane's
  unsigned long long codes;
  bool brings;  // x

  __device__ __forceinline__ Place(const Weights& weights, unsigned int lane, unsigned int first_row)
      : g(lane / 4),
        t(lane % 4),
        part(g % kSplit),
        group(t / (4 / kClasses)),
        pitch(static_cast<unsigned int>(weights.pitch())),
        row(first_row + g / kSplit * kNeighbours),
        codes(static_cast<unsigned long long>(row) * pitch + (part * 64 + t * 16)),
        brings(g % (8 / kClasses) < kSplit && g / (8 / kClasses) == group) {}
};

// One step of a matrix, with the column of x that it is multiplied by, and what its sums are multiplied by.
struct At {
  Weights weights;
  const half_t* x;
  unsigned int step;
  float factor;
};

struct Step {
  Vector<16> codes[kRows];
  Scale scales[kRows];
};

// Scales of `count` neighbouring rows.
template <int count, Reach reach>
__device__ __forceinline__ void load_scales(const Scale* from, Scale* to) {
  constexpr int bytes = count * static_cast<int>(sizeof(Scale));
  if constexpr (reach == Reach::unaligned || bytes < 4) {
#pragma unroll
    for (int i = 0; i < count; ++i) to[i] = from[i];
  } else {
    const auto words = load_vector<CacheHint::read_only, bytes>(reinterpret_cast<const char*>(from));
#pragma unroll
    for (int i = 0; i < count; ++i) {
      constexpr int each = 4 / static_cast<int>(sizeof(Scale));
      const unsigned int bits = words.word[i / each] >> i % each * (32 / each);
#ifdef FACT_zeros
      to[i] = {static_cast<unsigned short>(bits)};
#else
      to[i] = static_cast<Scale>(bits);
#endif
    }
  }
}

// Whether chunk `chunk` of a step is in the row.
__device__ __forceinline__ bool has_chunk(const Weights& weights, unsigned int step, unsigned int chunk) {
  return step * kSplit * 4 + chunk < static_cast<unsigned int>(weights.chunks());
}

// One step. Where a lane is beyond the end of a row, codes of the step before it and the last group's scale stand for
// what is not there: x is 0.
template <Reach reach>
__device__ __forceinline__ void load_step(const At& at, const Place& place, Step& to) {
  const Weights& weights = at.weights;
  const unsigned int rows = static_cast<unsigned int>(weights.rows), second = rows / 2;
  const unsigned int chunk = place.part * 4 + place.t;
  unsigned int from = at.step * kStepBytes;
  if (reach != Reach::whole && !has_chunk(weights, at.step, chunk)) from -= at.step > 0 ? kStepBytes : chunk * 16;
  const char* const codes = weights.codes + place.codes + static_cast<int>(from);
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const unsigned int below = kGated && i >= kTiles ? second + i - kTiles : i;
    to.codes[i] =
        load_vector<CacheHint::streaming, 16>(codes + static_cast<unsigned long long>(place.pitch) * below);
  }
  unsigned int group = kGroup == 0 ? 0 : (at.step * kSplit + place.part) * kClasses + place.group;
  if constexpr (reach != Reach::whole) group = min(group, static_cast<unsigned int>(weights.groups()) - 1);
  const Scale* const scales = weights.scale + (static_cast<unsigned long long>(group) * rows + place.row);
  load_scales<kNeighbours, reach>(scales, to.scales);
  if constexpr (kGated) load_scales<kNeighbours, reach>(scales + second, to.scales + kNeighbours);
}

// Whether the zero is taken away by sums of x in such a step.
template <Reach reach>
constexpr bool by_sums = kBySums && reach == Reach::whole;

// x of one step: eight elements for each word of a lane's codes, and, to be added up, eight in every column of b.
struct Share {
  Vector<16> x[4], spread[kBySums ? kSplit / 2 : 1];
};

// Eight elements of chunk `chunk` of a step.
template <Reach reach>
__device__ __forceinline__ Vector<16> load_x(bool wanted, const At& at, unsigned int chunk, unsigned int element) {
  const unsigned int first = at.step * kStepColumns + chunk * 32 + element;
  if constexpr (reach == Reach::unaligned)
    return wanted ? load_eight(at.x, first, static_cast<unsigned int>(at.weights.columns)) : Vector<16>{};
  if constexpr (reach == Reach::bounded) wanted = wanted && has_chunk(at.weights, at.step, chunk);
  return load_vector_if<activation_hint, 16>(wanted, reinterpret_cast<const char*>(at.x + first));
}

template <Reach reach>
__device__ __forceinline__ void load_share(const At& at, const Place& place, Share& to) {
#pragma unroll
  for (int j = 0; j < 4; ++j) to.x[j] = load_x<reach>(place.brings, at, place.part * 4 + place.t, j * 8);
  if constexpr (by_sums<reach>) {
#pragma unroll
    for (int h = 0; h < kSpread; ++h)
      to.spread[h] = load_x<reach>(true, at, h * 8 + place.g / 4 * 4 + place.t, place.g % 4 * 8);
  }
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

// The products of one word of two rows with x; with `sums` those of elements 2, 3, 6 and 7 in units of `odd`.
template <class C, bool sums>
__device__ __forceinline__ void add_word(unsigned int upper, unsigned int lower, const unsigned int (&x)[4],
                                         float (&even)[4], float (&odd)[4]) {
  unsigned int a[4];
  if constexpr (kCorrects && !sums) {
    C::even_less_8(upper, a[0], a[2]);
    C::even_less_8(lower, a[1], a[3]);
  } else {
    C::even(upper, a[0], a[2]);
    C::even(lower, a[1], a[3]);
  }
  mma_16x8x16<half_t>(even, a, x[0], x[2]);
  if constexpr (kCorrects && !sums) {
    C::odd_less_8(upper, a[0], a[2]);
    C::odd_less_8(lower, a[1], a[3]);
  } else {
    C::odd(upper, a[0], a[2]);
    C::odd(lower, a[1], a[3]);
  }
  mma_16x8x16<half_t>(sums ? odd : even, a, x[1], x[3]);
}

// Adds one tile's two rows of this lane.
template <Reach reach>
__device__ __forceinline__ void add_tile(const Step& step, int tile, const Share& share, const float (&zero)[4],
                                         bool second_column, float factor, Sums& sums) {
  constexpr float unit = kBySums && !by_sums<reach> ? 1 / kUnit : 1;
  float even[4] = {}, odd[4] = {zero[0], zero[1], zero[2], zero[3]};
#pragma unroll
  for (int j = 0; j < 4; ++j)
    add_word<Codes, by_sums<reach>>(step.codes[2 * tile].word[j], step.codes[2 * tile + 1].word[j], share.x[j].word,
                                    even, odd);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float column[2];
#pragma unroll
    for (int e = 0; e < 2; ++e)
      column[e] = by_sums<reach> ? fmaf(odd[half * 2 + e], Codes::odd_share, even[half * 2 + e]) : even[half * 2 + e];
    const float scale = scale_value(step.scales[2 * tile + half]) * (factor * unit);
    float& sum = sums[2 * tile + half];
    sum = fmaf(second_column ? column[1] : column[0], scale, sum);
  }
}

// Every kStride-th step of a matrix is a warp's.
struct OneMatrix {
  static constexpr unsigned int count = 1;
  At from;  // its step 0

  __device__ __forceinline__ At at(unsigned int, unsigned int step) const {
    At there = from;
    there.step = step;
    return there;
  }
};

// `count` steps of this warp from `step` on, one in kStride; a matrix has `steps` of them, `first` and those after it. The
// weights of all are on their way before x is waited for, and x of one before the one before it is multiplied.
template <int count, Reach reach, class Matrices>
__device__ __forceinline__ void add_steps(const Matrices& matrices, const Place& place, unsigned int step,
                                          unsigned int steps, unsigned int first, Sums& sums) {
  At at[count];
  Step loaded[count];
  Share shares[2];
#pragma unroll
  for (int u = 0; u < count; ++u) {
    const unsigned int i = step + u * kStride, number = Matrices::count == 1 ? 0 : i / steps;
    at[u] = matrices.at(number, first + i - number * steps);
  }
#pragma unroll
  for (int u = 0; u < count; ++u) load_step<reach>(at[u], place, loaded[u]);
  wait_for_predecessor();
  load_share<reach>(at[0], place, shares[0]);
#pragma unroll
  for (int u = 0; u < count; ++u) {
    if (u + 1 < count) load_share<reach>(at[u + 1], place, shares[(u + 1) % 2]);
    const Share& share = shares[u % 2];
    float zero[4] = {};
    if constexpr (by_sums<reach>) sum_for_zero(place, share, zero);
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile)
      add_tile<reach>(loaded[u], tile, share, zero, place.part % 2 == 1, at[u].factor, sums);
  }
}

// Steps of this warp from `step` on; it ends at the first that the matrices have not.
template <Reach reach, class Matrices>
__device__ __forceinline__ void add_all(const Matrices& matrices, const Place& place, unsigned int steps,
                                        unsigned int first, unsigned int& step, Sums& sums) {
  const unsigned int end = Matrices::count * steps;
  if constexpr (kSteps > 1 && reach != Reach::unaligned) {
#pragma unroll 1
    for (; step + (kSteps - 1) * kStride < end; step += kSteps * kStride)
      add_steps<kSteps, reach>(matrices, place, step, steps, first, sums);
  }
  if constexpr (kSteps > 2 && reach != Reach::unaligned) {
#pragma unroll 1
    for (; step + kStride < end; step += 2 * kStride) add_steps<2, reach>(matrices, place, step, steps, first, sums);
  }
#pragma unroll 1
  for (; step < end; step += kStride) add_steps<1, reach>(matrices, place, step, steps, first, sums);
  step -= end;
}

// From this warp's first step on. Of one matrix whole steps go first; of several, which warps take as if they were one
// behind the other, all are taken to be like the last, so that warps have as many.
template <class Matrices>
__device__ __forceinline__ void add_rows(const Matrices& matrices, const Place& place, unsigned int columns,
                                         bool vectors, unsigned int step, Sums& sums) {
  const unsigned int whole = vectors ? columns / kStepColumns : 0, all = (columns + kStepColumns - 1) / kStepColumns;
  const bool chunks = vectors && columns % 32 == 0;  // are whole
  if constexpr (Matrices::count == 1) {
    add_all<Reach::whole>(matrices, place, whole, 0, step, sums);
    if (!chunks)
      add_all<Reach::unaligned>(matrices, place, all - whole, whole, step, sums);
    else if (step < all - whole)
      add_steps<1, Reach::bounded>(matrices, place, step, 1, whole, sums);  // a loop is ten registers more
  } else if (!chunks) {
    add_all<Reach::unaligned>(matrices, place, all, 0, step, sums);
  } else if (whole < all) {
    add_all<Reach::bounded>(matrices, place, all, 0, step, sums);
  } else {
    add_all<Reach::whole>(matrices, place, all, 0, step, sums);
  }
}

// What the warp has of its rows, to shared memory: a lane's kRows one after the other. Of what lanes have only that of
// their own part and group counts, and what they are next to has the rest.
__device__ __forceinline__ void put_sums(const Place& place, const Sums& sums, float* to) {
  const bool upper = place.part % 2 == 1;
#pragma unroll
  for (int i = 0; i < kTiles; ++i) {
    const float mine = upper ? sums[i + kTiles] : sums[i], other = upper ? sums[i] : sums[i + kTiles];
    float sum = mine + __shfl_xor_sync(0xffffffffu, other, 4);
    if constexpr (kSplit == 4) sum += __shfl_xor_sync(0xffffffffu, sum, 9);
    if constexpr (kClasses >= 2) sum += __shfl_xor_sync(0xffffffffu, sum, 2);
    if constexpr (kClasses == 4) sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    if (place.t == 0 && place.part < 2) to[place.g / kSplit * kRows + upper * kTiles + i] = sum;
  }
}

// What a block makes of its rows.
struct Made {
  float of[kWarps][kTileRows];

  __device__ __forceinline__ float sum(unsigned int tile_row) const {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < kWarps; ++k) sum += of[k][tile_row];
    return sum * kUnit;
  }
};

// Where a block's rows begin, of `rows`: the last block does rows of the one before once more, with the same result.
__device__ __forceinline__ unsigned int first_row_of(unsigned int rows) {
  return min(blockIdx.x * kOutRows, rows - kOutRows);
}

// Whether whole steps of a matrix and of x can be read by vectors.
__device__ __forceinline__ bool reads_vectors(const Weights& weights, const half_t* x) {
  constexpr unsigned int scales = kNeighbours * sizeof(Scale);
  return address_of(x) % 16 == 0 && address_of(weights.scale) % scales == 0 &&
         static_cast<unsigned int>(weights.rows) % kRows == 0;
}

#ifndef FACT_chosen
__device__ __forceinline__ void multiply(const Weights& weights, const half_t* x, Output* y, char*) {
  __shared__ Made made;
  const unsigned int first_row = first_row_of(static_cast<unsigned int>(weights.rows));
  const Place place(weights, threadIdx.x % 32, first_row);
  Sums sums = {};
  add_rows(OneMatrix{{weights, x, 0, 1}}, place, static_cast<unsigned int>(weights.columns), reads_vectors(weights, x),
           threadIdx.x / 32, sums);
  wait_for_predecessor();
  put_sums(place, sums, made.of[threadIdx.x / 32]);
  __syncthreads();
  if (threadIdx.x < kTileRows) y[first_row + threadIdx.x] = from_float<Output>(made.sum(threadIdx.x));
}
#endif
