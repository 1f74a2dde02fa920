// y[i] = x[0] + ... + x[i], N floats. The stages of the classic scan, each a variant: how a block scans what its threads
// hold (hillis_steele; blelloch; blelloch_padded, whose addresses fall into different banks; shuffle), in three launches
// that scan tiles, scan the tiles' sums and add them; and single_pass, where a block looks back at what the blocks before
// it have left (`lookback`), and x is read once.
#include "tuner_lookback.cuh"
#include "tuner_mma.cuh"

#define WARPS (block_size / 32)

constexpr int kRows = items / 4;  // vectors a thread holds
constexpr int kTile = block_size * items;

// --- four elements at a time -------------------------------------------------------------------------------------

struct Four {
  float value[4];
};

// `streams`: it will not be read again soon.
__device__ __forceinline__ void store_vector(float* to, const Four& four, bool streams) {
#ifdef TUNER_HOST
  if (address_of(to) % 16 != 0) tuner_simt::misaligned(to, 16);
  for (int i = 0; i < 4; ++i) to[i] = four.value[i];
#else
  if (streams)
    asm volatile("st.global.cs.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(four.value[0]), "f"(four.value[1]),
                 "f"(four.value[2]), "f"(four.value[3])
                 : "memory");
  else
    asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(four.value[0]), "f"(four.value[1]),
                 "f"(four.value[2]), "f"(four.value[3])
                 : "memory");
#endif
}

// Whether all of a tile can be read and written as vectors.
__device__ __forceinline__ bool is_whole(const float* x, const float* y, int64_t tile, int64_t N) {
  return (address_of(x) | address_of(y)) % 16 == 0 && (tile + 1) * kTile <= N;
}

// Row r of what this thread holds is elements [first + r * distance, + 4) of x, zeros from N on. All loads of a whole
// tile are in flight before the first is used.
template <int distance>
__device__ __forceinline__ void load_rows(Four (&held)[kRows], const float* x, int64_t first, int64_t N, bool whole) {
  if (whole) {
    repeat<kRows>([&](auto row) {
      const Vector<16> v =
          load_vector<CacheHint::streaming, 16, row.value * distance * 4>(reinterpret_cast<const char*>(x + first));
#pragma unroll
      for (int i = 0; i < 4; ++i) held[row.value].value[i] = bits_to_float(v.word[i]);
    });
    return;
  }
  repeat<kRows>([&](auto row) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int64_t at = first + row.value * distance + i;
      held[row.value].value[i] = at < N ? x[at] : 0.0f;
    }
  });
}

__device__ __forceinline__ void store_row(float* y, int64_t at, int64_t N, const Four& four, bool whole, bool streams) {
  if (whole) return store_vector(y + at, four, streams);
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (at + i < N) y[at + i] = four.value[i];
}

// Sums up to and with each of the four.
__device__ __forceinline__ void scan_four(Four& four) {
#pragma unroll
  for (int i = 1; i < 4; ++i) four.value[i] += four.value[i - 1];
}

__device__ __forceinline__ void add_to_four(Four& four, float before) {
#pragma unroll
  for (int i = 0; i < 4; ++i) four.value[i] += before;
}

// --- across a warp -----------------------------------------------------------------------------------------------

// The sum over the lanes up to and with this one.
__device__ __forceinline__ float warp_scan(float value) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const float other = __shfl_up_sync(0xffffffffu, value, distance);
    if (lane >= distance) value += other;
  }
  return value;
}

// What warp_scan gave the lane before; 0 in the first.
__device__ __forceinline__ float from_lane_before(float value) {
  const float other = __shfl_up_sync(0xffffffffu, value, 1);
  return threadIdx.x % 32 == 0 ? 0.0f : other;
}

#if variant == variant_single_pass

// --- one launch: look-back ---------------------------------------------------------------------------------------

// A tile as a warp's lanes hold it: consecutive elements for each warp, a row of 128 at a time.
struct Tile {
  Four held[kRows];
  int number;
};

