// c = a b: a is M x K, b is K x N, c is M x N, row-major; sums are fp32. The stages of the classic tiled product, each a
// variant: naive (a thread an element), tiled (a tile of both in shared memory), blocked (each thread many elements in
// registers, loads for the next step in flight while this one is computed), tensor (the tensor cores' mma, see below).
#include "tuner_intrinsics.cuh"

__device__ __forceinline__ float element(const DTYPE* from) { return to_float(*from); }

#if variant == variant_naive

extern "C" __global__ void __launch_bounds__(tile * tile)
    matmul(const DTYPE* a, const DTYPE* b, FACT_c* c, int M, int N, int K) {
  const int column = blockIdx.x * tile + threadIdx.x, row = blockIdx.y * tile + threadIdx.y;
  if (row >= M || column >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k)
    sum = fmaf(element(a + (int64_t)row * K + k), element(b + (int64_t)k * N + column), sum);
  c[(int64_t)row * N + column] = from_float<FACT_c>(sum);
}

#elif variant == variant_tiled

extern "C" __global__ void __launch_bounds__(tile * tile)
    matmul(const DTYPE* a, const DTYPE* b, FACT_c* c, int M, int N, int K) {
  __shared__ float tile_a[tile][tile], tile_b[tile][tile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int column = blockIdx.x * tile + x, row = blockIdx.y * tile + y;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += tile) {
    tile_a[y][x] = row < M && k0 + x < K ? element(a + (int64_t)row * K + k0 + x) : 0.0f;
    tile_b[y][x] = k0 + y < K && column < N ? element(b + (int64_t)(k0 + y) * N + column) : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < tile; ++k) sum = fmaf(tile_a[y][k], tile_b[k][x], sum);
    __syncthreads();
  }
  if (row < M && column < N) c[(int64_t)row * N + column] = from_float<FACT_c>(sum);
}

#elif defined(variant_blocked) && variant == variant_blocked

constexpr int kColumns = tile_n / thread_n;  // threads along a row of the tile
constexpr int kThreads = tile_m / thread_m * kColumns;
constexpr int kLoadsA = tile_m * tile_k / 4 / kThreads;  // vectors of 4 a thread
constexpr int kLoadsB = tile_k * tile_n / 4 / kThreads;
constexpr int kPitchA = tile_m + 4;

struct Four {
  float at[4];
};

