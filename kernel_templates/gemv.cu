// y = A x in six ways, from a thread a row to a ring of bulk copies. A is M x N, row-major, rows row_stride elements apart;
// x holds FACT_batch columns of N, y as many of M. Sums are fp32.
#include "tuner_intrinsics.cuh"
#include "tuner_mma.cuh"

using Element = DTYPE;
using Output = FACT_y;

constexpr int kBatch = FACT_batch;
constexpr int kColumns = kBatch < 8 ? kBatch : 8;  // columns of x that one pass over A serves

#include "gemv_epilogue.cuh"

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

// One element at a time from `begin` on; works at any address.
__device__ __forceinline__ void add_elements(const Element* a, const Rows& rows, const Element* x, int N, int first,
                                             unsigned int begin, Sums& sum) {
  const unsigned int end = static_cast<unsigned int>(N);
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

constexpr int kBytes = vector_width * sizeof(Element);
constexpr int kPersistent = blocks_per_sm;
constexpr int kMinBlocks = min_blocks_per_sm;
constexpr CacheHint kHint = cache_hint == cache_hint_none        ? CacheHint::none
                            : cache_hint == cache_hint_streaming ? CacheHint::streaming
                                                                 : CacheHint::streaming_l2_256;
using Load = Vector<kBytes>;

__device__ __forceinline__ bool can_load_vectors(const Element* A, const Element* x, int N, long long row_stride) {
  const unsigned long long row_bytes = static_cast<unsigned long long>(row_stride) * sizeof(Element);
  if (((address_of(A) | address_of(x) | row_bytes) & (kBytes - 1)) != 0) return false;
  return kBatch == 1 || N % vector_width == 0;
}

// What one lane of a row has to do: its next vector of every row and column, and how many vectors there are from it to
// the end of the row.
struct Lane {
  const char* rows[kRows];
  const char* columns[kColumns];
  int left;

  __device__ __forceinline__ void advance(int vectors) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) rows[r] += vectors * kBytes;
#pragma unroll
    for (int c = 0; c < kColumns; ++c) columns[c] += vectors * kBytes;
    left -= vectors;
  }
};

// `loads` vectors of every row, kLanes apart; from vector `masked` on, those beyond the end of the row are zeros.
template <int loads, int masked>
__device__ __forceinline__ void load_rows(const Lane& lane, Load (&weight)[kRows][loads]) {
  repeat<loads>([&](auto u) {
    constexpr int offset = u.value * kLanes * kBytes;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      if constexpr (u.value >= masked)
        weight[r][u.value] = load_vector_if<kHint, kBytes, offset>(u.value * kLanes < lane.left, lane.rows[r]);
      else
        weight[r][u.value] = load_vector<kHint, kBytes, offset>(lane.rows[r]);
    }
  });
}

template <int loads, int masked>
__device__ __forceinline__ void load_column(const Lane& lane, int c, Load (&value)[loads]) {
  repeat<loads>([&](auto u) {
    constexpr int offset = u.value * kLanes * kBytes;
    constexpr CacheHint hint = activation_hint;
    if constexpr (u.value >= masked)
      value[u.value] = load_vector_if<hint, kBytes, offset>(u.value * kLanes < lane.left, lane.columns[c]);
    else
      value[u.value] = load_vector<hint, kBytes, offset>(lane.columns[c]);
  });
}

// All weights are in flight before x, all of both before the first use. Where `masked`, vectors beyond the end of the
// row count as zeros; where `first`, x may not be there yet, nor any vector be left.
template <int loads, bool masked, bool first = false>
__device__ __forceinline__ void add_vectors(const Lane& lane, Sums& sum) {
  constexpr int kMasked = first ? 0 : masked ? 1 : loads;
  Load weight[kRows][loads];
  load_rows<loads, kMasked>(lane, weight);
  if constexpr (first) wait_for_predecessor();
#pragma unroll
  for (int c = 0; c < kColumns; ++c) {
    Load value[loads];
    load_column<loads, kMasked>(lane, c, value);
#pragma unroll
    for (int u = 0; u < loads; ++u) {
#pragma unroll
      for (int r = 0; r < kRows; ++r) sum[r][c] = dot<Element>(weight[r][u], value[u], sum[r][c]);
    }
  }
}

#if defined(math) && math == math_mma

// The same on tensor cores. A lane's vectors are its parts of a and b as they are: row g of a and column g of b are
// what the four lanes of group g hold, of one row of A and of x, so that the diagonal of a b has their products. Rows 8
// to 15 of a hold a second row of A.
constexpr int kPairs = kRows > 1 ? kRows / 2 : 1;  // of rows that one mma takes
using Tiles = float[kPairs][kColumns][4];

template <int loads, bool masked>
__device__ __forceinline__ void add_tiles(const Lane& lane, Tiles& tiles) {
  Load weight[kRows][loads];
  load_rows<loads, masked ? 0 : loads>(lane, weight);
#pragma unroll
  for (int c = 0; c < kColumns; ++c) {
    Load value[loads];
    load_column<loads, masked ? 0 : loads>(lane, c, value);
#pragma unroll
    for (int u = 0; u < loads; ++u) {
#pragma unroll
      for (int p = 0; p < kPairs; ++p) {
        const Load& upper = weight[p * 2][u];
        const Load lower = kRows > 1 ? weight[(p * 2 + 1) % kRows][u] : Load{};
#pragma unroll
        for (int w = 0; w < kBytes / 4; w += 2) {
          const unsigned int a[4] = {upper.word[w], lower.word[w], upper.word[w + 1], lower.word[w + 1]};
          mma_16x8x16<Element>(tiles[p][c], a, value[u].word[w], value[u].word[w + 1]);
        }
      }
    }
  }
}