// What the warps of a block add to a tile: their own sums, then what comes before each; and the tile's sum.
struct Sums {
  float of_warp[WARPS];
  float all;
};

__device__ __forceinline__ int64_t first_of_thread(int tile) {
  return (int64_t)tile * kTile + threadIdx.x / 32 * (32 * items) + threadIdx.x % 32 * 4;
}

__device__ __forceinline__ void load_tile(Tile& tile, int number, const float* x, const float* y, int64_t N) {
  tile.number = number;
  load_rows<128>(tile.held, x, first_of_thread(number), N, is_whole(x, y, number, N));
}

// Leaves the tile's sum for others as soon as its elements are here. A barrier is in it.
__device__ __forceinline__ void leave_sum(const Tile& tile, Sums& sums, unsigned long long* state) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float sum = 0;
  repeat<kRows>([&](auto row) {
    const float(&four)[4] = tile.held[row.value].value;
    sum += (four[0] + four[1]) + (four[2] + four[3]);
  });
  sum = warp_sum(sum);
  if (lane == 0) sums.of_warp[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  const float scanned = warp_scan(lane < WARPS ? sums.of_warp[lane] : 0.0f);
  if (lane == 31) {
    leave_own(state, tile.number, scanned);
    sums.all = scanned;
  }
  const float before_warp = from_lane_before(scanned);
  if (lane < WARPS) sums.of_warp[lane] = before_warp;
  __syncwarp();
}

// Adds what comes before it and writes it. The first warp looks back, while the others scan what they hold. A barrier is
// in it.
__device__ __forceinline__ void finish(Tile& tile, Sums& sums, unsigned long long* state, float* y, const float* x,
                                       int64_t N, int tiles) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (warp == 0) {
#if lookback == lookback_tree
    const float before = sum_before_by_tree(state, tile.number, tiles, sums.all);
#else
    const float before = sum_before_by_windows(state, tile.number, sums.all);
#endif
    if (lane < WARPS) sums.of_warp[lane] += before;
  }
  float upto[kRows];
  repeat<kRows>([&](auto row) {
    scan_four(tile.held[row.value]);
    upto[row.value] = warp_scan(tile.held[row.value].value[3]);
  });
  __syncthreads();
  float before = sums.of_warp[warp];
  const bool whole = is_whole(x, y, tile.number, N);
  repeat<kRows>([&](auto row) {
    add_to_four(tile.held[row.value], before + from_lane_before(upto[row.value]));
    before += __shfl_sync(0xffffffffu, upto[row.value], 31);
    store_row(y, first_of_thread(tile.number) + row.value * 128, N, tile.held[row.value], whole, true);
  });
}