// Four elements of row `row` from column `column` on; zeros outside of rows x columns.
__device__ __forceinline__ Four load_four(const float* from, int row, int column, int rows, int columns, bool vectors) {
  Four four = {};
  if (row >= rows) return four;
  const float* first = from + (int64_t)row * columns + column;
  if (vectors) {
    if (column >= columns) return four;
    const Vector<16> v = load_vector<CacheHint::read_only, 16>(reinterpret_cast<const char*>(first));
#pragma unroll
    for (int i = 0; i < 4; ++i) four.at[i] = bits_to_float(v.word[i]);
    return four;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (column + i < columns) four.at[i] = first[i];
  return four;
}

// Element i of a thread's part of a row: groups of four, so that a warp's reads of shared memory are consecutive.
template <int part, int whole>
__device__ __forceinline__ int spread(int thread, int i) {
  return i / 4 * (whole / (part / 4)) + thread * 4 + i % 4;
}

struct alignas(16) Tiles {
  float a[tile_k][kPitchA];  // a's tile, transposed
  float b[tile_k][tile_n];
};

__device__ __forceinline__ void multiply(const Tiles& tiles, int ty, int tx, float (&sum)[thread_m][thread_n]) {
#pragma unroll
  for (int k = 0; k < tile_k; ++k) {
    float a[thread_m], b[thread_n];
#pragma unroll
    for (int i = 0; i < thread_m; i += 4) {
      const Vector<16> v = *reinterpret_cast<const Vector<16>*>(&tiles.a[k][spread<thread_m, tile_m>(ty, i)]);
#pragma unroll
      for (int j = 0; j < 4; ++j) a[i + j] = bits_to_float(v.word[j]);
    }
#pragma unroll
    for (int i = 0; i < thread_n; i += 4) {
      const Vector<16> v = *reinterpret_cast<const Vector<16>*>(&tiles.b[k][spread<thread_n, tile_n>(tx, i)]);
#pragma unroll
      for (int j = 0; j < 4; ++j) b[i + j] = bits_to_float(v.word[j]);
    }
#pragma unroll
    for (int i = 0; i < thread_m; ++i)
#pragma unroll
      for (int j = 0; j < thread_n; ++j) sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    matmul(const float* a, const float* b, FACT_c* c, int M, int N, int K) {
  __shared__ Tiles tiles[2];
  const int thread = threadIdx.x, tx = thread % kColumns, ty = thread / kColumns;
  const int first_row = blockIdx.y * tile_m, first_column = blockIdx.x * tile_n;
  const bool vectors_a = K % 4 == 0 && address_of(a) % 16 == 0, vectors_b = N % 4 == 0 && address_of(b) % 16 == 0;
  Four next_a[kLoadsA], next_b[kLoadsB];
  const auto fetch = [&](int k0) {
#pragma unroll
    for (int i = 0; i < kLoadsA; ++i) {
      const int at = thread + i * kThreads;
      next_a[i] = load_four(a, first_row + at / (tile_k / 4), k0 + at % (tile_k / 4) * 4, M, K, vectors_a);
    }
#pragma unroll
    for (int i = 0; i < kLoadsB; ++i) {
      const int at = thread + i * kThreads;
      next_b[i] = load_four(b, k0 + at / (tile_n / 4), first_column + at % (tile_n / 4) * 4, K, N, vectors_b);
    }
  };
  const auto keep = [&](Tiles& to) {
#pragma unroll
    for (int i = 0; i < kLoadsA; ++i) {
      const int at = thread + i * kThreads;
#pragma unroll
      for (int j = 0; j < 4; ++j) to.a[at % (tile_k / 4) * 4 + j][at / (tile_k / 4)] = next_a[i].at[j];
    }
#pragma unroll
    for (int i = 0; i < kLoadsB; ++i) {
      const int at = thread + i * kThreads;
#pragma unroll
      for (int j = 0; j < 4; ++j) to.b[at / (tile_n / 4)][at % (tile_n / 4) * 4 + j] = next_b[i].at[j];
    }
  };
  float sum[thread_m][thread_n] = {};
  fetch(0);
  keep(tiles[0]);
  __syncthreads();
  int now = 0;
  for (int k0 = tile_k; k0 < K; k0 += tile_k) {
    fetch(k0);
    multiply(tiles[now], ty, tx, sum);
    now ^= 1;
    keep(tiles[now]);
    __syncthreads();
  }
  multiply(tiles[now], ty, tx, sum);
#pragma unroll
  for (int i = 0; i < thread_m; ++i) {
    const int row = first_row + spread<thread_m, tile_m>(ty, i);
    if (row >= M) continue;
#pragma unroll
    for (int j = 0; j < thread_n; ++j) {
      const int column = first_column + spread<thread_n, tile_n>(tx, j);
      if (column < N) c[(int64_t)row * N + column] = from_float<FACT_c>(sum[i][j]);
    }
  }
}

#elif defined(variant_tensor) && variant == variant_tensor

#include "tuner_tiles.cuh"

// A block computes tile_m x tile_n of c, its warps warp_m x warp_n each. `stages` tiles of both operands are in shared
// memory at once: one is used, the others are on their way. Chunks of 16 bytes change places within a row, so that
// neither a warp's copies nor its matrix loads meet in one bank. All addresses are made of a part that a thread computes
// once and of constants: the loop has no room for more.
constexpr int kWarpsN = tile_n / warp_n;
constexpr int kThreads = tile_m / warp_m * kWarpsN * 32;
constexpr int kChunksA = tile_k / 8, kChunksB = tile_n / 8;            // of a row
constexpr int kRowsA = kThreads / kChunksA, kRowsB = kThreads / kChunksB;  // that all threads copy at once
constexpr int kBytesA = tile_m * tile_k * 2, kBytesB = tile_k * tile_n * 2;
constexpr int kStage = kBytesA + kBytesB;

// By how much the chunks of a row are exchanged: the same every 8 rows.
__device__ __forceinline__ int exchange_a(int row) { return kChunksA >= 8 ? row & 7 : row / (8 / kChunksA) & (kChunksA - 1); }
__device__ __forceinline__ int exchange_b(int row) { return row & 7; }

extern "C" __global__ void __launch_bounds__(kThreads)
    matmul(const DTYPE* a, const DTYPE* b, FACT_c* c, int M, int N, int K) {
  extern __shared__ __align__(128) char held[];
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  const TilePlace place = place_in_strips(blockIdx.x, (M + tile_m - 1) / tile_m, (N + tile_n - 1) / tile_n, group);
  const int first_row = place.row * tile_m, first_column = place.column * tile_n;
  const int warp_row = warp / kWarpsN * warp_m, warp_column = warp % kWarpsN * warp_n;
  const int steps = (K + tile_k - 1) / tile_k;

  TileCopy<DTYPE, tile_m / kRowsA, kRowsA, tile_k * 2> copy_a;
  {
    const int row = thread / kChunksA, chunk = thread % kChunksA;
    copy_a = {a + (int64_t)(first_row + row) * K + chunk * 8, (int64_t)kRowsA * K,
              row * tile_k * 2 + (chunk ^ exchange_a(row)) * 16, first_row + row, chunk * 8, M, K,
              K % 8 == 0 && address_of(a) % 16 == 0, a};
  }
  TileCopy<DTYPE, tile_k / kRowsB, kRowsB, tile_n * 2> copy_b;
  {
    const int row = thread / kChunksB, chunk = thread % kChunksB;
    copy_b = {b + (int64_t)row * N + first_column + chunk * 8, (int64_t)kRowsB * N,
              row * tile_n * 2 + (chunk ^ exchange_b(row)) * 16, row, first_column + chunk * 8, K, N,
              N % 8 == 0 && address_of(b) % 16 == 0, b};
  }
  const SharedPointer shared = shared_pointer(held);
  int next = 0, next_stage = 0;  // the step to fetch and where it goes
  const auto fetch = [&] {
    if (next < steps) {
      copy_a.run(shared + next_stage, held + next_stage);
      copy_b.run(shared + next_stage + kBytesA, held + next_stage + kBytesA);
      copy_a.from += tile_k;
      copy_a.column += tile_k;
      copy_b.from += (int64_t)tile_k * N;
      copy_b.row += tile_k;
    }
    ++next;
    next_stage = next_stage == (stages - 1) * kStage ? 0 : next_stage + kStage;
    commit_copies();  // also where there is nothing: waiting counts groups
  };

  // Where this lane's rows of the operands' matrices begin within a stage.
  const int row_a = (warp_row + lane % 16) * tile_k * 2, chunk_a = lane / 16 ^ exchange_a(lane % 16);
  int columns_b[warp_n / 16];
#pragma unroll
  for (int j = 0; j < warp_n / 16; ++j)
    columns_b[j] = kBytesA + lane % 16 * tile_n * 2 + (((warp_column + j * 16) / 8 + lane / 16) ^ exchange_b(lane % 16)) * 16;

  unsigned int part_a[2][warp_m / 16][4], part_b[2][warp_n / 16][4];
  const auto load = [&](SharedPointer stage, int k, int which) {
    const int chunk = row_a + (chunk_a ^ k / 8) * 16;
#pragma unroll
    for (int i = 0; i < warp_m / 16; ++i) load_matrices(part_a[which][i], stage, chunk + i * 16 * tile_k * 2);
#pragma unroll
    for (int j = 0; j < warp_n / 16; ++j) load_matrices_transposed(part_b[which][j], stage, columns_b[j] + k * tile_n * 2);
  };

  float sum[warp_m / 16][warp_n / 8][4] = {};
#pragma unroll
  for (int step = 0; step < stages - 1; ++step) fetch();
  int stage = 0;
  // The next step's tile is waited for before the last products of this one, so that its first parts are loaded
  // underneath them. The same barrier frees the stage that the next step fetches into: all its parts are loaded by then.
  const auto turn = [&] {
    wait_for_copies<stages - 2>();
    __syncthreads();
  };
  turn();
  load(shared, 0, 0);
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    fetch();
#pragma unroll
    for (int k = 0; k < tile_k; k += 16) {
      const int now = k / 16 % 2;
      if (k + 16 == tile_k) {
        turn();
        stage = stage == (stages - 1) * kStage ? 0 : stage + kStage;
      }
      load(shared + stage, (k + 16) % tile_k, 1 - now);
#pragma unroll
      for (int i = 0; i < warp_m / 16; ++i)
#pragma unroll
        for (int j = 0; j < warp_n / 8; ++j) {
          const int at = i % 2 == 0 ? j : warp_n / 8 - 1 - j;  // neighbours in time share a part
          mma_16x8x16<DTYPE>(sum[i][at], part_a[now][i], part_b[now][at / 2][at % 2 * 2],
                             part_b[now][at / 2][at % 2 * 2 + 1]);
        }
    }
  }

  const bool pairs = N % 2 == 0 && address_of(c) % (2 * sizeof(FACT_c)) == 0;
#pragma unroll
  for (int i = 0; i < warp_m / 16; ++i)
#pragma unroll
    for (int j = 0; j < warp_n / 8; ++j)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = first_row + warp_row + i * 16 + lane / 4 + half * 8;
        const int column = first_column + warp_column + j * 8 + lane % 4 * 2;
        if (row < M) store_two(c + (int64_t)row * N + column, N - column, pairs, sum[i][j] + half * 2);
      }
}

#endif
