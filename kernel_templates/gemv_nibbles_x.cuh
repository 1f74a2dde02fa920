// x as the tensor cores' tiles of gemv_nibbles_mma.cuh take it: which lane brings what to b, from L1 or shared memory.
#pragma once

#include "gemv_nibbles.cuh"

constexpr int kTiles = row_tiles;
#if defined(variant_stream) && variant == variant_stream
constexpr int kWarps = block_size / 32;
constexpr bool kShared = true;
#else
constexpr int kWarps = warps_per_tile;
constexpr bool kShared = x_from == x_from_shared;
#endif
#ifdef FACT_sum
constexpr int kStride = FACT_sum ? kWarps / FACT_chosen : kWarps;  // warps that walk along the same columns
#else
constexpr int kStride = kWarps;
#endif
constexpr int kSplit = row_split;  // parts of a row that are rows of their own to a product
constexpr int kTileRows = 16 / kSplit * kTiles;
#ifdef FACT_glu
constexpr bool kGated = FACT_glu;  // every other tile is of the rows of a second matrix, which follows the first
#else
constexpr bool kGated = false;
#endif
constexpr int kOutRows = kGated ? kTileRows / 2 : kTileRows;  // of y, that a team makes
constexpr int kTeams = block_size / 32 / kWarps;
constexpr int kStepColumns = 128 * kSplit, kStepBytes = 64 * kSplit;
constexpr CacheHint kHint = CacheHint::streaming;

constexpr int kClasses = kGroup == 0 || kGroup >= 128 ? 1 : 128 / (kGroup == 0 ? 1 : kGroup);  // groups in 128 columns
// The codes less their zero are decoded, and nothing has to correct for it. With x in shared memory its sums are made
// once, which is less work.
constexpr bool kLess8 = !kShared && kCorrects && kZeros == Zeros::none;
constexpr float kUnit = kLess8 ? 1 : Codes::unit;
constexpr int kApiece = kSplit * kClasses;                             // columns of b for one of x
constexpr int kColumns = kBatch < 8 / kApiece ? kBatch : 8 / kApiece;  // of x, in one product
constexpr int kPasses = (kBatch + kColumns - 1) / kColumns;
constexpr int kUsed = kColumns * kApiece;  // columns of b
// The other columns may have the same, so that no lane differs; but from L1 every lane's load counts.
constexpr bool kAlone = kBatch == 1 && kClasses == 1 && (kShared || kSplit == 1);
constexpr int kApart = kUsed <= 4 ? 2 : 1;     // from one to the next
constexpr int kResults = kApart == 2 ? 1 : 2;  // columns of which a lane has results
constexpr int kScales = kClasses == 1 ? 1 : kResults;

// What this lane is to a product.
struct Place {
  int g, t;
  int part, row;      // of its weights: which part of which row of a half tile
  int column, range;  // of what it brings to b: the column of x in the first pass, the part of a step
  bool brings;

  __device__ __forceinline__ explicit Place(int lane) : g(lane / 4), t(lane % 4), part(g % kSplit), row(g / kSplit) {
    const int used = kAlone ? g / kApart % kSplit : g / kApart;
    column = used / kApiece;
    range = used / kClasses % kSplit;
    brings = kAlone || (g % kApart == 0 && used < kUsed && t / (4 / kClasses) == used % kClasses);
  }
  // Which of the groups of 128 columns result `e` is of.
  __device__ __forceinline__ int class_of(int e) const { return (t * kResults + e) % kClasses; }
  // Which column of x it is of; -1: of none, or of another part of a row than this lane's weights.
  __device__ __forceinline__ int column_of_result(int e) const {
    const int used = t * kResults + e;
    return used < kUsed && used / kClasses % kSplit == part ? used / kApiece : -1;
  }
};

// This lane's 32 elements of x in a step, as products take them: of each eight two words go with `even` and two with
// `odd`. From shared memory they come side by side. Lanes that bring nothing keep the zeros that they have.
using Share = Vector<16>[4];
constexpr int kEven[2] = {0, kShared ? 1 : 2}, kOdd[2] = {kShared ? 2 : 1, 3};

