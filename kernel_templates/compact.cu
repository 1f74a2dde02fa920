// The elements of x above `threshold`, in their order, at the front of y, and their number; what lies behind them stays
// as it is. How a warp numbers what it keeps (`ranks`): votes, a bit a lane, or a scan by shuffles. Where a block's
// elements begin: in one launch, by looking back at the counts of the blocks before it (single_pass), or in three that
// count, scan the counts and write (three_pass). `staged`: through shared memory, so that neighbours are written together.
#include "tuner_lookback.cuh"

#define WARPS (block_size / 32)

constexpr int kRows = items / 4;  // vectors a thread holds
constexpr int kTile = block_size * items;

// --- what a thread holds: a warp has consecutive elements, a row of 128 at a time -----------------------------------

struct Held {
  float value[kRows][4];
  bool keeps[kRows][4];
};

__device__ __forceinline__ int64_t first_of_thread(int64_t tile) {
  return tile * kTile + threadIdx.x / 32 * (32 * items) + threadIdx.x % 32 * 4;
}

__device__ __forceinline__ Held load_tile(const float* x, int64_t tile, int64_t N, float threshold) {
  Held held;
  const int64_t first = first_of_thread(tile);
  const bool whole = address_of(x) % 16 == 0 && (tile + 1) * kTile <= N;
  if (whole) {
    repeat<kRows>([&](auto row) {
      const Vector<16> v =
          load_vector<CacheHint::streaming, 16, row.value * 512>(reinterpret_cast<const char*>(x + first));
#pragma unroll
      for (int i = 0; i < 4; ++i) held.value[row.value][i] = bits_to_float(v.word[i]);
    });
  } else {
    repeat<kRows>([&](auto row) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int64_t at = first + row.value * 128 + i;
        held.value[row.value][i] = at < N ? x[at] : 0.0f;
      }
    });
  }
  repeat<kRows>([&](auto row) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      held.keeps[row.value][i] =
          held.value[row.value][i] > threshold && (whole || first + row.value * 128 + i < N);
  });
  return held;
}

// How many elements of the row lanes before this one keep, and how many all of them do.
struct Ranked {
  int before, all;
};

#if ranks == ranks_vote

__device__ __forceinline__ Ranked rank_row(const bool (&keeps)[4]) {
  const unsigned int lanes_before = (1u << threadIdx.x % 32) - 1;
  Ranked ranked = {0, 0};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const unsigned int votes = __ballot_sync(0xffffffffu, keeps[i]);
    ranked.before += __popc(votes & lanes_before);
    ranked.all += __popc(votes);
  }
  return ranked;
}

#else

__device__ __forceinline__ Ranked rank_row(const bool (&keeps)[4]) {
  const int lane = threadIdx.x % 32;
  const int own = keeps[0] + keeps[1] + keeps[2] + keeps[3];
  int upto = own;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, upto, distance);
    if (lane >= distance) upto += other;
  }
  return {upto - own, __shfl_sync(0xffffffffu, upto, 31)};
}

#endif

__device__ __forceinline__ int scan_warp(int value) {
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, value, distance);
    if ((int)threadIdx.x % 32 >= distance) value += other;
  }
  return value;
}

// The counts of the warps before each, in shared memory, and of all of them. `all` of every warp is known to its first
// lane.
__device__ __forceinline__ int scan_warps(int (&counts)[WARPS + 1], int all) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0) counts[warp] = all;
  __syncthreads();
  if (warp == 0) {
    const int own = lane < WARPS ? counts[lane] : 0;
    const int upto = scan_warp(own);
    if (lane < WARPS) counts[lane] = upto - own;
    if (lane == 31) counts[WARPS] = upto;
  }
  __syncthreads();
  return counts[WARPS];
}

// Where in the tile the first of a thread's kept elements goes, by row.
struct Places {
  int row[kRows];
  int all;
};

__device__ __forceinline__ Places place_rows(const Held& held) {
  Places places;
  places.all = 0;
  repeat<kRows>([&](auto row) {
    const Ranked ranked = rank_row(held.keeps[row.value]);
    places.row[row.value] = places.all + ranked.before;
    places.all += ranked.all;
  });
  return places;
}