// A block draws its tiles in order, so that the lowest of those that are not finished waits for none. What is under way
// behind the one that it finishes (`ahead`): none, it takes one tile alone; loaded, the next one's elements, to registers;
// left, the next has left its sum, and the one after it is loaded; copied, the next one's elements, to shared memory.
extern "C" __global__ void __launch_bounds__(block_size, resident / block_size)
    scan(const float* x, float* y, unsigned long long* state, float*, int64_t N, int tiles) {
  __shared__ int drawn[2];
  __shared__ Sums sums[2];
  if (threadIdx.x == 0) {
    drawn[0] = draw_tile(state);
    if (ahead != ahead_none) drawn[1] = draw_tile(state);
  }
  __syncthreads();
  if (drawn[0] >= tiles) return;  // others were faster
  Tile tile;

#if ahead == ahead_none
  load_tile(tile, drawn[0], x, y, N);
  leave_sum(tile, sums[0], state);
  finish(tile, sums[0], state, y, x, N, tiles);

#elif ahead == ahead_copied
  // A thread reads what it has copied itself: no barrier. A tile that is not whole is loaded when its turn has come.
  __shared__ __align__(16) char landing[kTile * 4];
  const SharedPointer mine = shared_pointer(landing + threadIdx.x * 16);
  const auto copy_tile = [&](int number) {
    if (number < tiles && is_whole(x, y, number, N))
      repeat<kRows>([&](auto row) {
        copy_async_16(mine, row.value * block_size * 16, x + first_of_thread(number) + row.value * 128, true);
      });
    commit_copies();
  };
  tile.number = drawn[0];
  int next = drawn[1];
  copy_tile(tile.number);
  for (int turn = 0;; turn = 1 - turn) {
    wait_for_copies<0>();
    if (is_whole(x, y, tile.number, N))
      repeat<kRows>([&](auto row) {
        const float4 four = *reinterpret_cast<const float4*>(landing + (row.value * block_size + threadIdx.x) * 16);
        tile.held[row.value] = {{four.x, four.y, four.z, four.w}};
      });
    else
      load_tile(tile, tile.number, x, y, N);
    copy_tile(next);
    leave_sum(tile, sums[turn], state);
    if (threadIdx.x == 32) drawn[turn] = draw_tile(state);  // not the first warp, which looks back
    finish(tile, sums[turn], state, y, x, N, tiles);
    if (next >= tiles) return;
    tile.number = next;
    next = drawn[turn];
  }

#else
  load_tile(tile, drawn[0], x, y, N);
  Tile next;
  next.number = drawn[1];
#if ahead == ahead_left
  if (next.number < tiles) load_tile(next, next.number, x, y, N);
#endif
  leave_sum(tile, sums[0], state);
  for (int turn = 0;; turn = 1 - turn) {
    // Its readers are behind the barrier of leave_sum. Not the first warp, which looks back.
    if (threadIdx.x == 32) drawn[turn] = draw_tile(state);
#if ahead == ahead_loaded
    if (next.number < tiles) load_tile(next, next.number, x, y, N);
    finish(tile, sums[turn], state, y, x, N, tiles);
    if (next.number >= tiles) return;
    leave_sum(next, sums[1 - turn], state);
    tile = next;
    next.number = drawn[turn];
#else
    if (next.number < tiles)
      leave_sum(next, sums[1 - turn], state);
    else
      __syncthreads();
    Tile after;
    after.number = drawn[turn];
    if (after.number < tiles) load_tile(after, after.number, x, y, N);
    finish(tile, sums[turn], state, y, x, N, tiles);
    if (next.number >= tiles) return;
    tile = next;
    next = after;
#endif
  }
#endif
}

#else

// --- three launches ----------------------------------------------------------------------------------------------

// What a block does with one value a thread: the sums of all threads before each and of all of them. Ends with a
// barrier, so that shared memory may be used again.
struct Scanned {
  float before, all;
};

#if variant == variant_hillis_steele

// Every thread adds in every step, n log n additions; two arrays take turns, so that a barrier a step is enough.
__device__ __forceinline__ Scanned block_scan(float value) {
  __shared__ float sums[2][block_size];
  const int thread = threadIdx.x;
  int from = 0;
  sums[0][thread] = value;
  __syncthreads();
  for (int distance = 1; distance < block_size; distance *= 2) {
    sums[1 - from][thread] = sums[from][thread] + (thread >= distance ? sums[from][thread - distance] : 0.0f);
    from = 1 - from;
    __syncthreads();
  }
  const Scanned scanned{thread == 0 ? 0.0f : sums[from][thread - 1], sums[from][block_size - 1]};
  __syncthreads();
  return scanned;
}

#elif variant == variant_shuffle

__device__ __forceinline__ Scanned block_scan(float value) {
  __shared__ float warp_sums[WARPS];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const float in_warp = warp_scan(value);
  if (lane == 31) warp_sums[warp] = in_warp;
  __syncthreads();
  const float of_warps = warp_scan(lane < WARPS ? warp_sums[lane] : 0.0f);
  const float before_warp = __shfl_sync(0xffffffffu, from_lane_before(of_warps), warp);
  const Scanned scanned{before_warp + from_lane_before(in_warp), __shfl_sync(0xffffffffu, of_warps, 31)};
  __syncthreads();
  return scanned;
}

