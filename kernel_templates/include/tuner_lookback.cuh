// How a block of a single launch learns the sum of what the blocks before it hold: it looks back at what they have left.
// D. Merrill and M. Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, NVIDIA NVR-2016-002.
//
// `state` is scratch of 64-bit words, all zeros before the launch (a memset step): 1 + tiles + tiles / 32 + tiles / 1024
// of them serve any way. Values are float or unsigned int; unsigned sums wrap.
#pragma once

#include "tuner_intrinsics.cuh"

// A tile of its own for each block, by its first thread. Whoever drew a lower one has begun before, so it can be waited
// for in whatever order blocks are started.
__device__ __forceinline__ int draw_tile(unsigned long long* state) {
  return (int)atomicAdd(reinterpret_cast<unsigned int*>(state), 1u);
}

// What is left in a word: a value and, in the upper half, what it is the sum of. One store, so that neither is seen
// without the other.
enum LeftOf : unsigned int { kNothing, kOneTile, kAllSoFar };

template <class T>
struct Left {
  unsigned int what;
  T sum;
};

__device__ __forceinline__ unsigned int value_bits(float value) { return float_to_bits(value); }
__device__ __forceinline__ unsigned int value_bits(unsigned int value) { return value; }
__device__ __forceinline__ void from_bits(float& value, unsigned int bits) { value = bits_to_float(bits); }
__device__ __forceinline__ void from_bits(unsigned int& value, unsigned int bits) { value = bits; }

// The sum over all 32 lanes, in every lane.
template <class T>
__device__ __forceinline__ T sum_of_lanes(T value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
  return value;
}

template <class T>
__device__ __forceinline__ void leave(unsigned long long* at, LeftOf what, T sum) {
  *static_cast<volatile unsigned long long*>(at) = (unsigned long long)what << 32 | value_bits(sum);
}

__device__ __forceinline__ unsigned long long look_at(const unsigned long long* at, bool wanted) {
  return wanted ? *static_cast<const volatile unsigned long long*>(at) : 0;
}

// Waits until every lane that wants one has found something at `at`, where it saw `word` before. Called by whole warps.
template <class T>
__device__ __forceinline__ Left<T> wait_for(const unsigned long long* at, bool wanted, unsigned long long word) {
  while (__any_sync(0xffffffffu, wanted && word >> 32 == kNothing)) word = look_at(at, wanted);
  Left<T> left;
  left.what = (unsigned int)(word >> 32);
  from_bits(left.sum, (unsigned int)word);
  return left;
}

// What `tile` itself has, as early as it is known; called by one lane.
template <class T>
__device__ __forceinline__ void leave_own(unsigned long long* state, int tile, T own) {
  leave(state + 1 + tile, tile == 0 ? kAllSoFar : kOneTile, own);
}

// The sum of everything before `tile`, which itself has left `own`; called by one whole warp of its block. Windows of 32
// tiles, backwards, until one of them knows what came before it. Which one that is depends on who was fast, and so does
// the rounding of a float: at worst a tile adds to what the one before it has left.
template <class T>
__device__ __forceinline__ T sum_before_by_windows(unsigned long long* state, int tile, T own) {
  unsigned long long* const tiles_left = state + 1;
  const int lane = threadIdx.x % 32;
  T before = 0;
  for (int last = tile - 1; last >= 0; last -= 32) {
    const unsigned long long* const at = tiles_left + (last - lane);
    const Left<T> left = wait_for<T>(at, last >= lane, look_at(at, last >= lane));
    const unsigned int ends = __ballot_sync(0xffffffffu, left.what == kAllSoFar);
    before += sum_of_lanes(ends == 0 || lane < __ffs((int)ends) ? left.sum : T(0));
    if (ends != 0) break;
  }
  if (lane == 0 && tile > 0) leave(tiles_left + tile, kAllSoFar, before + own);
  return before;
}

