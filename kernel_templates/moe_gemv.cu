// The chosen experts of one token, weights of 16 bits. Without FACT_sum x is one column and y has one for each chosen
// expert; with it x has one for each and y is the sum of their products, each times its share. With FACT_glu an expert
// is two matrices, gate and up, one after the other, and y is silu(gate x) * (up x). Sums are fp32.
#include "tuner_early.cuh"
#include "tuner_intrinsics.cuh"

using Element = DTYPE;
using Output = FACT_y;

constexpr int kChosen = FACT_chosen;
constexpr bool kSum = FACT_sum, kGated = FACT_glu;
constexpr int kRows = rows_per_team;              // of y
constexpr int kAll = kGated ? 2 * kRows : kRows;  // of weights
constexpr int kWarps = warps_per_team;
constexpr int kLanes = kWarps * 32;
constexpr int kTeams = block_size / kLanes;
constexpr int kLoads = loads_in_flight;

using Load = Vector<16>;

// Rows of one expert times a column of x, this lane's part of them.
struct Rows {
  const Element* row[kAll];

  __device__ __forceinline__ Rows(const Element* w, long long expert, int first_row, int M, int K) {
#pragma unroll
    for (int r = 0; r < kAll; ++r) {
      const long long matrix = expert * (kGated ? 2 : 1) + r / kRows;
      row[r] = w + (matrix * M + first_row + r % kRows) * K;
    }
  }
};

__device__ __forceinline__ void add_elements(const Rows& rows, const Element* x, unsigned int from, unsigned int end,
                                             float (&sum)[kAll]) {
#pragma unroll 1
  for (unsigned int k = from; k < end; k += kLanes) {
    const float value = to_float(x[k]);
#pragma unroll
    for (int r = 0; r < kAll; ++r) sum[r] = fmaf(to_float(rows.row[r][k]), value, sum[r]);
  }
}

// All weights of a round are in flight before x, and all of both before the first product.
__device__ __forceinline__ void add_vectors(const Rows& rows, const Element* x, int lane, unsigned int count,
                                            float (&sum)[kAll]) {
#pragma unroll 1
  for (unsigned int i = lane; i < count; i += kLoads * kLanes) {
    Load weight[kAll][kLoads], value[kLoads];
#pragma unroll
    for (int u = 0; u < kLoads; ++u) {
#pragma unroll
      for (int r = 0; r < kAll; ++r)
        weight[r][u] = load_vector_if<CacheHint::streaming, 16>(
            i + u * kLanes < count, reinterpret_cast<const char*>(rows.row[r] + (i + u * kLanes) * 8ull));
    }
#pragma unroll
    for (int u = 0; u < kLoads; ++u)
      value[u] = load_vector_if<activation_hint, 16>(i + u * kLanes < count,
                                                     reinterpret_cast<const char*>(x + (i + u * kLanes) * 8ull));
#pragma unroll
    for (int u = 0; u < kLoads; ++u) {
#pragma unroll
      for (int r = 0; r < kAll; ++r) sum[r] = dot<Element>(weight[r][u], value[u], sum[r]);
    }
  }
}

extern "C" __global__ void __launch_bounds__(block_size, min_blocks_per_sm)
    moe_gemv(const Element* __restrict__ w, const int* TUNER_ACTIVATION ids, const float* TUNER_ACTIVATION share,
             const Element* TUNER_ACTIVATION x, Output* __restrict__ y, int M, int K, int, int, int) {
  __shared__ float partial[block_size / 32][kAll];
  let_successor_start();
  fetch_to_l2(ids, share);
  wait_for_predecessor();  // which experts are chosen is an activation
  const int lane = threadIdx.x % kLanes, team = threadIdx.x / kLanes;
  const unsigned int wanted = (blockIdx.x * kTeams + team) * kRows;
  // A team beyond the last row does the last ones once more, with the same result.
  const int first_row = static_cast<int>(min(wanted, static_cast<unsigned int>(M - kRows)));
  const bool vectors = (address_of(w) | address_of(x)) % 16 == 0 && K % 8 == 0;
  float total[kAll] = {};
#pragma unroll 1
  for (int c = 0; c < (kSum ? kChosen : 1); ++c) {
    const int slot = kSum ? c : blockIdx.y;
    const Rows rows(w, ids[slot], first_row, M, K);
    const Element* column = kSum ? x + static_cast<long long>(c) * K : x;
    float sum[kAll] = {};
    if (vectors)
      add_vectors(rows, column, lane, static_cast<unsigned int>(K) / 8, sum);
    else
      add_elements(rows, column, lane, static_cast<unsigned int>(K), sum);
    const float factor = kSum ? share[slot] : 1.0f;
#pragma unroll
    for (int r = 0; r < kAll; ++r) total[r] = fmaf(sum[r], factor, total[r]);
  }
#pragma unroll
  for (int r = 0; r < kAll; ++r) {
    const float sum = warp_sum(total[r]);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32][r] = sum;
  }
  __syncthreads();
  if (lane >= kRows) return;
  const auto sum_of = [&](int r) {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < kWarps; ++i) sum += partial[team * kWarps + i][r];
    return sum;
  };
  float result = sum_of(lane);
  if constexpr (kGated) result = result / (1 + expf(-result)) * sum_of(kRows + lane);
  y[(kSum ? 0 : static_cast<long long>(blockIdx.y) * M) + first_row + lane] = from_float<Output>(result);
}