#ifdef TUNER_HOST
template <int offset>
__device__ __forceinline__ void bring(bool brings, const char* from, Vector<16>& to) {
  if (brings) to = load_vector<activation_hint, 16, offset>(from);
}
template <int offset>
__device__ __forceinline__ void bring_shared(bool brings, SharedPointer from, Vector<16>& to) {
  if (brings) to = load_vector<CacheHint::none, 16, offset>(from);
}
#else
#define TUNER_BRING(load, kind)                                                                        \
  asm volatile("{.reg .pred p; setp.ne.s32 p, %5, 0; @p " load ".v4.u32 {%0, %1, %2, %3}, [%4 + %6];}" \
               : "+r"(to.word[0]), "+r"(to.word[1]), "+r"(to.word[2]), "+r"(to.word[3])                \
               : kind(from), "r"(static_cast<int>(brings)), "n"(offset))
template <int offset>
__device__ __forceinline__ void bring(bool brings, const char* from, Vector<16>& to) {
  if constexpr (activation_hint == CacheHint::none) {
    TUNER_BRING("ld.global", "l");
  } else {
    TUNER_BRING("ld.global.nc", "l");
  }
}
template <int offset>
__device__ __forceinline__ void bring_shared(bool brings, SharedPointer from, Vector<16>& to) {
  TUNER_BRING("ld.shared", "r");
}
#undef TUNER_BRING
#endif

__device__ __forceinline__ long long staged_bytes(int columns) {  // of one column of x
  return (static_cast<long long>(columns) + kStepColumns - 1) / kStepColumns * (256 * kSplit);
}

// Sums of x over groups, which correct for the zero of the codes, are made when x comes to shared memory.
constexpr bool kStagesSums = kCorrects && kShared;
// The codes' zero in units of `odd`, or 1 where each group has its own.
constexpr float kSumUnit =
    kZeros == Zeros::none ? -8 / (Codes::unit * Codes::odd_share) : 1 / (Codes::unit * Codes::odd_share);
__device__ __forceinline__ int sums_of_column(int columns) {
  return kStagesSums ? static_cast<int>(staged_bytes(columns) / 256) * kClasses : 0;
}
// All of x and, 16 bytes for 128 columns, the sums.
__device__ __forceinline__ int all_staged_bytes(int columns) {
  return kStaged * static_cast<int>(staged_bytes(columns) / 256) * (kStagesSums ? 272 : 256);
}

__device__ __forceinline__ float sum_of_eight(const Vector<16>& eight) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i)
    sum += to_float(half_t{static_cast<unsigned short>(eight.word[i / 2] >> i % 2 * 16 & 0xffffu)});
  return sum;
}

// Chunk `i` of `count` of a column. All threads of a warp that have one call it together.
__device__ __forceinline__ void put_eight(const Vector<16>& eight, unsigned int i, unsigned int count, char* to,
                                          float* sums) {
  const unsigned int chunk = i % 16, part = i / 16 % kSplit,
                     place = (i / 16 * 16 + (chunk % 4 ^ part % 4) * 4 + chunk / 4) * 16;
  *reinterpret_cast<Vector<16>*>(to + place) = {{eight.word[0], eight.word[2], eight.word[1], eight.word[3]}};
  if constexpr (kStagesSums) {
    float sum = sum_of_eight(eight);
    // Chunks are a multiple of 16: a warp is there whole, or its first half.
    const unsigned int mask = i - threadIdx.x % 32 + 32 <= count ? 0xffffffffu : 0xffffu;
#pragma unroll
    for (int away = 1; away < 16 / kClasses; away *= 2) sum += __shfl_xor_sync(mask, sum, away);
    if (i % (16 / kClasses) == 0) sums[i / (16 / kClasses)] = sum * kSumUnit;
  }
}

constexpr int kAtOnce = 4;  // loads of x on their way

