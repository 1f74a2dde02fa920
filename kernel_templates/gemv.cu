// y = A x in six ways, from a thread a row to a ring of bulk copies. A is M x N, row-major, rows row_stride elements
// apart; x holds FACT_batch columns of N, y as many of M. Sums are fp32.
#include "tuner_intrinsics.cuh"
#include "tuner_mma.cuh"

using Element = DTYPE;
using Output = FACT_y;

constexpr int kBatch = FACT_batch;
constexpr int kColumns = kBatch < 8 ? kBatch : 8;  // columns of x that one pass over A serves

#include "gemv_epilogue.cuh"
#include "tuner_trigger.cuh"

// Column `first + c` of x, the last one again beyond it.
__device__ __forceinline__ const Element* column_of(const Element* x, int N, int first, int c) {
  const int column = first + c < kBatch ? first + c : kBatch - 1;
  return x + static_cast<long long>(column) * N;
}

#if variant == variant_ring

#include "gemv_ring.cuh"

#elif variant == variant_vec || variant == variant_warp  // warps_per_row warps share rows_per_warp rows

constexpr int kRows = rows_per_warp;
constexpr int kValues = kRows / kMade;  // of y that they make
constexpr int kWarps = warps_per_row;
constexpr int kGroups = block_size / 32 / kWarps;
constexpr int kLanes = kWarps * 32;  // that share a row
#if variant == variant_vec
constexpr int kLoads = unroll;
#undef unroll  // the pragma's own name
constexpr int kElementLoads = 1;  // the rare path: few registers
#else
constexpr int kElementLoads = 8;
#endif

using Sums = float[kRows][kColumns];

#include "gemv_parts.cuh"

// `count` elements of every row, kLanes apart from `n` on: all loads are in flight before the first use.
template <int count>
__device__ __forceinline__ void add_some(const Element* a, const Rows& rows, const Element* x, int N, int first,
                                         unsigned int n, Sums& sum) {
  float weight[kRows][count];
#pragma unroll
  for (int u = 0; u < count; ++u) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) weight[r][u] = to_float(a[rows[r] + n + u * kLanes]);
  }
#pragma unroll
  for (int c = 0; c < kColumns; ++c) {
    const Element* column = column_of(x, N, first, c);
    float value[count];
#pragma unroll
    for (int u = 0; u < count; ++u) value[u] = to_float(column[n + u * kLanes]);
#pragma unroll
    for (int u = 0; u < count; ++u) {
#pragma unroll
      for (int r = 0; r < kRows; ++r) sum[r][c] = fmaf(weight[r][u], value[u], sum[r][c]);
    }
  }
}

// One element at a time from `begin` to `end`; works at any address.
__device__ __forceinline__ void add_elements(const Element* a, const Rows& rows, const Element* x, int N, int first,
                                             unsigned int begin, unsigned int end, Sums& sum) {
  unsigned int n = begin;
#pragma unroll 1
  for (; n + (kElementLoads - 1) * kLanes < end; n += kElementLoads * kLanes)
    add_some<kElementLoads>(a, rows, x, N, first, n, sum);
  if constexpr (kElementLoads > 1) {
#pragma unroll 1
    for (; n < end; n += kLanes) add_some<1>(a, rows, x, N, first, n, sum);
  }
}

#if variant == variant_vec

#include "gemv_vec.cuh"

#else

constexpr int kPersistent = 0;
constexpr int kMinBlocks = 1;

__device__ __forceinline__ bool can_load_vectors(const Element*, const Element*, int, long long) { return false; }

__device__ __forceinline__ void add_rows(const Element* a, const Rows& rows, const Element* x, int N, int first,
                                         int lane, bool, bool&, Sums& sum) {
  add_elements(a, rows, x, N, first, lane, N, sum);
}

#endif

