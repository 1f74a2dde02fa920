// y = A x by blocks that stay: one warp keeps a ring of stages in shared memory filled by bulk copies, the others
// multiply what has come. Part of gemv.cu.
//
// A stage is kRows rows of kWidth elements; every thread has the same kVectors vectors of each of them, so that its
// part of x stays in registers where a row is no wider than a stage. A group is the kValues rows of
// y that they make. Where there are few rows, the kSplit blocks of a cluster have a piece of each.
#include "tuner_bulk.cuh"
#include "tuner_cluster.cuh"

constexpr int kRows = rows_per_stage;
constexpr int kValues = kRows / kMade;
constexpr int kVectors = unroll;
#undef unroll                                    // the pragma's own name
constexpr int kElements = 16 / sizeof(Element);  // of a vector
constexpr int kWarps = block_size / 32;          // that multiply; one more copies
constexpr int kWidth = block_size * kVectors * kElements;
constexpr int kRowBytes = kWidth * sizeof(Element);
constexpr int kStageBytes = kRows * kRowBytes;
constexpr int kStages = ring_kib * 1024 / blocks_per_sm / kStageBytes;
constexpr int kSplit = blocks_per_row;
// The launch that follows may start when so many stages are left to be filled. Where it has room beside this one, its
// copies shall queue behind the last ones and keep memory busy while this kernel ends and that one waits.
constexpr long long kLead = ring_kib > 104 ? 1ll << 62 : 0;
// Whoever is at a stage knows that all have left the one kStages before it, and with it the sums of the group before
// that. Blocks of a cluster do not know that of each other: they keep the sums of all groups to the end.
constexpr int kParts = kSplit == 1 ? kStages + 1 : 8;
using Load = Vector<16>;
using Sums = float[kRows][kColumns];
using Values = Load[kColumns][kVectors];

struct Shared {
  Barrier full[kStages], empty[kStages];
  Barrier added[kParts];
  float part[kParts][kWarps][kRows * kColumns];
};

// Where one goes round the ring.
struct Turn {
  int place = 0;
  unsigned int parity = 0;

  __device__ __forceinline__ void advance(int places) {
    if (++place < places) return;
    place = 0;
    parity ^= 1;
  }
};

__device__ __forceinline__ bool can_copy(const Element* A, const Element* x, int N, long long row_stride) {
  const unsigned long long row_bytes = static_cast<unsigned long long>(row_stride) * sizeof(Element);
  if (((address_of(A) | address_of(x) | row_bytes) & 15) != 0 || N < kElements) return false;
  return kBatch == 1 || N % kElements == 0;
}

// The elements of a row that this block has: whole vectors.
struct Piece {
  unsigned int begin, end;

  __device__ __forceinline__ explicit Piece(int N) : begin(0), end(N - N % kElements) {
    if constexpr (kSplit > 1) {
      const unsigned int each = (end / kElements + kSplit - 1) / kSplit * kElements;
      begin = min(end, cluster_rank() * each);
      end = min(end, begin + each);
    }
  }
};

// f(first row, column of x that is the first) for every group that this block computes.
template <class F>
__device__ __forceinline__ void for_each_group(int M, const F& f) {
#pragma unroll 1
  for (int first = 0; first < kBatch; first += kColumns) {
#pragma unroll 1
    for (long long row = static_cast<long long>(blockIdx.x / kSplit) * kValues; row < M;
         row += static_cast<long long>(gridDim.x / kSplit) * kValues)
      f(static_cast<int>(row), first);
  }
}

// How many stages this block fills.
__device__ __forceinline__ long long count_stages(int M, const Piece& piece) {
  const long long first = static_cast<long long>(blockIdx.x / kSplit) * kValues;
  const long long step = static_cast<long long>(gridDim.x / kSplit) * kValues;
  const long long groups = first < M ? (M - 1 - first) / step + 1 : 0;
  return groups * ((piece.end - piece.begin + kWidth - 1) / kWidth) * ((kBatch + kColumns - 1) / kColumns);
}

