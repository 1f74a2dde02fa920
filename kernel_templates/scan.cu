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
template <int distance, int rows>
__device__ __forceinline__ void load_rows(Four (&held)[rows], const float* x, int64_t first, int64_t N, bool whole) {
  if (whole) {
    repeat<rows>([&](auto row) {
      const Vector<16> v =
          load_vector<CacheHint::streaming, 16, row.value * distance * 4>(reinterpret_cast<const char*>(x + first));
#pragma unroll
      for (int i = 0; i < 4; ++i) held[row.value].value[i] = bits_to_float(v.word[i]);
    });
    return;
  }
  repeat<rows>([&](auto row) {
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

// Where a thread's first row lies: a warp has consecutive elements, a row of 128 at a time.
__device__ __forceinline__ int64_t first_of_thread(int tile) {
  return (int64_t)tile * kTile + threadIdx.x / 32 * (32 * items) + threadIdx.x % 32 * 4;
}

__device__ __forceinline__ float sum_of(const Four& four) {
  return (four.value[0] + four.value[1]) + (four.value[2] + four.value[3]);
}

// A tile as a block keeps it until it knows what comes before: the first rows in shared memory, where a thread reads what
// it has put there itself, so that this takes no barrier; the last `in_registers` / 4 in registers. Both together hold more
// than either. load, then for each row wait and get; then scan, which gives the sum of the row's four, and scanned, which
// gives their prefix sums.
struct Tile {
  static constexpr int kShared = kRows - in_registers / 4, kHeld = in_registers / 4;  // rows
  Four held[kHeld > 0 ? kHeld : 1];
  char* mine;

  __device__ __forceinline__ void load(const float* x, int64_t first, int64_t N, bool whole) {
#if in_registers < items
    extern __shared__ __align__(16) char landing[];
    mine = landing + threadIdx.x * 16;
    if (whole) {
      copy_rows(x + first);
    } else {
      repeat<kShared>([&](auto row) {
        for (int i = 0; i < 4; ++i) {
          const int64_t at = first + row.value * 128 + i;
          reinterpret_cast<float*>(mine + row.value * block_size * 16)[i] = at < N ? x[at] : 0.0f;
        }
      });
    }
#endif
#if in_registers > 0
    load_rows<128>(held, x, first + kShared * 128, N, whole);
#endif
  }

  // A group a row, so that the first can be added up before the last is here.
  __device__ __forceinline__ void copy_rows(const float* from) {
    const SharedPointer to = shared_pointer(mine);
    repeat<kShared>([&](auto row) {
      copy_async_16(to, row.value * block_size * 16, from + row.value * 128, true);
      commit_copies();
    });
  }

  template <int row>
  __device__ __forceinline__ void wait() const {
    if constexpr (row < kShared) wait_for_copies<kShared - 1 - row>();
  }
  template <int row>
  __device__ __forceinline__ Four get() const {
    if constexpr (row < kShared) {
      const float4 four = *reinterpret_cast<const float4*>(mine + row * block_size * 16);
      return {{four.x, four.y, four.z, four.w}};
    } else {
      return held[row - kShared];
    }
  }
  template <int row>
  __device__ __forceinline__ float scan() {
    if constexpr (row < kShared) {
      return sum_of(get<row>());  // scanned when it is wanted: writing back takes as long
    } else {
      scan_four(held[row - kShared]);
      return held[row - kShared].value[3];
    }
  }
  template <int row>
  __device__ __forceinline__ Four scanned() const {
    Four four = get<row>();
    if constexpr (row < kShared) scan_four(four);
    return four;
  }
};

// What comes before the tile; by the first warp.
__device__ __forceinline__ float look_back(unsigned long long* state, int tile, int tiles, float own) {
#if lookback == lookback_direct
  return sum_before_directly(state, tile, tiles, own);
#elif lookback == lookback_tree
  return sum_before_by_tree(state, tile, tiles, own);
#else
  return sum_before_by_windows(state, tile, own);
#endif
}

// A tile's sum is left for others as soon as its elements are here, before they are scanned; the other warps do that while
// the first looks back.
extern "C" __global__ void __launch_bounds__(block_size, resident / block_size)
    scan(const float* x, float* y, unsigned long long* state, float*, int64_t N, int tiles) {
  __shared__ int drawn;
  __shared__ float warp_sums[WARPS], own;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) drawn = draw_tile(state);
  __syncthreads();
  Tile tile;
  tile.load(x, first_of_thread(drawn), N, is_whole(x, y, drawn, N));
  float sum = 0;
  repeat<kRows>([&](auto row) {
    tile.template wait<row.value>();
    sum += sum_of(tile.template get<row.value>());
  });
  sum = warp_sum(sum);
  if (lane == 0) warp_sums[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    const float scanned = warp_scan(lane < WARPS ? warp_sums[lane] : 0.0f);
    if (lane == 31) {
      leave_own(state, drawn, scanned);
      own = scanned;
    }
    const float before_warp = from_lane_before(scanned);
    if (lane < WARPS) warp_sums[lane] = before_warp;
    __syncwarp();
    const float before = look_back(state, drawn, tiles, own);
    if (lane < WARPS) warp_sums[lane] += before;
  }
  float upto[kRows];
  repeat<kRows>([&](auto row) { upto[row.value] = warp_scan(tile.template scan<row.value>()); });
  __syncthreads();
  float before = warp_sums[warp];
  const int64_t first = first_of_thread(drawn);
  const bool whole = is_whole(x, y, drawn, N);
  repeat<kRows>([&](auto row) {
    Four four = tile.template scanned<row.value>();
    add_to_four(four, before + from_lane_before(upto[row.value]));
    before += __shfl_sync(0xffffffffu, upto[row.value], 31);
    store_row(y, first + row.value * 128, N, four, whole, true);
  });
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