#else

// Where element i lies. A step of the tree touches elements a power of two apart, which share a bank; a word more after
// every 32 moves them apart.
__device__ __forceinline__ int place(int i) { return variant == variant_blelloch_padded ? i + i / 32 : i; }

// Up a tree of sums and down again, 2 n additions.
__device__ __forceinline__ Scanned block_scan(float value) {
  __shared__ float sums[block_size + (variant == variant_blelloch_padded ? WARPS : 0)];
  const int thread = threadIdx.x;
  sums[place(thread)] = value;
  __syncthreads();
  for (int distance = 1; distance < block_size; distance *= 2) {
    const int right = (thread + 1) * 2 * distance - 1;
    if (right < block_size) sums[place(right)] += sums[place(right - distance)];
    __syncthreads();
  }
  const float all = sums[place(block_size - 1)];
  __syncthreads();
  if (thread == 0) sums[place(block_size - 1)] = 0;
  __syncthreads();
  for (int distance = block_size / 2; distance > 0; distance /= 2) {
    const int right = (thread + 1) * 2 * distance - 1;
    if (right < block_size) {
      const float left = sums[place(right - distance)];
      sums[place(right - distance)] = sums[place(right)];
      sums[place(right)] += left;
    }
    __syncthreads();
  }
  const Scanned scanned{sums[place(thread)], all};
  __syncthreads();
  return scanned;
}

#endif

// Of every tile alone, and its sum.
extern "C" __global__ void __launch_bounds__(block_size)
    scan_tiles(const float* x, float* y, unsigned long long*, float* sums, int64_t N, int) {
  const bool whole = is_whole(x, y, blockIdx.x, N);
  const int64_t first = (int64_t)blockIdx.x * kTile + threadIdx.x * 4;
  Four held[kRows];
  load_rows<block_size * 4>(held, x, first, N, whole);
  float sum = 0;
  repeat<kRows>([&](auto row) {
    scan_four(held[row.value]);
    const Scanned scanned = block_scan(held[row.value].value[3]);
    add_to_four(held[row.value], sum + scanned.before);
    sum += scanned.all;
    store_row(y, first + row.value * (block_size * 4), N, held[row.value], whole, false);
  });
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// The sums of the tiles before each, in place, by one block.
extern "C" __global__ void __launch_bounds__(block_size)
    scan_sums(const float*, float*, unsigned long long*, float* sums, int64_t, int tiles) {
  float before = 0;
  for (int first = 0; first < tiles; first += block_size * 4) {
    const int at = first + threadIdx.x * 4;
    Four four;
    for (int i = 0; i < 4; ++i) four.value[i] = at + i < tiles ? sums[at + i] : 0.0f;
    scan_four(four);
    const Scanned scanned = block_scan(four.value[3]);
    const float mine = before + scanned.before;
    for (int i = 0; i < 4; ++i)
      if (at + i < tiles) sums[at + i] = i == 0 ? mine : mine + four.value[i - 1];
    before += scanned.all;
  }
}

extern "C" __global__ void __launch_bounds__(block_size)
    add_sums(const float*, float* y, unsigned long long*, float* sums, int64_t N, int) {
  const bool whole = is_whole(y, y, blockIdx.x, N);
  const float before = sums[blockIdx.x];
  const int64_t first = (int64_t)blockIdx.x * kTile + threadIdx.x * 4;
  repeat<kRows>([&](auto row) {
    const int64_t at = first + row.value * (block_size * 4);
    Four four;
    if (whole) {
      const float4 four_of_y = *reinterpret_cast<const float4*>(y + at);
      four = {{four_of_y.x, four_of_y.y, four_of_y.z, four_of_y.w}};
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i) four.value[i] = at + i < N ? y[at + i] : 0.0f;
    }
    add_to_four(four, before);
    store_row(y, at, N, four, whole, false);
  });
}

#endif
