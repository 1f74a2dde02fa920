// y = softmax of each row of x: R rows of C elements, rows of x row_stride elements apart, those of y C. The stages, each
// a variant: naive reads a row three times; online twice (M. Milakov and N. Gimelshein, Online normalizer calculation
// for softmax, 2018); split divides a row among blocks, which leave what they have found for a second launch; kept reads
// it once and keeps it, in a block or in a cluster of blocks; cooperative does so in blocks of a grid that meets.
//
// As in PyTorch, a row that holds +inf or NaN, or nothing but -inf, is NaN. Sums are fp32.
#include "tuner_cluster.cuh"
#include "tuner_row.cuh"

#define WARPS (block_size / 32)

typedef DTYPE X;
typedef FACT_y Y;

#if variant == variant_naive
constexpr bool kStreams = false;
#else
constexpr bool kStreams = store_hint == store_hint_streaming;
#endif
constexpr float kLog2E = 1.442695041f;
constexpr int kPer = kElementsOf16Bytes<X>;
// Two -inf of 16 bits or one of 32: what changes neither maximum nor sum.
constexpr unsigned int kNothing = kSameType<X, half_t> ? 0xfc00fc00u : kSameType<X, bf16_t> ? 0xff80ff80u : 0xff800000u;

__device__ __forceinline__ float infinity() { return bits_to_float(0x7f800000u); }

__device__ __forceinline__ float exp2_of(float value) {
#ifdef TUNER_HOST
  return exp2f(value);
#else
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(value));
  return result;
#endif
}

// --- maximum and sum ---------------------------------------------------------------------------------------------

// Of some elements: the largest one and the sum of exp(element - largest). An f16 is small enough to be scaled to powers
// of two in one step, and `largest` then is as well: what its rounding changes is the same in all terms of a row, and
// goes when they are divided. The others are scaled after the subtraction, which does not overflow then.
constexpr bool kScaled = kSameType<X, half_t>;

struct Found {
  float largest, sum;
};

__device__ __forceinline__ Found nothing() { return {-infinity(), 0.0f}; }

__device__ __forceinline__ float scaled(float largest) { return kScaled ? largest * kLog2E : largest; }

// exp(x - largest).
__device__ __forceinline__ float term(float x, float largest) {
  return exp2_of(kScaled ? fmaf(x, kLog2E, -largest) : (x - largest) * kLog2E);
}

// Of sums that belong to `from`, for those that belong to `to`.
__device__ __forceinline__ float factor(float from, float to) {
  return exp2_of(kScaled ? from - to : (from - to) * kLog2E);
}

// What may be subtracted from -inf: some threads see nothing else of a row that has more.
__device__ __forceinline__ float subtrahend(float largest) { return largest == -infinity() ? 0.0f : largest; }

__device__ __forceinline__ Found merged(const Found& a, const Found& b) {
  Found both;
  both.largest = fmaxf(a.largest, b.largest);
  const float to = subtrahend(both.largest);
  both.sum = a.sum * factor(a.largest, to) + b.sum * factor(b.largest, to);
  return both;
}

// Of the lanes whose numbers differ in the bits below `lanes`, in every one of them.
template <int lanes>
__device__ __forceinline__ Found of_lanes(const Found& found) {
  Found all = found;
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    all.largest = fmaxf(all.largest, __shfl_xor_sync(0xffffffffu, all.largest, distance));
  all.sum = found.sum * factor(found.largest, subtrahend(all.largest));
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    all.sum += __shfl_xor_sync(0xffffffffu, all.sum, distance);
  return all;
}

// Of all threads of the block, in every thread. Once a launch.
__device__ __forceinline__ Found of_block(Found found) {
  found = of_lanes<32>(found);
  if constexpr (WARPS > 1) {
    __shared__ Found of_warps[WARPS];
    const int lane = threadIdx.x % 32;
    if (lane == 0) of_warps[threadIdx.x / 32] = found;
    __syncthreads();
    found = of_lanes<WARPS>(of_warps[lane % WARPS]);
  }
  return found;
}

