// c = a b: a is M x K, b is K x N, c is M x N, f16, row-major; sums are fp32. The tensor cores take both operands from
// shared memory and work on while the threads go on: products of two steps are on their way at a time.
#include "tuner_tiles.cuh"
#include "tuner_wgmma.cuh"

// A block computes tile_m x tile_n of c; of its warp groups each part_m rows of all its columns. `stages` tiles
// of both operands, 64 columns of a and 64 rows of b, are in shared memory at once: two are used, the others on their
// way.
constexpr int kParts = part_m / 64;  // that one instruction computes
constexpr int kTileK = 64, kRowBytes = kTileK * 2;
constexpr int kThreads = tile_m / part_m * 128;
constexpr int kRowsATurn = kThreads / 8;  // that all threads copy at once
constexpr int kBytesA = tile_m * kRowBytes, kPanelB = kTileK * kRowBytes, kStage = kBytesA + tile_n / 64 * kPanelB;

extern "C" __global__ void __launch_bounds__(kThreads)
    matmul(const DTYPE* a, const DTYPE* b, FACT_c* c, int M, int N, int K) {
  extern __shared__ __align__(1024) char held[];
  const int thread = threadIdx.x, lane = thread % 32;
  const TilePlace place = place_in_strips(blockIdx.x, (M + tile_m - 1) / tile_m, (N + tile_n - 1) / tile_n, group);
  const int first_row = place.row * tile_m, first_column = place.column * tile_n;
  const int steps = (K + kTileK - 1) / kTileK;

  const int row = thread / 8, chunk = thread % 8, to = row * kRowBytes + (chunk ^ (row & 7)) * 16;
  TileCopy<DTYPE, tile_m / kRowsATurn, kRowsATurn, kRowBytes> copy_a{a + (int64_t)(first_row + row) * K + chunk * 8,
                                                                     (int64_t)kRowsATurn * K,
                                                                     to,
                                                                     first_row + row,
                                                                     chunk * 8,
                                                                     M,
                                                                     K,
                                                                     K % 8 == 0 && address_of(a) % 16 == 0,
                                                                     a};
  TileCopy<DTYPE, kTileK / kRowsATurn, kRowsATurn, kRowBytes, tile_n / 64> copy_b{
      b + (int64_t)row * N + first_column + chunk * 8,
      (int64_t)kRowsATurn * N,
      to,
      row,
      first_column + chunk * 8,
      K,
      N,
      N % 8 == 0 && address_of(b) % 16 == 0,
      b};
  const SharedPointer shared = shared_pointer(held);
  int next = 0, next_stage = 0;  // the step to fetch and where it goes
  const auto fetch = [&] {
    if (next < steps) {
      copy_a.run(shared + next_stage, held + next_stage);
      copy_b.run(shared + next_stage + kBytesA, held + next_stage + kBytesA);
      copy_a.from += kTileK;
      copy_a.column += kTileK;
      copy_b.from += (int64_t)kTileK * N;
      copy_b.row += kTileK;
    }
    ++next;
    next_stage = next_stage == (stages - 1) * kStage ? 0 : next_stage + kStage;
    commit_copies();  // also where there is nothing: waiting counts groups
  };

  float sum[kParts][tile_n / 2] = {};
#pragma unroll
  for (int step = 0; step < stages - 2; ++step) fetch();
  const int group_rows = thread / 128 * part_m;  // where this warp group's part of the tile begins
  int stage = 0;
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    wait_for_copies<stages - 3>();
    publish_copies();
    __syncthreads();
    begin_products();
#pragma unroll
    for (int k = 0; k < kTileK; k += 16)
#pragma unroll
      for (int i = 0; i < kParts; ++i)
        multiply_add<tile_n>(sum[i], shared + stage + (group_rows + i * 64) * kRowBytes, k, shared + stage + kBytesA,
                             kPanelB);
    commit_products();
    fetch();  // to where the step before the last one was: its products were waited for in the last one
    wait_for_products<1, tile_n>(sum);
    stage = stage == (stages - 1) * kStage ? 0 : stage + kStage;
  }
  wait_for_products<0, tile_n>(sum);

  const bool pairs = N % 2 == 0 && address_of(c) % (2 * sizeof(FACT_c)) == 0;
  const int out_row = first_row + group_rows + thread / 32 % 4 * 16 + lane / 4;
  const int out_column = first_column + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < kParts; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int at = out_row + i * 64 + half * 8;
      if (at >= M) continue;
#pragma unroll
      for (int j = 0; j < tile_n / 8; ++j) {
        const int column = out_column + j * 8;
        store_two(c + (int64_t)at * N + column, N - column, pairs, sum[i] + j * 4 + half * 2);
      }
    }
}
