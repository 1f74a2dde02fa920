// y = W x of weights of eight bits, W = codes * scales. Codes are M rows of ceil_div(K, 16) * 16 bytes from a multiple
// of 16 on; x holds FACT_batch columns of K halves, y as many of M. Sums are fp32. Layouts: docs/formats.md.
//
// A lane holds 16 codes of each of several rows at a time. `rows`: all lanes of a warp are along K, and each holds the
// same rows. `tiles`: four lanes are along K, and eight hold different rows, which is what mma.m16n8k16 wants; its
// eight columns are those of x.
#include "tuner_codes8.cuh"
#include "tuner_mma.cuh"

// kGroup codes along K share a scale, or with 0 all of a row; kScaleRows rows share those of groups.
#ifdef FORMAT_Q8
using Codes = SignedCodes;
using Scale = half_t;
constexpr int kGroup = FACT_group, kScaleRows = 1;
#else
#if decode == decode_bits
using Codes = E4M3ByBits;
#else
using Codes = E4M3ByConversion;
#endif
using Scale = float;
constexpr int kGroup = FACT_block, kScaleRows = FACT_block == 0 ? 1 : FACT_block;
#endif
using Output = FACT_y;

constexpr int kColumns = FACT_batch;
constexpr int kLoads = unroll;
#undef unroll  // the pragma's own name
constexpr int kWarps = warps_per_row;
constexpr int kGroups = block_size / 32 / kWarps;  // of warps that share rows

#if variant == variant_tiles
constexpr bool kTiles = true;
constexpr int kHeld = 2 * tiles_per_warp;     // rows a lane holds
constexpr int kRows = 16 * tiles_per_warp;    // rows of a warp
constexpr int kLanes = 4 * kWarps;            // lanes along K
constexpr int kTurns = 1;                     // columns of x that a lane reads
#else
constexpr bool kTiles = false;
constexpr int kHeld = rows_per_warp;
constexpr int kRows = rows_per_warp;
constexpr int kLanes = 32 * kWarps;
constexpr int kTurns = kColumns;
#endif

#if defined(math) && math == math_fma
constexpr bool kTensor = false;
#else
constexpr bool kTensor = true;
#endif

constexpr CacheHint kHint = cache_hint == cache_hint_streaming ? CacheHint::streaming : CacheHint::streaming_l2_256;

using Load = Vector<16>;

// What a lane has added up: of fma one sum a row and column; of mma the lane's four of each tile of 16 rows and each
// column (rows) or all columns (tiles).
constexpr int kPairs = (kHeld + 1) / 2;
using Sums = float[kTensor ? kPairs : kHeld][kTurns][kTensor ? 4 : 1];

// Loads that stay where they stand among others.
__device__ __forceinline__ float load_scale(const half_t* from) {
#ifdef TUNER_HOST
  return to_float(*from);
#else
  half_t value;
  asm volatile("ld.global.nc.u16 %0, [%1];" : "=h"(value.bits) : "l"(from));
  return to_float(value);
#endif
}
__device__ __forceinline__ float load_scale(const float* from) {
#ifdef TUNER_HOST
  return *from;
#else
  float value;
  asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(value) : "l"(from));
  return value;
#endif
}
__device__ __forceinline__ unsigned int load_half(const half_t* from) {
#ifdef TUNER_HOST
  return from->bits;
#else
  unsigned short bits;
  if constexpr (activation_hint == CacheHint::none)
    asm volatile("ld.global.u16 %0, [%1];" : "=h"(bits) : "l"(from));
  else
    asm volatile("ld.global.nc.u16 %0, [%1];" : "=h"(bits) : "l"(from));
  return bits;
#endif
}

// What a lane has to do: its next 16 codes of every row, and how many whole vectors there are from them to the end of
// the row.
struct Lane {
  const char* rows[kHeld];
  const half_t* columns[kTurns];
  const Scale* scales[kHeld];
  int vector, left;