__device__ __forceinline__ Found of_edge(float value) {
  const float largest = scaled(value);
  return {largest, term(value, subtrahend(largest))};
}

__device__ __forceinline__ void unpacked(const Vector<16>& v, float (&x)[kPer]) { unpack<X>(v.word, x); }

__device__ __forceinline__ float largest_of(const float (&x)[kPer]) {
  float largest = x[0];
#pragma unroll
  for (int i = 1; i < kPer; ++i) largest = fmaxf(largest, x[i]);
  return largest;
}

__device__ __forceinline__ float sum_of_terms(float (&x)[kPer], float largest) {
#pragma unroll
  for (int i = 0; i < kPer; ++i) x[i] = term(x[i], largest);
#pragma unroll
  for (int half = kPer / 2; half > 0; half /= 2)
#pragma unroll
    for (int i = 0; i < half; ++i) x[i] += x[i + half];
  return x[0];
}

// What was found before, and the elements of one more vector.
__device__ __forceinline__ Found with_vector(const Found& before, const Vector<16>& v) {
  float x[kPer];
  unpacked(v, x);
  Found now;
  now.largest = fmaxf(before.largest, scaled(largest_of(x)));
  const float to = subtrahend(now.largest);
  now.sum = fmaf(before.sum, factor(before.largest, to), sum_of_terms(x, to));
  return now;
}

// --- the row of a block ------------------------------------------------------------------------------------------

// Where a block's row is, and which edge of it is this thread's: those of a row are taken by the first threads of its
// first block.
struct Row {
  const X* x;
  Y* y;
  RowCut<X> cut;
  bool aligned;  // whole vectors may be stored as such
  int edge = -1;

  __device__ __forceinline__ Row(const X* all_x, Y* all_y, int64_t row, int part, int C, int64_t row_stride)
      : x(all_x + row * row_stride), y(all_y + row * C), cut(x, C) {
    aligned = takes_vectors<kPer>(y + cut.before);
    if (part == 0 && static_cast<int>(threadIdx.x) < cut.edges) edge = cut.edge_at(threadIdx.x);
  }
  __device__ __forceinline__ const char* vectors_begin() const { return reinterpret_cast<const char*>(x + cut.before); }
  // -inf where it has none.
  __device__ __forceinline__ float edge_value() const { return edge < 0 ? -infinity() : to_float(x[edge]); }
  __device__ __forceinline__ void write_edge(float value, float largest, float inverse) const {
    if (edge >= 0) y[edge] = from_float<Y>(term(value, largest) * inverse);
  }
  __device__ __forceinline__ void write(int vector, const Vector<16>& v, float largest, float inverse) const {
    float values[kPer];
    unpacked(v, values);
#pragma unroll
    for (int i = 0; i < kPer; ++i) values[i] = term(values[i], largest) * inverse;
    store_elements<kStreams>(y + cut.before + static_cast<int64_t>(vector) * kPer, values, aligned);
  }
};

#if variant == variant_kept || variant == variant_cooperative

// --- read once ---------------------------------------------------------------------------------------------------

constexpr int kInShared = place == place_registers ? 0 : place == place_shared ? vectors : vectors / 2;

typedef KeptVectors<vectors, kInShared, block_size> Kept;

// What few vectors hold in registers is looked at twice, first for the largest: that is the shorter chain. What many hold
// would not fit unpacked.
constexpr bool kTwice = kInShared == 0 && vectors <= 6;

