// y[C][R] = x[R][C], floats. The stages of the classic transpose, each a variant: naive (columns are written with a
// stride), shared (through a tile in shared memory, whose columns lie in one bank), padded (a column more, so that they
// do not), swizzled (no column more: a row's elements change places instead).
#include "tuner_intrinsics.cuh"

#if variant == variant_naive
#define THREADS (tile * tile_rows)
#else
#define THREADS (tile / vector_width * tile_rows)
#endif

#if variant == variant_padded
constexpr int kPitch = tile + 1;
#else
constexpr int kPitch = tile;
#endif

// Where element (row, column) of the tile lies.
__device__ __forceinline__ int place(int row, int column) {
#if variant == variant_swizzled
  return row * kPitch + (column ^ (row % tile));
#else
  return row * kPitch + column;
#endif
}

#ifdef TUNER_HOST
template <int width>
__device__ __forceinline__ void store_vector(float* to, const float* value, bool) {
  if (width > 1 && address_of(to) % (width * 4) != 0) tuner_simt::misaligned(to, width * 4);
  for (int i = 0; i < width; ++i) to[i] = value[i];
}
#else
template <int width>
__device__ __forceinline__ void store_vector(float* to, const float* value, bool streams) {
  if constexpr (width == 4) {
    if (streams)
      asm volatile("st.global.cs.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(value[0]), "f"(value[1]), "f"(value[2]),
                   "f"(value[3]) : "memory");
    else
      asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(value[0]), "f"(value[1]), "f"(value[2]),
                   "f"(value[3]) : "memory");
  } else if constexpr (width == 2) {
    if (streams)
      asm volatile("st.global.cs.v2.f32 [%0], {%1, %2};" ::"l"(to), "f"(value[0]), "f"(value[1]) : "memory");
    else
      asm volatile("st.global.v2.f32 [%0], {%1, %2};" ::"l"(to), "f"(value[0]), "f"(value[1]) : "memory");
  } else {
    if (streams)
      asm volatile("st.global.cs.f32 [%0], %1;" ::"l"(to), "f"(value[0]) : "memory");
    else
      *to = value[0];
  }
}
#endif

template <int width>
__device__ __forceinline__ void load_elements(const float* from, float* to) {
  const Vector<width * 4> v = load_vector<CacheHint::streaming, width * 4>(reinterpret_cast<const char*>(from));
#pragma unroll
  for (int i = 0; i < width; ++i) to[i] = bits_to_float(v.word[i]);
}

#if variant == variant_naive

extern "C" __global__ void __launch_bounds__(THREADS) transpose(const float* x, float* y, int R, int C) {
  const int64_t column = (int64_t)blockIdx.x * tile + threadIdx.x;
  for (int row = threadIdx.y; row < tile; row += tile_rows) {
    const int64_t r = (int64_t)blockIdx.y * tile + row;
    if (r < R && column < C) y[column * R + r] = x[r * C + column];
  }
}

#else

// A warp reads and writes whole rows of the tile; vectors where the tile is whole and both matrices' rows allow them,
// else element by element.
extern "C" __global__ void __launch_bounds__(THREADS) transpose(const float* x, float* y, int R, int C) {
  __shared__ float held[tile * kPitch];
  constexpr int kPasses = tile / tile_rows;
  const int64_t first_row = (int64_t)blockIdx.y * tile, first_column = (int64_t)blockIdx.x * tile;
  const bool whole = first_row + tile <= R && first_column + tile <= C;
  const bool aligned = vector_width == 1 || (R % vector_width == 0 && C % vector_width == 0 &&
                                             (address_of(x) | address_of(y)) % (vector_width * 4) == 0);
  const int lane = threadIdx.x * vector_width;
  if (whole && aligned) {
    float values[kPasses][vector_width];
    repeat<kPasses>([&](auto pass) {
      const int row = threadIdx.y + pass.value * tile_rows;
      load_elements<vector_width>(x + (first_row + row) * C + first_column + lane, values[pass.value]);
    });
    repeat<kPasses>([&](auto pass) {
      const int row = threadIdx.y + pass.value * tile_rows;
#pragma unroll
      for (int i = 0; i < vector_width; ++i) held[place(row, lane + i)] = values[pass.value][i];
    });
    __syncthreads();
    repeat<kPasses>([&](auto pass) {
      const int column = threadIdx.y + pass.value * tile_rows;
      float out[vector_width];
#pragma unroll
      for (int i = 0; i < vector_width; ++i) out[i] = held[place(lane + i, column)];
      store_vector<vector_width>(y + (first_column + column) * R + first_row + lane, out, streaming_stores != 0);
    });
    return;
  }
  for (int row = threadIdx.y; row < tile; row += tile_rows)
    for (int i = 0; i < vector_width; ++i)
      if (first_row + row < R && first_column + lane + i < C)
        held[place(row, lane + i)] = x[(first_row + row) * C + first_column + lane + i];
  __syncthreads();
  for (int column = threadIdx.y; column < tile; column += tile_rows)
    for (int i = 0; i < vector_width; ++i)
      if (first_column + column < C && first_row + lane + i < R)
        y[(first_column + column) * R + first_row + lane + i] = held[place(lane + i, column)];
}

#endif