// `kStaged` columns of x to shared memory, where what four lanes take at once lies side by side: chunk j of lane t
// of the 128 columns from 128 b on is at 256 b + 64 (j ^ b % kSplit % 4) + 16 t, so that neighbouring parts of a row
// come from different banks. Every thread of the block calls it.
__device__ __forceinline__ void stage(const half_t* x, int columns, bool vectors, char* to) {
  const unsigned int end = static_cast<unsigned int>(columns),
                     count = static_cast<unsigned int>(staged_bytes(columns) / 16);
  float* const sums = reinterpret_cast<float*>(to + kStaged * staged_bytes(columns));
#pragma unroll 1
  for (int c = 0; c < kStaged; ++c) {
    const half_t* column = x + static_cast<long long>(c) * columns;
#pragma unroll 1
    for (unsigned int first = threadIdx.x; first < count; first += kAtOnce * block_size) {
      Vector<16> eight[kAtOnce];
#pragma unroll
      for (int u = 0; u < kAtOnce; ++u) {
        const unsigned int at = (first + u * block_size) * 8;
        if (first + u * block_size < count)
          eight[u] = vectors && at + 8 <= end
                         ? load_vector<activation_hint, 16>(reinterpret_cast<const char*>(column + at))
                         : load_eight(column, at, end);
      }
#pragma unroll
      for (int u = 0; u < kAtOnce; ++u) {
        const unsigned int i = first + u * block_size;
        if (i < count)
          put_eight(eight[u], i, count, to + c * staged_bytes(columns), sums + c * sums_of_column(columns));
      }
    }
  }
}

// Where this lane finds its share of x: of its column in the first pass, at the walk's step.
struct Source {
  const half_t* column;
  const float* sums;  // of the first column of x to this warp
  SharedPointer shared;
  int columns;
  bool vectors;  // what is not shared may be loaded by 16 bytes

  // `first` is the column of x that is the first one to this warp.
  __device__ __forceinline__ Source(const Place& place, const half_t* x, int columns_of_w, char* held, int step,
                                    int first)
      : columns(columns_of_w), vectors(has_vectors(x, columns_of_w)) {
    const int c = first + (place.column < kBatch ? place.column : 0);
    sums = reinterpret_cast<const float*>(held + kStaged * staged_bytes(columns)) + first * sums_of_column(columns);
    column = x + static_cast<long long>(c) * columns + static_cast<long long>(step) * kStepColumns + place.range * 128 +
             place.t * 32;
    shared = shared_pointer(held) +
             (static_cast<int>(c * staged_bytes(columns)) + (step * kSplit + place.range) * 256 + place.t * 16);
  }
  __device__ __forceinline__ void advance(int steps) {
    column += static_cast<long long>(steps) * kStepColumns;
    shared += steps * (256 * kSplit);
  }

  // The sum that corrects result `e` of step `at`.
  template <int pass>
  __device__ __forceinline__ float sum(const Place& place, int at, int e) const {
    const int c = pass * kColumns + (place.t * kResults + e) / kApiece;
    return sums[(c < kBatch ? c : kBatch - 1) * sums_of_column(columns) + (at * kSplit + place.part) * kClasses +
                place.class_of(e)];
  }

  // Of the step that is `u` steps of this warp ahead; `at` is that step's number.
  template <bool whole, int u, int pass>
  __device__ __forceinline__ void take(const Place& place, int at, Share& share) const {
    const bool brings =
        kAlone ? true : place.brings && (kBatch % kColumns == 0 || pass * kColumns + place.column < kBatch);
    const long long skipped = pass == 0 ? 0 : static_cast<long long>(pass * kColumns) * columns;
    repeat<4>([&](auto j) {
      if constexpr (kShared) {
        const SharedPointer from = shared + (pass == 0 ? 0 : static_cast<int>(pass * kColumns * staged_bytes(columns)));
        bring_shared<u * kStride * 256 * kSplit>(brings, from + (j.value ^ place.range % 4) * 64, share[j.value]);
      } else if constexpr (whole) {
        bring<u * kStride * 256 * kSplit + j.value * 16>(brings, reinterpret_cast<const char*>(column + skipped),
                                                         share[j.value]);
      } else if (brings) {
        const unsigned int first = static_cast<unsigned int>(at) * kStepColumns + place.range * 128 + place.t * 32;
        share[j.value] = load_eight(column + skipped - first, first + j.value * 8, static_cast<unsigned int>(columns));
      }
    });
  }
};
