// Tiles of row-major matrices: which one a block computes, how it comes to shared memory, how its results leave.
#pragma once

#include "tuner_mma.cuh"

// Blocks that run together share rows of a and columns of b: they take tiles down a strip of `strip` rows of tiles
// first.
struct TilePlace {
  int row, column;  // in tiles
};
__device__ __forceinline__ TilePlace place_in_strips(int block, int down, int across, int strip) {
  const int in_strip = strip * across, first = block / in_strip * strip;
  const int height = down - first < strip ? down - first : strip;
  return {first + block % in_strip % height, block % in_strip / height};
}

// Rows [row, ...) and columns [column, ...) of a matrix to shared memory, `turns` times 16 bytes a thread for each of
// `panels` panels, which are row_bytes wide and follow each other. Outside of the matrix there are zeros.
template <class T, int turns, int rows_a_turn, int row_bytes, int panels = 1>
struct TileCopy {
  const T* from;      // this thread's first chunk
  int64_t step;       // elements from turn to turn
  int to;             // bytes into the tile
  int row, column;    // of the first chunk
  int rows, columns;  // of the matrix
  bool vectors;       // every chunk of the matrix begins at a multiple of 16 bytes
  const T* anything;  // an address that may be read, for copies of nothing

  __device__ __forceinline__ void run(SharedPointer tile, char* tile_bytes) const {
    constexpr int wide = row_bytes / sizeof(T), panel = turns * rows_a_turn * row_bytes;
    if (vectors) {
#pragma unroll
      for (int p = 0; p < panels; ++p)
#pragma unroll
        for (int i = 0; i < turns; ++i) {
          const bool wanted = column + p * wide < columns && row + i * rows_a_turn < rows;
          copy_async_16(tile, to + p * panel + i * rows_a_turn * row_bytes,
                        wanted ? from + p * wide + i * step : anything, wanted);
        }
      return;
    }
#pragma unroll 1
    for (int p = 0; p < panels; ++p)
#pragma unroll 1
      for (int i = 0; i < turns; ++i)
#pragma unroll 1
        for (int e = 0; e < 16 / (int)sizeof(T); ++e) {
          const bool wanted = row + i * rows_a_turn < rows && column + p * wide + e < columns;
          reinterpret_cast<T*>(tile_bytes + to + p * panel + i * rows_a_turn * row_bytes)[e] =
              wanted ? from[p * wide + i * step + e] : T{};
        }
  }
};

// The two neighbours of a row that a lane holds, or the `left` of them that are inside; `pairs`: `to` is a multiple of
// two.
template <class T>
__device__ __forceinline__ void store_two(T* to, int left, bool pairs, const float* two) {
  struct alignas(2 * sizeof(T)) Two {
    T first, second;
  };
  if (pairs && left > 1) {
    *reinterpret_cast<Two*>(to) = {from_float<T>(two[0]), from_float<T>(two[1])};
    return;
  }
  if (left > 0) to[0] = from_float<T>(two[0]);
  if (left > 1) to[1] = from_float<T>(two[1]);
}
