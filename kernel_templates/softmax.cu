// y = softmax of each row of x: R rows of C elements, rows of x row_stride elements apart, those of y C. The stages,
// each a variant: naive reads a row three times; online twice (M. Milakov and N. Gimelshein, Online normalizer
// calculation for softmax, 2018); split divides a row among blocks, which leave what they have found for a second
// launch; kept reads it once and keeps it, in a block or in a cluster of blocks; cooperative does so in blocks of a
// grid that meets.
//
// As in PyTorch, a row that holds +inf or NaN, or nothing but -inf, is NaN. Sums are fp32.
#include "tuner_async_store.cuh"
#include "tuner_row.cuh"

#include "softmax_found.cuh"
#include "softmax_row.cuh"
#include "softmax_terms.cuh"

#if variant == variant_kept || variant == variant_cooperative

#include "softmax_kept.cuh"

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
