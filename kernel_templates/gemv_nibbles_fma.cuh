// The fp32 units, for any GPU: warps_per_row warps walk along rows_per_warp rows, a lane takes 16 bytes of each and
// keeps the 32 elements of x that belong to them in registers for all rows.
#pragma once

#include "gemv_nibbles.cuh"

constexpr int kRows = rows_per_warp;
constexpr int kWarps = warps_per_row;
constexpr int kTeams = block_size / 32 / kWarps;
constexpr CacheHint kHint = CacheHint::streaming;

// 32 elements of a column of x from `at` on, enlarged; zeros beyond the end.
__device__ __forceinline__ void load_share(const half_t* column, unsigned int at, unsigned int end, bool vectors,
                                           float (&share)[32], float& sum) {
  sum = 0;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const Vector<16> eight = vectors && at + 32 <= end
                                 ? load_vector<activation_hint, 16>(reinterpret_cast<const char*>(column + at + j * 8))
                                 : load_eight(column, at + j * 8, end);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const float value = to_float(half_t{static_cast<unsigned short>(eight.word[i / 2] >> i % 2 * 16 & 0xffffu)});
      sum += value;
      share[j * 8 + i] = Codes::enlarged(value, i);
    }
  }
}

using Sums = float[kRows][kBatch];

// One chunk of 32 codes of every row.
__device__ __forceinline__ void add_chunk(const Weights& weights, const char* const (&rows)[kRows],
                                          const int (&row)[kRows], unsigned int chunk, const half_t* x, bool vectors,
                                          bool& fresh, Sums& sums) {
  Vector<16> codes[kRows];
  GroupFacts facts[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) codes[r] = load_vector<kHint, 16>(rows[r] + static_cast<long long>(chunk) * 16);
  const int group = kGroup == 0 ? 0 : static_cast<int>(chunk / (kGroup == 0 ? 1 : kGroup / 32));
#pragma unroll
  for (int r = 0; r < kRows; ++r) facts[r] = GroupPlace(weights, group, row[r]).load(0);
  if (fresh) wait_for_predecessor();
  fresh = false;
#pragma unroll
  for (int c = 0; c < kBatch; ++c) {
    float share[32], of_x;
    load_share(column_of(x, weights.columns, c), chunk * 32, static_cast<unsigned int>(weights.columns), vectors, share,
               of_x);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      float sum = 0;
#pragma unroll
      for (int j = 0; j < 4; ++j) sum = Codes::add_products(codes[r].word[j], share + j * 8, sum);
      const float factor = scale_value(facts[r].scale);
      if constexpr (kZeros == Zeros::offsets) {
        sums[r][c] = fmaf(-to_float(facts[r].offset), of_x, fmaf(sum * Codes::float_unit, factor, sums[r][c]));
      } else if constexpr (kCorrects) {
        sums[r][c] = fmaf(fmaf(-zero_value(facts[r], row[r]), of_x, sum * Codes::float_unit), factor, sums[r][c]);
      } else {
        sums[r][c] = fmaf(sum * Codes::float_unit, factor, sums[r][c]);
      }
    }
  }
}

__device__ __forceinline__ void multiply(const Weights& weights, const half_t* x, Output* y, char*) {
  __shared__ float partial[kTeams * kWarps][kRows * kBatch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, team = warp / kWarps;
  const long long first_row = (static_cast<long long>(blockIdx.x) * kTeams + team) * kRows;
  const bool vectors = has_vectors(x, weights.columns);
  const char* rows[kRows];
  int row[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    row[r] = static_cast<int>(min(first_row + r, static_cast<long long>(weights.rows - 1)));
    rows[r] = weights.codes + row[r] * weights.pitch();
  }
  Sums sums = {};
  bool fresh = true;  // the weights of the first chunk are in flight before x is asked for
  if (first_row < weights.rows) {
    const unsigned int chunks = static_cast<unsigned int>(weights.chunks());
#pragma unroll 1
    for (unsigned int chunk = warp % kWarps * 32 + lane; chunk < chunks; chunk += kWarps * 32)
      add_chunk(weights, rows, row, chunk, x, vectors, fresh, sums);
  }
  if (fresh) wait_for_predecessor();
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
#pragma unroll
    for (int c = 0; c < kBatch; ++c) {
      const float sum = warp_sum(sums[r][c]);
      if (lane == 0) partial[warp][c * kRows + r] = sum;
    }
  }
  __syncthreads();
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x) % (kWarps * 32); i < kBatch * kRows; i += kWarps * 32) {
    const int c = i / kRows, r = i % kRows;
    if (first_row + r >= weights.rows) continue;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < kWarps; ++k) sum += partial[team * kWarps + k][i];
    y[static_cast<long long>(c) * weights.rows + first_row + r] = from_float<Output>(sum);
  }
}