__device__ __forceinline__ void fill_ring(const Element* A, int M, int N, long long row_stride, Shared& shared,
                                          char* ring) {
  Turn turn;
  int filled = 0;
  const Piece piece(N);
  const Rows rows(M, row_stride);
  long long left = count_stages(M, piece);
  if (left <= kLead) let_successor_start();
  for_each_group(M, [&](int row, int) {
    const int count = min(kValues, M - row) * kMade;
    const Element* from = A + row * row_stride;
#pragma unroll 1
    for (unsigned int n = piece.begin; n < piece.end; n += kWidth) {
      if (filled < kStages)
        ++filled;
      else
        wait_for_phase(shared.empty + turn.place, turn.parity ^ 1);
      const unsigned int bytes = min(static_cast<unsigned int>(kWidth), piece.end - n) * sizeof(Element);
      Barrier* const full = shared.full + turn.place;
      char* const to = ring + turn.place * kStageBytes;
      arrive_expecting(full, count * bytes);
      if (kMade == 1 && bytes == kRowBytes && row_stride == kWidth) {
        copy_bulk(to, from, count * kRowBytes, full);
      } else {
#pragma unroll 1
        for (int r = 0; r < count; ++r) copy_bulk(to + r * kRowBytes, from + rows[r] + n, bytes, full);
      }
      turn.advance(kStages);
      if (--left == kLead) let_successor_start();
    }
  });
}

// This thread's vectors of x from element n on, zeros from `end` on.
__device__ __forceinline__ void load_values(const Element* x, int N, int first, unsigned int n, unsigned int end,
                                            Values& values) {
  const unsigned int at = n + threadIdx.x * kElements;
  const int left = static_cast<int>(end - at);
  repeat<kColumns>([&](auto c) {
    const char* from = reinterpret_cast<const char*>(column_of(x, N, first, c.value) + at);
    repeat<kVectors>([&](auto u) {
      constexpr int ahead = u.value * block_size * kElements;
      values[c.value][u.value] =
          load_vector_if<activation_hint, 16, ahead * static_cast<int>(sizeof(Element))>(ahead < left, from);
    });
  });
}

__device__ __forceinline__ Load shared_vector(const char* from) { return *reinterpret_cast<const Load*>(from); }

__device__ __forceinline__ void add_stage(const char* stage, int left, const Values& values, Sums& sum) {
#pragma unroll
  for (int u = 0; u < kVectors; ++u) {
    if (u * block_size >= left) break;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const Load weight = shared_vector(stage + (r * kVectors + u) * block_size * 16);
#pragma unroll
      for (int c = 0; c < kColumns; ++c) sum[r][c] = dot<Element>(weight, values[c][u], sum[r][c]);
    }
  }
}

// What is left of rows that are no whole number of vectors.
__device__ __forceinline__ void add_rest(const Element* A, const Element* x, int M, int N, long long row_stride,
                                         int row, Sums& sum) {
  const int n = N - N % kElements + threadIdx.x;
  if (n >= N) return;
  const float value = to_float(x[n]);
  const Element* a = A + row * row_stride;
  const Rows rows(M, row_stride);
#pragma unroll
  for (int r = 0; r < kRows; ++r)
    if (row + r / kMade < M) sum[r][0] = fmaf(to_float(a[rows[r] + n]), value, sum[r][0]);
}

// Adds what the warps have of a group, those of the blocks of a cluster one after the other. One of them calls it when
// all have come.
__device__ __forceinline__ void store_group(const float (&part)[kWarps][kRows * kColumns], const Result& result,
                                            int row, int first) {
  constexpr int values = kValues * kColumns;
#pragma unroll
  for (int at = 0; at < values; at += 32) {
    const int i = at + threadIdx.x % 32, v = i / kColumns, c = i % kColumns;
    if (i >= values || row + v >= result.M || first + c >= kBatch) continue;
    Made made = {};
#pragma unroll
    for (int block = 0; block < kSplit; ++block) {
#pragma unroll
      for (int w = 0; w < kWarps; ++w) {
#pragma unroll
        for (int r = 0; r < kMade; ++r) {
          const float* const from = part[w] + (v * kMade + r) * kColumns + c;
          made[r] += kSplit == 1 ? *from : load_peer(from, block);
        }
      }
    }
    result.store(first + c, row + v, made);
  }
}