// Writes what the tile keeps to y from `begin` on; `before` is the count of this warp's predecessors in the tile, `count`
// that of the tile. All threads call it.
__device__ __forceinline__ void write_tile(float* y, int64_t begin, const Held& held, const Places& places, int before,
                                           int count) {
#if staged
  __shared__ float kept[kTile];
#else
  float* const kept = y + begin;
#endif
  repeat<kRows>([&](auto row) {
    int place = before + places.row[row.value];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (held.keeps[row.value][i]) kept[place++] = held.value[row.value][i];
  });
#if staged
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += block_size) y[begin + i] = kept[i];
#endif
}

#if variant == variant_single_pass

// --- one launch: look-back ---------------------------------------------------------------------------------------

extern "C" __global__ void __launch_bounds__(block_size)
    compact(const float* x, float* y, long long* count, unsigned long long* state, unsigned int*, int64_t N,
            float threshold, int tiles) {
  __shared__ int drawn;
  __shared__ unsigned int begin;
  __shared__ int counts[WARPS + 1];
  if (threadIdx.x == 0) drawn = draw_tile(state);
  __syncthreads();
  const int tile = drawn;
  const Held held = load_tile(x, tile, N, threshold);
  const Places places = place_rows(held);
  const unsigned int own = scan_warps(counts, places.all);
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) leave_own(state, tile, own);
#if lookback == lookback_direct
    const unsigned int before = sum_before_directly(state, tile, tiles, own);
#elif lookback == lookback_tree
    const unsigned int before = sum_before_by_tree(state, tile, tiles, own);
#else
    const unsigned int before = sum_before_by_windows(state, tile, own);
#endif
    if (threadIdx.x == 0) {
      begin = before;
      if (tile == tiles - 1) *count = (long long)before + own;
    }
  }
  __syncthreads();
  write_tile(y, begin, held, places, counts[threadIdx.x / 32], own);
}

#else

// --- three launches ----------------------------------------------------------------------------------------------

extern "C" __global__ void __launch_bounds__(block_size)
    count_tiles(const float* x, float*, long long*, unsigned long long*, unsigned int* tile_counts, int64_t N,
                float threshold, int) {
  __shared__ int counts[WARPS + 1];
  const Held held = load_tile(x, blockIdx.x, N, threshold);
  int own = 0;
  repeat<kRows>([&](auto row) {
#pragma unroll
    for (int i = 0; i < 4; ++i) own += __popc(__ballot_sync(0xffffffffu, held.keeps[row.value][i]));
  });
  const int all = scan_warps(counts, own);
  if (threadIdx.x == 0) tile_counts[blockIdx.x] = all;
}

// The counts of the tiles before each, in place, by one block.
extern "C" __global__ void __launch_bounds__(block_size)
    scan_counts(const float*, float*, long long* count, unsigned long long*, unsigned int* tile_counts, int64_t, float,
                int tiles) {
  __shared__ int counts[WARPS + 1];
  unsigned int before = 0;
  for (int first = 0; first < tiles; first += block_size) {
    const int at = first + threadIdx.x;
    const int own = at < tiles ? (int)tile_counts[at] : 0;
    const int upto = scan_warp(own);
    const int all = scan_warps(counts, __shfl_sync(0xffffffffu, upto, 31));
    if (at < tiles) tile_counts[at] = before + counts[threadIdx.x / 32] + (upto - own);
    before += all;
    __syncthreads();
  }
  if (threadIdx.x == 0) *count = before;
}

extern "C" __global__ void __launch_bounds__(block_size)
    write_tiles(const float* x, float* y, long long*, unsigned long long*, unsigned int* tile_counts, int64_t N,
                float threshold, int) {
  __shared__ int counts[WARPS + 1];
  const Held held = load_tile(x, blockIdx.x, N, threshold);
  const Places places = place_rows(held);
  const int own = scan_warps(counts, places.all);
  write_tile(y, tile_counts[blockIdx.x], held, places, counts[threadIdx.x / 32], own);
}

#endif
