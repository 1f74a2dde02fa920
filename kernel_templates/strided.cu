// y = alpha x, N floats. coalesced: the lanes of a warp read and write neighbours. strided: every thread takes `stride`
// neighbours of its own, one after the other, so that the lanes of a warp are `stride` floats apart.
#include "tuner_intrinsics.cuh"

constexpr int kTile = block_size * stride;

extern "C" __global__ void __launch_bounds__(block_size) scale(const float* x, float* y, int64_t N, float alpha) {
#if variant == variant_coalesced
  const int64_t first = (int64_t)blockIdx.x * kTile + threadIdx.x;
  constexpr int kStep = block_size;
#else
  const int64_t first = (int64_t)blockIdx.x * kTile + threadIdx.x * stride;
  constexpr int kStep = 1;
#endif
  float held[stride];
  repeat<stride>([&](auto i) {
    const int64_t at = first + i.value * kStep;
    // Plain loads of four bytes, and no two at a time: what is compared is how the lanes lie.
    held[i.value] = at < N ? bits_to_float(load_vector<CacheHint::none, 4>(reinterpret_cast<const char*>(x + at)).word[0]) : 0.0f;
  });
  repeat<stride>([&](auto i) {
    const int64_t at = first + i.value * kStep;
    if (at < N) y[at] = alpha * held[i.value];
  });
}