__device__ __forceinline__ Found of_thread(Kept& kept, float edge) {
  Found found = of_edge(edge);
  if constexpr (kTwice) {
    float largest = edge;
    repeat<vectors>([&](auto i) {
      float x[kPer];
      unpacked(kept.template get<i.value>(), x);
      largest = fmaxf(largest, largest_of(x));
    });
    found.largest = scaled(largest);
    const float to = subtrahend(found.largest);
    found.sum = term(edge, to);
    repeat<vectors>([&](auto i) {
      float x[kPer];
      unpacked(kept.template get<i.value>(), x);
      found.sum += sum_of_terms(x, to);
    });
  } else {
    repeat<vectors>([&](auto i) {
      kept.template await<i.value>();
      found = with_vector(found, kept.template get<i.value>());
    });
  }
  return found;
}

// What all threads of all blocks of the row have found.
#if variant == variant_kept

// Every warp tells its own to all blocks of the cluster.
__device__ __forceinline__ Found of_row(const Found& own, Found*, unsigned int*) {
  if constexpr (blocks_per_row == 1) return of_block(own);
  constexpr int kWarps = blocks_per_row * WARPS;
  __shared__ Found of_warps[kWarps];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Found found = of_lanes<32>(own);
  if (lane < blocks_per_row) store_peer(&of_warps[cluster_rank() * WARPS + warp], lane, found);
  cluster_sync();
  found = of_warps[lane % kWarps];
#pragma unroll
  for (int i = 32; i < kWarps; i += 32) found = merged(found, of_warps[i + lane]);
  return of_lanes<(kWarps < 32 ? kWarps : 32)>(found);
}

#else

// Every block leaves it in `found_by`, for the blocks of its row.
__device__ __forceinline__ Found of_row(const Found& own, Found* found_by, unsigned int* arrived) {
  Found found = of_block(own);
  if (threadIdx.x == 0) found_by[blockIdx.x] = found;
  grid_sync(arrived);
  const volatile float* const of_blocks =
      reinterpret_cast<const volatile float*>(found_by + blockIdx.x / blocks_per_row * blocks_per_row);
  found = nothing();
  for (int i = threadIdx.x % 32; i < blocks_per_row; i += 32) {
    Found other;
    other.largest = of_blocks[2 * i];
    other.sum = of_blocks[2 * i + 1];
    found = merged(found, other);
  }
  return of_lanes<32>(found);
}

#endif

extern "C" __global__ void __launch_bounds__(block_size, resident / block_size)
    softmax(const X* x, Y* y, Found* found_by, unsigned int* arrived, int C, int64_t row_stride) {
  extern __shared__ Vector<16> shared[];
  constexpr bool in_cluster = variant == variant_kept && blocks_per_row > 1;
  if constexpr (in_cluster) cluster_arrive();
  const int part = blockIdx.x % blocks_per_row;
  const Row row(x, y, blockIdx.x / blocks_per_row, part, C, row_stride);
  const Share share(row.cut.whole, part, blocks_per_row);
  Kept kept;
  kept.load(row.vectors_begin(), share, reinterpret_cast<char*>(shared), kNothing);
  const float edge = row.edge_value();
  if constexpr (in_cluster) cluster_wait();  // its blocks have begun
  const Found found = of_row(of_thread(kept, edge), found_by, arrived);
  const float inverse = 1.0f / found.sum;
  repeat<vectors>([&](auto i) {
    const int vector = share.begin + i.value * block_size + static_cast<int>(threadIdx.x);
    if (vector < share.end) row.write(vector, kept.template get<i.value>(), found.largest, inverse);
  });
  row.write_edge(edge, found.largest, inverse);
}

#elif variant == variant_split || variant == variant_online

// --- read twice --------------------------------------------------------------------------------------------------

#if variant == variant_online
#define BLOCKS_OF_ROW 1
#else
#define BLOCKS_OF_ROW blocks_per_row
#endif

// `unroll` vectors, all on their way before the first is used.
struct Some {
  Vector<16> held[unroll];
  int first;

