// How vec walks along rows: vectors of every row and of x, unrolled, on the fp32 units or on tensor cores. Part of
// gemv.cu.
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
    if constexpr (kStaged)
      value[u.value] = u.value < masked || u.value * kLanes < lane.left
                           ? *reinterpret_cast<const Load*>(lane.columns[c] + offset)
                           : Load{};
    else if constexpr (u.value >= masked)
      value[u.value] = load_vector_if<activation_hint, kBytes, offset>(u.value * kLanes < lane.left, lane.columns[c]);
    else
      value[u.value] = load_vector<activation_hint, kBytes, offset>(lane.columns[c]);
  });
}

// All weights are in flight before x, all of both before the first use. From vector `masked` on, those beyond the end
// of the row count as zeros; `before_x` comes between the two.
template <int loads, int masked, class F>
__device__ __forceinline__ void add_vectors(const Lane& lane, Sums& sum, const F& before_x) {
  Load weight[kRows][loads];
  load_rows<loads, masked>(lane, weight);
  before_x();
#pragma unroll
  for (int c = 0; c < kColumns; ++c) {
    Load value[loads];
    load_column<loads, masked>(lane, c, value);
#pragma unroll
    for (int u = 0; u < loads; ++u) {
#pragma unroll
      for (int r = 0; r < kRows; ++r) sum[r][c] = dot<Element>(weight[r][u], value[u], sum[r][c]);
    }
  }
}

template <int loads, int masked>
__device__ __forceinline__ void add_vectors(const Lane& lane, Sums& sum) {
  add_vectors<loads, masked>(lane, sum, [] {});
}

// Copies the block's piece of every column of x to `to`, column by column. Every thread of the block calls it.
__device__ __forceinline__ void stage(const Element* x, int N, const Piece& piece, char* to) {
  const int count = static_cast<int>(piece.end - piece.begin);
#pragma unroll
  for (int c = 0; c < kColumns; ++c) {
    const char* from =
        reinterpret_cast<const char*>(column_of(x, N, 0, c)) + static_cast<long long>(piece.begin) * kBytes;
#pragma unroll 4
    for (int i = threadIdx.x; i < count; i += block_size)
      reinterpret_cast<Load*>(to)[c * count + i] =
          load_vector<activation_hint, kBytes>(from + static_cast<long long>(i) * kBytes);
  }
  __syncthreads();
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

// All of a row whose length is known.
template <class F>
__device__ __forceinline__ void add_fixed_rows(Lane& at, Sums& sum, const F& before_x) {
  constexpr int turn = kLoads * kLanes, vectors = kFixed / vector_width;
  constexpr int turns = vectors / turn, rest = vectors % turn;
  constexpr int at_once =
      256 / (kRows * kLoads * kBytes) > 1 ? 256 / (kRows * kLoads * kBytes) : 1;  // loads move ahead
  if constexpr (turns > 0) {
    add_vectors<kLoads, kLoads>(at, sum, before_x);
    at.advance(turn);
  }
#pragma unroll at_once
  for (int t = 1; t < turns; ++t, at.advance(turn)) add_vectors<kLoads, kLoads>(at, sum);
  constexpr int loads = (rest + kLanes - 1) / kLanes;
  if constexpr (turns == 0)
    add_vectors<loads, rest / kLanes>(at, sum, before_x);
  else if constexpr (loads > 0)
    add_vectors<loads, rest / kLanes>(at, sum);
}

// Every thread of the block calls it once for x that is staged: `fresh` is true until then.
__device__ __forceinline__ void add_rows(const Element* a, const Rows& rows, const Element* x, int N, int first,
                                         int lane, bool vectors, bool& fresh, Sums& sum) {
  if (!vectors) {
    wait_for_predecessor();
    const Piece piece(N);
    add_elements(a, rows, x, N, first, piece.begin + lane, piece.end, sum);
    return;
  }
  extern __shared__ __align__(16) char staged[];
  const unsigned int count = static_cast<unsigned int>(N) / vector_width;
  const Piece piece(count);
  Lane at;
#pragma unroll
  for (int r = 0; r < kRows; ++r) at.rows[r] = reinterpret_cast<const char*>(a + rows[r]) + piece.begin * kBytes;
#pragma unroll
  for (int c = 0; c < kColumns; ++c)
    at.columns[c] = kStaged ? staged + c * (piece.end - piece.begin) * kBytes
                            : reinterpret_cast<const char*>(column_of(x, N, first, c)) + piece.begin * kBytes;
  at.left = static_cast<int>(piece.end - piece.begin);
  at.advance(lane);
  const auto get_x = [&] {
    wait_for_predecessor();
    if (kStaged && fresh) stage(x, N, piece, staged);
    fresh = false;
  };
#if defined(math) && math == math_mma
  add_tensor_rows(at, sum);
#else
  if constexpr (kFixed != 0) {
    add_fixed_rows(at, sum, get_x);
  } else {
    if constexpr (kWeightsFirst) {
      add_vectors<kLoads, 0>(at, sum, get_x);
      at.advance(kLoads * kLanes);
    }
#pragma unroll 1
    for (; at.left > (kLoads - 1) * kLanes; at.advance(kLoads * kLanes)) add_vectors<kLoads, kLoads>(at, sum);
#if defined(tail) && tail == tail_masked
    if (at.left > 0) add_vectors<kLoads, 1>(at, sum);
#else
#pragma unroll 1
    for (; at.left > 0; at.advance(kLanes)) add_vectors<1, 1>(at, sum);
#endif
  }
#endif
  if (static_cast<unsigned int>(N) % vector_width != 0 && (kSplit == 1 || blockIdx.y == kSplit - 1))
    add_elements(a, rows, x, N, first, count * vector_width + lane, N, sum);
}
