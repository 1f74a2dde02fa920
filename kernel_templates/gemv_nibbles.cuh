// What kernels of four-bit weights share: the format, by macros of the manifest, and where a row's parts lie.
#pragma once

#include "tuner_mma.cuh"
#include "tuner_nibbles.cuh"

using Output = FACT_y;

constexpr int kBatch = FACT_batch;
#ifdef FACT_sum
constexpr int kStaged = FACT_sum ? FACT_chosen : 1;  // columns of x that there are
#else
constexpr int kStaged = kBatch;
#endif
constexpr int kGroup = FACT_group;  // codes with one scale; 0: a whole row

#ifdef FACT_zeros
using Codes = UnsignedNibbles;
using Scale = half_t;
// none: weights are scale * (code - 8); points: a code for every group in place of the 8; offsets: scale * code -
// offset.
enum class Zeros { none, points, offsets };
constexpr Zeros kZeros = FACT_zeros == 16 ? Zeros::offsets : FACT_zeros == 4 ? Zeros::points : Zeros::none;
#define NIBBLES_ARGUMENTS                                                                                             \
  const uint8_t *__restrict__ w, const half_t *__restrict__ scale, const uint8_t *__restrict__ zero,                  \
      const half_t *__restrict__ offset, const half_t *TUNER_ACTIVATION x, Output *__restrict__ y, int M, int K, int, \
      int, int
#define NIBBLES_WEIGHTS \
  { reinterpret_cast<const char*>(w), scale, zero, offset, M, K }
__device__ __forceinline__ float scale_value(half_t scale) { return to_float(scale); }
#else
using Codes = E2m1Nibbles;
using Scale = uint8_t;
enum class Zeros { none, points, offsets };
constexpr Zeros kZeros = Zeros::none;
#define NIBBLES_ARGUMENTS                                                                             \
  const uint8_t *__restrict__ w, const uint8_t *__restrict__ scale, const half_t *TUNER_ACTIVATION x, \
      Output *__restrict__ y, int M, int K, int
#define NIBBLES_WEIGHTS \
  { reinterpret_cast<const char*>(w), scale, nullptr, nullptr, M, K }
__device__ __forceinline__ float scale_value(uint8_t scale) { return e8m0_to_float(scale); }
#endif

// Whether sums of x correct for the zero of the codes.
constexpr bool kCorrects = Codes::one != 0;

// A matrix of rows x columns. What is behind a row's last code is never used.
struct Weights {
  const char* codes;
  const Scale* scale;    // [groups][rows]
  const uint8_t* zero;   // [groups][ceil(rows / 2)], the even row in the low half of a byte
  const half_t* offset;  // [groups][rows]
  int rows, columns;

  __device__ __forceinline__ int chunks() const {
    return static_cast<int>((static_cast<unsigned int>(columns) + 31) / 32);
  }  // of 16 bytes, a row
  __device__ __forceinline__ long long pitch() const { return static_cast<long long>(chunks()) * 16; }
  __device__ __forceinline__ int groups() const {
    return kGroup == 0
               ? 1
               : static_cast<int>((static_cast<unsigned int>(columns) + (kGroup - 1)) / (kGroup == 0 ? 1 : kGroup));
  }
};

// What belongs to one group of one row, as it lies in memory.
struct GroupFacts {
  Scale scale;
  uint8_t zero;  // of two rows
  half_t offset;
};

// Where the facts of one group lie, from a row on.
struct GroupPlace {
  const Scale* scale;
  const uint8_t* zero;  // of row 0
  const half_t* offset;
  int row;

  __device__ __forceinline__ GroupPlace(const Weights& weights, int group, int first_row) : row(first_row) {
    const long long at = static_cast<long long>(group) * weights.rows + row;
    scale = weights.scale + at;
    if constexpr (kZeros == Zeros::points)
      zero = weights.zero + group * ((static_cast<long long>(weights.rows) + 1) / 2);
    if constexpr (kZeros == Zeros::offsets) offset = weights.offset + at;
  }
  // Of the row that is `below` rows further down.
  __device__ __forceinline__ GroupFacts load(int below) const {
    GroupFacts facts = {};
    facts.scale = scale[below];
    if constexpr (kZeros == Zeros::points) facts.zero = zero[(row + below) / 2];
    if constexpr (kZeros == Zeros::offsets) facts.offset = offset[below];
    return facts;
  }
};

__device__ __forceinline__ float zero_value(const GroupFacts& facts, int row) {
  return kZeros == Zeros::points ? static_cast<float>(facts.zero >> row % 2 * 4 & 15) : 8.0f;
}

// Column c of x, the last one again beyond it.
__device__ __forceinline__ const half_t* column_of(const half_t* x, int columns, int c) {
  return x + static_cast<long long>(c < kBatch ? c : kBatch - 1) * columns;
}

// Eight elements of x from `at` on, zeros from `end` on; any address.
__device__ __forceinline__ Vector<16> load_eight(const half_t* column, unsigned int at, unsigned int end) {
  Vector<16> eight;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const unsigned int first = at + 2 * i;
    const unsigned int low = first < end ? column[first].bits : 0u,
                       high = first + 1 < end ? column[first + 1].bits : 0u;
    eight.word[i] = low | high << 16;
  }
  return eight;
}

// Whether every chunk of every column of x is at a multiple of 16 bytes.
__device__ __forceinline__ bool has_vectors(const half_t* x, int columns) {
  return address_of(x) % 16 == 0 && (kStaged == 1 || columns % 8 == 0);
}