  __device__ __forceinline__ void advance(int vectors) {
#pragma unroll
    for (int r = 0; r < kHeld; ++r) rows[r] += vectors * 16;
#pragma unroll
    for (int c = 0; c < kTurns; ++c) columns[c] += vectors * 16;
    vector += vectors;
    left -= vectors;
  }
};

// 16 elements of a column of x: whole vectors where wanted.
struct Values {
  Load part[2];

  template <bool masked, int u>
  __device__ __forceinline__ void load(const Lane& lane, int c) {
    const char* from = reinterpret_cast<const char*>(lane.columns[c]);
    constexpr int offset = u * kLanes * 32;
    const bool wanted = !masked || u * kLanes < lane.left;
    part[0] = masked ? load_vector_if<activation_hint, 16, offset>(wanted, from)
                     : load_vector<activation_hint, 16, offset>(from);
    part[1] = masked ? load_vector_if<activation_hint, 16, offset + 16>(wanted, from)
                     : load_vector<activation_hint, 16, offset + 16>(from);
  }

  // One by one, from any address; zeros beyond K.
  __device__ __forceinline__ void load_elements(const Lane& lane, int c, int K) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int64_t k = static_cast<int64_t>(lane.vector) * 16 + 2 * i;
      const unsigned int low = k < K ? load_half(lane.columns[c] + 2 * i) : 0;
      const unsigned int high = k + 1 < K ? load_half(lane.columns[c] + 2 * i + 1) : 0;
      part[i / 4].word[i % 4] = low | high << 16;
    }
  }
};

// 16 codes as halves.
struct Weights {
  Load part[2];

  __device__ __forceinline__ explicit Weights(const Load& codes) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      unsigned int halves[2];
      Codes::to_halves(codes.word[i], halves);
      part[i / 2].word[i % 2 * 2] = halves[0];
      part[i / 2].word[i % 2 * 2 + 1] = halves[1];
    }
  }
};

// The scales of a vector of codes of every row; of both groups where the four lanes along K have two.
constexpr int kParts = kTiles && kGroup == 32 ? 2 : 1;
struct GroupScales {
  float of[kParts][kHeld];

  __device__ __forceinline__ void load(const Lane& lane, int vector, int K, int64_t step) {
    if constexpr (kGroup != 0) {
      constexpr int size = kGroup == 0 ? 16 : kGroup;
      const int last = (K - 1) / size, first = (kTiles ? vector / 4 * 4 : vector) / (size / 16);
#pragma unroll
      for (int h = 0; h < kParts; ++h) {
#pragma unroll
        for (int r = 0; r < kHeld; ++r) of[h][r] = load_scale(lane.scales[r] + min(first + h, last) * step);
      }
    }
  }
};

// sum += the products of a vector of codes of every row and one of column c.
__device__ __forceinline__ void add_products(const Load (&codes)[kHeld], const GroupScales& scales, const Values& x,
                                             int c, Sums& sum) {
  if constexpr (!kTensor) {
#pragma unroll
    for (int r = 0; r < kHeld; ++r) {
      const Weights weights(codes[r]);
      float part = kGroup == 0 ? sum[r][c][0] : 0.0f;
#pragma unroll
      for (int i = 0; i < 2; ++i) part = dot<half_t>(weights.part[i], x.part[i], part);
      sum[r][c][0] = kGroup == 0 ? part : fmaf(part, scales.of[0][r], sum[r][c][0]);
    }
  } else {
    // Of two groups one after the other, with zeros in the place of the other's x.
#pragma unroll
    for (int p = 0; p < kPairs; ++p) {
      const int lower = min(2 * p + 1, kHeld - 1);
      const Weights upper(codes[2 * p]), under(codes[lower]);
#pragma unroll
      for (int h = 0; h < kParts; ++h) {
        float part[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) part[i] = kGroup == 0 ? sum[p][c][i] : 0.0f;
        const unsigned int mask = kParts == 1 || static_cast<int>(threadIdx.x) % 4 / 2 == h ? 0xffffffffu : 0;
#pragma unroll
        for (int i = 0; i < 8; i += 2) {
          const unsigned int *a = upper.part[i / 4].word + i % 4, *b = under.part[i / 4].word + i % 4;
          const unsigned int tile[4] = {a[0], kHeld > 1 ? b[0] : 0, a[1], kHeld > 1 ? b[1] : 0};
          mma_16x8x16<half_t>(part, tile, x.part[i / 4].word[i % 4] & mask, x.part[i / 4].word[i % 4 + 1] & mask);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i)
          sum[p][c][i] = kGroup == 0 ? part[i] : fmaf(part[i], scales.of[h][i < 2 ? 2 * p : lower], sum[p][c][i]);
      }
    }
  }
}