__device__ __forceinline__ void multiply(const Element* A, const Element* x, const Result& result, int M, int N,
                                         long long row_stride, Shared& shared, const char* ring) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Piece piece(N);
  Turn turn, parts;
  int adder = 0, held = -1;  // the warp that adds this group up; the column of x from which on values are held
  Values values;
  wait_for_predecessor();
  for_each_group(M, [&](int row, int first) {
    Sums sum = {};
#pragma unroll 1
    for (unsigned int n = piece.begin; n < piece.end; n += kWidth) {
      if (piece.end - piece.begin > kWidth || held != first) load_values(x, N, first, n, piece.end, values);
      held = first;
      wait_for_phase(shared.full + turn.place, turn.parity);
      add_stage(ring + turn.place * kStageBytes + threadIdx.x * 16,
                static_cast<int>((piece.end - n) / kElements - threadIdx.x), values, sum);
      __syncwarp();
      if (lane == 0) arrive(shared.empty + turn.place);
      turn.advance(kStages);
    }
    if (N % kElements != 0 && (kSplit == 1 || cluster_rank() == 0)) add_rest(A, x, M, N, row_stride, row, sum);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int c = 0; c < kColumns; ++c) sum[r][c] = warp_sum(sum[r][c]);
    }
    if (lane == 0) {
#pragma unroll
      for (int i = 0; i < kRows * kColumns; ++i) shared.part[parts.place][warp][i] = sum[i / kColumns][i % kColumns];
      if constexpr (kSplit == 1) arrive(shared.added + parts.place);
    }
    if (kSplit == 1 && warp == adder) {
      wait_for_phase(shared.added + parts.place, parts.parity);
      store_group(shared.part[parts.place], result, row, first);
    }
    adder = adder + 1 < kWarps ? adder + 1 : 0;
    parts.advance(kParts);
  });
}

// What the blocks of a cluster have, each block some of the groups.
__device__ __forceinline__ void add_blocks(const Result& result, const Shared& shared) {
  int group = 0;
  for_each_group(result.M, [&](int row, int first) {
    const int turn = group++;
    if (turn % kSplit == static_cast<int>(cluster_rank()) && turn / kSplit % kWarps == threadIdx.x / 32)
      store_group(shared.part[turn], result, row, first);
  });
}

// A warp a row, element by element: any address, any stride.
__device__ __forceinline__ void multiply_elements(const Element* A, const Element* x, const Result& result, int M,
                                                  int N, long long row_stride) {
  const int lane = threadIdx.x % 32;
  const Rows rows(M, row_stride);
  wait_for_predecessor();
#pragma unroll 1
  for (long long row = blockIdx.x * static_cast<long long>(kWarps) + threadIdx.x / 32; row < M;
       row += gridDim.x * static_cast<long long>(kWarps)) {
#pragma unroll 1
    for (int b = 0; b < kBatch; ++b) {
      const Element* v = column_of(x, N, b, 0);
      Made sum = {};
#pragma unroll
      for (int r = 0; r < kMade; ++r) {
#pragma unroll 1
        for (unsigned int n = lane; n < static_cast<unsigned int>(N); n += 32)
          sum[r] = fmaf(to_float(A[row * row_stride + rows[r] + n]), to_float(v[n]), sum[r]);
        sum[r] = warp_sum(sum[r]);
      }
      if (lane == 0) result.store(b, static_cast<int>(row), sum);
    }
  }
}

// Registers are left for as many blocks of the launch that follows.
extern "C" __global__ void __launch_bounds__(block_size + 32, 2 * blocks_per_sm) gemv(GEMV_ARGUMENTS) {
  extern __shared__ __align__(128) char ring[];
  __shared__ Shared shared;
  if (!can_copy(A, x, N, row_stride)) {
    let_successor_start();
    if (threadIdx.x < block_size) multiply_elements(A, x, GEMV_RESULT, M, N, row_stride);
    return;
  }
  if (threadIdx.x == block_size) {
    for (int i = 0; i < kStages; ++i) {
      make_barrier(shared.full + i, 1);
      make_barrier(shared.empty + i, kWarps);
    }
    for (int i = 0; i < kParts; ++i) make_barrier(shared.added + i, kWarps);
    publish_barriers();
  }
  __syncthreads();
  if (threadIdx.x == block_size) fill_ring(A, M, N, row_stride, shared, ring);
  if (threadIdx.x < block_size) multiply(A, x, GEMV_RESULT, M, N, row_stride, shared, ring);
  if constexpr (kSplit > 1) {
    __syncwarp();
    cluster_sync();
    if (threadIdx.x < block_size) add_blocks(GEMV_RESULT, shared);
    __syncwarp();
    cluster_sync();  // nobody reads what is here any more
  }
}