// The diagonals; every lane of the warp goes through all steps together.
__device__ __forceinline__ void add_tensor_rows(Lane at, Sums& sum) {
  Tiles tiles = {};
  const int lane = threadIdx.x % 32;
  // Vectors from the warp's last lane, and from its first one, to the end of the row.
  int last = at.left + lane - 31, first = at.left + lane;
#pragma unroll 1
  for (; last > (kLoads - 1) * kLanes; last -= kLoads * kLanes, first -= kLoads * kLanes) {
    add_tiles<kLoads, false>(at, tiles);
    at.advance(kLoads * kLanes);
  }
  if (first > 0) add_tiles<kLoads, true>(at, tiles);
  const bool diagonal = lane % 4 == lane / 8;
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      const float* tile = tiles[r / 2][c] + r % 2 * 2;
      sum[r][c] += !diagonal ? 0.0f : lane / 4 % 2 == 0 ? tile[0] : tile[1];
    }
  }
}

#endif

__device__ __forceinline__ void add_rows(const Element* a, const Rows& rows, const Element* x, int N, int first,
                                         int lane, bool vectors, Sums& sum) {
  if (!vectors) {
    wait_for_predecessor();
    add_elements(a, rows, x, N, first, lane, sum);
    return;
  }
  const unsigned int count = static_cast<unsigned int>(N) / vector_width;
  Lane at;
#pragma unroll
  for (int r = 0; r < kRows; ++r) at.rows[r] = reinterpret_cast<const char*>(a + rows[r]);
#pragma unroll
  for (int c = 0; c < kColumns; ++c) at.columns[c] = reinterpret_cast<const char*>(column_of(x, N, first, c));
  at.left = static_cast<int>(count);
  at.advance(lane);
#if defined(math) && math == math_mma
  add_tensor_rows(at, sum);
#else
#ifdef TUNER_DEPENDENT
  add_vectors<kLoads, true, true>(at, sum);
  at.advance(kLoads * kLanes);
#endif
#pragma unroll 1
  for (; at.left > (kLoads - 1) * kLanes; at.advance(kLoads * kLanes)) add_vectors<kLoads, false>(at, sum);
#if defined(tail) && tail == tail_masked
  if (at.left > 0) add_vectors<kLoads, true>(at, sum);
#else
#pragma unroll 1
  for (; at.left > 0; at.advance(kLanes)) add_vectors<1, false>(at, sum);
#endif
#endif
  if (static_cast<unsigned int>(N) % vector_width != 0)
    add_elements(a, rows, x, N, first, count * vector_width + lane, sum);
}

#else

constexpr int kPersistent = 0;
constexpr int kMinBlocks = 1;

__device__ __forceinline__ bool can_load_vectors(const Element*, const Element*, int, long long) { return false; }

__device__ __forceinline__ void add_rows(const Element* a, const Rows& rows, const Element* x, int N, int first,
                                         int lane, bool, Sums& sum) {
  add_elements(a, rows, x, N, first, lane, sum);
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
// a group beyond it reads and stores nothing.
__device__ __forceinline__ void do_group(const Element* A, const Element* x, const Result& result, int M, int N,
                                         long long row_stride, unsigned int group, bool vectors) {
  const unsigned int wanted = group * kValues;
  const bool valid = wanted < static_cast<unsigned int>(M);
  const int row = static_cast<int>(min(wanted, static_cast<unsigned int>(M - kValues)));
  const Element* a = A + row * row_stride;
  const Rows rows(M, row_stride);
  const int lane = threadIdx.x % kLanes;
#pragma unroll 1
  for (int first = 0; first < kBatch; first += kColumns) {
    Sums sum = {};
    if (valid) add_rows(a, rows, x, N, first, lane, vectors, sum);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int c = 0; c < kColumns; ++c) sum[r][c] = warp_sum(sum[r][c]);
    }
    store_rows(result, first, row, valid, sum);
  }
}

extern "C" __global__ void __launch_bounds__(block_size, kMinBlocks) gemv(GEMV_ARGUMENTS) {
  let_successor_start();
  const bool vectors = can_load_vectors(A, x, N, row_stride);
  const unsigned int group = threadIdx.x / kLanes;
  if constexpr (kPersistent == 0) {
    do_group(A, x, GEMV_RESULT, M, N, row_stride, blockIdx.x * kGroups + group, vectors);
  } else {
    for (unsigned int tile = blockIdx.x; tile * (kGroups * kValues) < static_cast<unsigned int>(M); tile += gridDim.x)
      do_group(A, x, GEMV_RESULT, M, N, row_stride, tile * kGroups + group, vectors);
  }
}

#else

#include "gemv_stages.cuh"

#endif

#undef GEMV_ARGUMENTS