// What comes before x: nothing else of a thread touches what the launch before makes.
__device__ __forceinline__ void wait_once(bool& waited) {
  if (!waited) wait_for_predecessor();
  waited = true;
}

// `loads` vectors of every row, kLanes apart; all codes are in flight before x. Where `masked`, vectors beyond the end
// of the row count as zeros.
template <int loads, bool masked>
__device__ __forceinline__ void add_vectors(const Lane& lane, int K, int64_t step, bool& waited, Sums& sum) {
  Load codes[loads][kHeld];
  GroupScales scales[loads];
  repeat<loads>([&](auto u) {
    constexpr int offset = u.value * kLanes * 16;
#pragma unroll
    for (int r = 0; r < kHeld; ++r) {
      if constexpr (masked)
        codes[u.value][r] = load_vector_if<kHint, 16, offset>(u.value * kLanes < lane.left, lane.rows[r]);
      else
        codes[u.value][r] = load_vector<kHint, 16, offset>(lane.rows[r]);
    }
  });
#pragma unroll
  for (int u = 0; u < loads; ++u) scales[u].load(lane, lane.vector + u * kLanes, K, step);
  wait_once(waited);
  repeat<loads>([&](auto u) {
#pragma unroll
    for (int c = 0; c < kTurns; ++c) {
      Values x;
      x.load<masked, u.value>(lane, c);
      add_products(codes[u.value], scales[u.value], x, c, sum);
    }
  });
}

// One vector of every row, x element by element.
__device__ __forceinline__ void add_elements(const Lane& lane, int K, int64_t step, bool& waited, Sums& sum) {
  Load codes[kHeld];
  GroupScales scales;
#pragma unroll
  for (int r = 0; r < kHeld; ++r) codes[r] = load_vector_if<kHint, 16>(lane.left > 0, lane.rows[r]);
  scales.load(lane, lane.vector, K, step);
  wait_once(waited);
#pragma unroll
  for (int c = 0; c < kTurns; ++c) {
    Values x;
    x.load_elements(lane, c, K);
    add_products(codes, scales, x, c, sum);
  }
}

// Row r of those that a lane of a warp holds.
__device__ __forceinline__ int64_t row_of(int64_t first, int r) {
  return kTiles ? first + r / 2 * 16 + r % 2 * 8 + threadIdx.x % 32 / 4 : first + r;
}