// The same in a fixed order, so that the result does not depend on who was fast: the sums of the 128 to 255 tiles before
// this one, each looked at itself, and that of everything before them, which the last of every 128 tiles leaves. Most of
// what is under way on a GPU is looked at: there is one thing to wait for. A chain of 14 additions, and two for every 128
// tiles.
template <class T>
__device__ __forceinline__ T sum_before_directly(unsigned long long* state, int tile, int tiles, T own) {
  constexpr int kStep = 128, kWords = 2 * kStep / 32;  // words a lane
  unsigned long long* const tiles_left = state + 1;
  unsigned long long* const steps_left = tiles_left + tiles;
  const int step = tile < 2 * kStep ? 0 : tile / kStep - 1;
  const int first = step * kStep + (int)(threadIdx.x % 32);
  const bool wants_step = step > 0;
  unsigned long long of_step = look_at(steps_left + (step - 1), wants_step);
  unsigned long long words[kWords];
#pragma unroll
  for (int i = 0; i < kWords; ++i) words[i] = look_at(tiles_left + first + i * 32, first + i * 32 < tile);
  while (true) {
    bool waits = wants_step && of_step >> 32 == kNothing;
#pragma unroll
    for (int i = 0; i < kWords; ++i) waits = waits || (first + i * 32 < tile && words[i] >> 32 == kNothing);
    if (!__any_sync(0xffffffffu, waits)) break;
    // What is there is not looked at again.
    if (of_step >> 32 == kNothing) of_step = look_at(steps_left + (step - 1), wants_step);
#pragma unroll
    for (int i = 0; i < kWords; ++i)
      if (words[i] >> 32 == kNothing) words[i] = look_at(tiles_left + first + i * 32, first + i * 32 < tile);
  }
  T sum = 0, so_far;
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    T one;
    from_bits(one, (unsigned int)words[i]);
    sum += one;
  }
  from_bits(so_far, (unsigned int)of_step);
  const T before = so_far + sum_of_lanes(sum);
  if (threadIdx.x % 32 == 0 && tile % kStep == kStep - 1) leave(steps_left + tile / kStep, kAllSoFar, before + own);
  return before;
}

// In a fixed order as well, with fewer words to look at and more to wait for: 32 tiles are a group, 32 groups a section.
// The last tile of a group leaves the group's sum, the last of a section that of everything so far: a chain of 12
// additions, and one a section.
template <class T>
__device__ __forceinline__ T sum_before_by_tree(unsigned long long* state, int tile, int tiles, T own) {
  unsigned long long* const tiles_left = state + 1;
  unsigned long long* const groups_left = tiles_left + tiles;
  unsigned long long* const sections_left = groups_left + tiles / 32;
  const int lane = threadIdx.x % 32, group = tile / 32, section = tile / 1024;
  const unsigned long long* const my_tile = tiles_left + group * 32 + lane;
  const unsigned long long* const my_group = groups_left + section * 32 + lane;
  const unsigned long long* const section_before = sections_left + (section - 1);
  const bool wants_tile = lane < tile % 32, wants_group = lane < group % 32, wants_section = section > 0;
  // All three are on their way before the first is waited for.
  const unsigned long long tile_word = look_at(my_tile, wants_tile), group_word = look_at(my_group, wants_group),
                           section_word = look_at(section_before, wants_section);
  const T in_group = sum_of_lanes(wait_for<T>(my_tile, wants_tile, tile_word).sum);
  if (lane == 0 && tile % 32 == 31) leave(groups_left + group, kOneTile, in_group + own);
  const T in_section = sum_of_lanes(wait_for<T>(my_group, wants_group, group_word).sum);
  const T so_far = wait_for<T>(section_before, wants_section, section_word).sum;
  if (lane == 0 && tile % 1024 == 1023)
    leave(sections_left + section, kAllSoFar, so_far + (in_section + (in_group + own)));
  return so_far + (in_section + in_group);
}