  __device__ __forceinline__ void load(const Row& row, const Share& share, int vector) {
    first = vector;
    const char* const at = row.vectors_begin() + 16 * static_cast<int64_t>(vector);
    repeat<unroll>([&](auto i) {
      if (first + i.value * block_size < share.end)
        held[i.value] = load_vector<CacheHint::none, 16, i.value * block_size * 16>(at);
      else
        held[i.value] = {{kNothing, kNothing, kNothing, kNothing}};
    });
  }
};

__device__ __forceinline__ Found of_share(const Row& row, const Share& share) {
  Found found = of_edge(row.edge_value());
  Some some;
  for (int vector = share.begin + static_cast<int>(threadIdx.x); vector < share.end; vector += unroll * block_size) {
    some.load(row, share, vector);
#pragma unroll
    for (int i = 0; i < unroll; ++i) found = with_vector(found, some.held[i]);
  }
  return of_block(found);
}

// Backwards: what was read last is still near.
__device__ __forceinline__ void write_share(const Row& row, const Share& share, const Found& found) {
  const float inverse = 1.0f / found.sum;
  constexpr int step = unroll * block_size;
  const int rounds = (share.end - share.begin + step - 1) / step;
  Some some;
  for (int round = rounds - 1; round >= 0; --round) {
    some.load(row, share, share.begin + round * step + static_cast<int>(threadIdx.x));
#pragma unroll
    for (int i = 0; i < unroll; ++i)
      if (some.first + i * block_size < share.end)
        row.write(some.first + i * block_size, some.held[i], found.largest, inverse);
  }
  row.write_edge(row.edge_value(), found.largest, inverse);
}

extern "C" __global__ void __launch_bounds__(block_size)
    softmax(const X* x, Y* y, Found* found_by, unsigned int* arrived, int C, int64_t row_stride) {
  const int part = blockIdx.x % BLOCKS_OF_ROW;
  const Row row(x, y, blockIdx.x / BLOCKS_OF_ROW, part, C, row_stride);
  const Share share(row.cut.whole, part, BLOCKS_OF_ROW);
  const Found found = of_share(row, share);
#if variant == variant_online
  write_share(row, share, found);
#else
  if (threadIdx.x == 0) found_by[blockIdx.x] = found;
#endif
}

#if variant == variant_split

extern "C" __global__ void __launch_bounds__(block_size)
    rescale(const X* x, Y* y, Found* found_by, unsigned int* arrived, int C, int64_t row_stride) {
  const int part = blockIdx.x % blocks_per_row;
  const Row row(x, y, blockIdx.x / blocks_per_row, part, C, row_stride);
  Found found = nothing();
  for (int i = threadIdx.x % 32; i < blocks_per_row; i += 32)
    found = merged(found, found_by[blockIdx.x / blocks_per_row * blocks_per_row + i]);
  write_share(row, Share(row.cut.whole, part, blocks_per_row), of_lanes<32>(found));
}

#endif

#else

// --- read three times --------------------------------------------------------------------------------------------

extern "C" __global__ void __launch_bounds__(block_size)
    softmax(const X* x, Y* y, Found* found_by, unsigned int* arrived, int C, int64_t row_stride) {
  x += blockIdx.x * row_stride;
  y += blockIdx.x * static_cast<int64_t>(C);
  __shared__ float values[block_size];
  const int thread = threadIdx.x;
  float largest = -infinity(), sum = 0;
  for (int i = thread; i < C; i += block_size) largest = fmaxf(largest, to_float(x[i]));
  values[thread] = largest;
  for (int half = block_size / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) values[thread] = fmaxf(values[thread], values[thread + half]);
  }
  __syncthreads();
  largest = scaled(values[0]);
  __syncthreads();
  for (int i = thread; i < C; i += block_size) sum += term(to_float(x[i]), largest);
  values[thread] = sum;
  for (int half = block_size / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) values[thread] += values[thread + half];
  }
  __syncthreads();
  for (int i = thread; i < C; i += block_size) y[i] = from_float<Y>(term(to_float(x[i]), largest) / values[0]);
}

#endif