// All of a lane's vectors of the rows from `first` on; every lane of the warp goes through all steps together. Rows
// beyond the last are the last one again.
__device__ __forceinline__ void add_rows(const char* codes, const Scale* scales, const half_t* x, int M, int K,
                                         int64_t first, Sums& sum) {
  constexpr int along = kTiles ? 4 : 32;  // lanes of a warp along K
  const int lane = threadIdx.x % along, vectors = (K - 1) / 16 + 1;
  const int64_t step = (M - 1) / kScaleRows + 1;
  Lane at;
#pragma unroll
  for (int r = 0; r < kHeld; ++r) {
    const int64_t row = min(row_of(first, r), static_cast<int64_t>(M - 1));
    at.rows[r] = codes + row * vectors * 16;
    at.scales[r] = scales + row / kScaleRows;
  }
#pragma unroll
  for (int c = 0; c < kTurns; ++c) {
    const int column = kTiles ? min(static_cast<int>(threadIdx.x % 32 / 4), kColumns - 1) : c;
    at.columns[c] = x + static_cast<int64_t>(column) * K;
  }
  const bool aligned = address_of(x) % 16 == 0 && (kColumns == 1 || K % 8 == 0);
  const int whole = aligned ? K / 16 : 0;
  bool waited = false;
  at.vector = 0;
  at.left = whole;
  at.advance(threadIdx.x / 32 % kWarps * along + lane);
#pragma unroll 1
  for (; at.left + lane - (along - 1) > (kLoads - 1) * kLanes; at.advance(kLoads * kLanes))
    add_vectors<kLoads, false>(at, K, step, waited, sum);
  if (at.left + lane > 0) {
    add_vectors<kLoads, true>(at, K, step, waited, sum);
    at.advance(kLoads * kLanes);
  }
  if (whole == vectors) return wait_once(waited);
  at.advance(whole + threadIdx.x / 32 % kWarps * along + lane - at.vector);
  at.left = vectors - at.vector;
#pragma unroll 1
  for (; at.left + lane > 0; at.advance(kLanes)) add_elements(at, K, step, waited, sum);
  wait_once(waited);
}

// What the warp has of each of its rows and columns, to `partial[column][row]`, under the scales that are of whole rows.
__device__ __forceinline__ void collect(const Sums& sum, const float (&scale)[kHeld], float (*partial)[kRows]) {
  const int lane = threadIdx.x % 32;
  if constexpr (kTiles) {
#pragma unroll
    for (int p = 0; p < kPairs; ++p) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int column = lane % 4 * 2 + i % 2;
        if (column < kColumns) partial[column][p * 16 + i / 2 * 8 + lane / 4] = sum[p][0][i] * scale[2 * p + i / 2];
      }
    }
  } else {
#pragma unroll
    for (int r = 0; r < kHeld; ++r) {
#pragma unroll
      for (int c = 0; c < kColumns; ++c) {
        float mine;
        if constexpr (kTensor) {
          // Row g of a tile is what lanes 4 g to 4 g + 3 hold, and so is its column g: the diagonal has the products.
          const float* tile = sum[r / 2][c] + r % 2 * 2;
          mine = lane % 4 != lane / 8 ? 0.0f : lane / 4 % 2 == 0 ? tile[0] : tile[1];
        } else {
          mine = sum[r][c][0];
        }
        const float total = warp_sum(mine) * scale[r];
        if (lane == 0) partial[c][r] = total;
      }
    }
  }
}

// One block an SM is said to be enough: else ptxas saves registers for more, and loads wait for each other.
extern "C" __global__ void __launch_bounds__(block_size, 1)
    gemv8(const char* __restrict__ codes, const Scale* __restrict__ scales, const half_t* TUNER_ACTIVATION x,
          Output* __restrict__ y, int M, int K, int, int) {
  let_successor_start();
  __shared__ float partial[block_size / 32][kColumns][kRows];
  const int warp = threadIdx.x / 32;
  const int64_t first = (static_cast<int64_t>(blockIdx.x) * kGroups + warp / kWarps) * kRows;
  if (first < M) {
    float scale[kHeld];
#pragma unroll
    for (int r = 0; r < kHeld; ++r)
      scale[r] = kGroup != 0 ? Codes::scale
                             : load_scale(scales + min(row_of(first, r), static_cast<int64_t>(M - 1))) * Codes::scale;
    Sums sum = {};
    add_rows(codes, scales, x, M, K, first, sum);
    collect(sum, scale, partial[warp]);
  }
  __syncthreads();
#pragma unroll 1
  for (int i = threadIdx.x % (32 * kWarps); i < kRows * kColumns; i += 32 * kWarps) {
    const int column = i / kRows, row = i % kRows;
    if (first + row >= M) continue;
    float total = 0;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) total += partial[warp / kWarps * kWarps + w][column][row];
    y[static_cast<int64_t>(column) * M + first + row] = from_float<Output>(total);
  }
}