// Adds what the warps of a group have and stores kValues x kColumns results. Every thread of the block calls it.
__device__ __forceinline__ void store_rows(const Result& result, int first, int row, bool valid, const Sums& sum) {
  const int lane = threadIdx.x % 32;
  if constexpr (kWarps == 1) {
    if (valid && lane == 0) {
#pragma unroll
      for (int c = 0; c < kColumns; ++c) {
#pragma unroll
        for (int i = 0; i < kValues; ++i) {
          Made made;
#pragma unroll
          for (int r = 0; r < kMade; ++r) made[r] = sum[i * kMade + r][c];
          if (first + c < kBatch) result.store(first + c, row + i, made);
        }
      }
    }
  } else {
    __shared__ float partial[block_size / 32][kColumns * kRows];
    const int warp = threadIdx.x / 32;
    if (lane == 0) {
#pragma unroll
      for (int c = 0; c < kColumns; ++c) {
#pragma unroll
        for (int r = 0; r < kRows; ++r) partial[warp][c * kRows + r] = sum[r][c];
      }
    }
    __syncthreads();
    if (valid && warp % kWarps == 0 && lane < kColumns * kValues) {
      Made made = {};
#pragma unroll
      for (int i = 0; i < kWarps; ++i) {
#pragma unroll
        for (int r = 0; r < kMade; ++r) made[r] += partial[warp + i][lane * kMade + r];
      }
      if (first + lane / kValues < kBatch) result.store(first + lane / kValues, row + lane % kValues, made);
    }
    if (kPersistent != 0 || kBatch > kColumns) __syncthreads();
  }
}

// The rows of one group. The last group is moved back to end at row M and does some rows twice, with the same result;
// a group beyond it stores nothing.
struct Group {
  bool valid;
  int row;

  __device__ __forceinline__ Group(unsigned int number, int M)
      : valid(number * kValues < static_cast<unsigned int>(M)),
        row(static_cast<int>(min(number * kValues, static_cast<unsigned int>(M - kValues)))) {}
};

__device__ __forceinline__ void do_group(const Element* A, const Element* x, const Result& result, int M, int N,
                                         long long row_stride, unsigned int number, bool vectors, bool& fresh) {
  const Group group(number, M);
  const Element* a = A + group.row * row_stride;
  const Rows rows(M, row_stride);
  const int lane = threadIdx.x % kLanes;
#pragma unroll 1
  for (int first = 0; first < kBatch; first += kColumns) {
    Sums sum = {};
    if (group.valid || (kStaged && fresh)) add_rows(a, rows, x, N, first, lane, vectors, fresh, sum);
    let_successor_start_at<Trigger::loads>();
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int c = 0; c < kColumns; ++c) sum[r][c] = warp_sum(sum[r][c]);
    }
    store_rows(result, first, group.row, group.valid, sum);
  }
}

#if defined(split_k) && split_k > 1

// Blocks of one blockIdx.x share rows; `tickets` counts those that are done, and is left 0.
extern "C" __global__ void __launch_bounds__(block_size, kMinBlocks)
    gemv(GEMV_ARGUMENTS, unsigned int* __restrict__ tickets) {
  let_successor_start_at<Trigger::start>();
  const Group group(blockIdx.x * kGroups + threadIdx.x / kLanes, M);
  bool fresh = true;
  Sums sum = {};
  if (group.valid || kStaged)
    add_rows(A + group.row * row_stride, Rows(M, row_stride), x, N, 0, threadIdx.x % kLanes,
             can_load_vectors(A, x, N, row_stride), fresh, sum);
  let_successor_start_at<Trigger::loads>();
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
#pragma unroll
    for (int c = 0; c < kColumns; ++c) sum[r][c] = warp_sum(sum[r][c]);
  }
  if (leave_piece(acc, tickets + blockIdx.x, sum) && group.valid) store_pieces(acc, GEMV_RESULT, group.row);
  let_successor_start_at<Trigger::end>();
}

#else

extern "C" __global__ void __launch_bounds__(block_size, kMinBlocks) gemv(GEMV_ARGUMENTS) {
  let_successor_start_at<Trigger::start>();
  if constexpr (kFixed != 0) N = kFixed;
  const bool vectors = can_load_vectors(A, x, N, row_stride);
  const unsigned int group = threadIdx.x / kLanes;
  bool fresh = true;
  if constexpr (kPersistent == 0) {
    do_group(A, x, GEMV_RESULT, M, N, row_stride, blockIdx.x * kGroups + group, vectors, fresh);
  } else {
    for (unsigned int tile = blockIdx.x; tile * (kGroups * kValues) < static_cast<unsigned int>(M); tile += gridDim.x)
      do_group(A, x, GEMV_RESULT, M, N, row_stride, tile * kGroups + group, vectors, fresh);
  }
  let_successor_start_at<Trigger::end>();
}

#endif

#else

#include "gemv_stages.cuh"

#endif

#undef GEMV_ARGUMENTS
