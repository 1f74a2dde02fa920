// Each thread makes `steps` multiplications with addition in `chains` chains that do not wait for each other; of f16 each
// is of two elements at once. Chain c begins with c and has `one` added in each step; of f16, which counts only so far,
// in one run of 64 steps and taken off in the next. y[t] is the sum over the chains of thread t.
#include "tuner_intrinsics.cuh"

#define TYPE_f32 1
#define TYPE_f64 2
#define TYPE_f16 3

namespace probe {

#if TYPE == TYPE_f64
typedef double Number;
typedef double Pair;
#elif TYPE == TYPE_f32
typedef float Number;
typedef float Pair;
#else
typedef float Number;
typedef unsigned int Pair;  // two f16
#endif

__device__ __forceinline__ Pair pair_of(float value) {
#if TYPE == TYPE_f16
  return from_float<half_t>(value).bits * 0x10001u;
#else
  return value;
#endif
}

__device__ __forceinline__ Number sum_of(Pair pair) {
#if TYPE == TYPE_f16
  half_t low, high;
  low.bits = static_cast<unsigned short>(pair);
  high.bits = static_cast<unsigned short>(pair >> 16);
  return to_float(low) + to_float(high);
#else
  return pair;
#endif
}

__device__ __forceinline__ Pair negative(Pair pair) {
#if TYPE == TYPE_f16
  return pair ^ 0x80008000u;
#else
  return pair;
#endif
}

// a * one + b
__device__ __forceinline__ void step(Pair& a, Pair one, Pair b) {
#ifdef TUNER_HOST
#if TYPE == TYPE_f16
  half_t x[2], y[2];
  for (int i = 0; i < 2; ++i) {
    x[i].bits = static_cast<unsigned short>(a >> (16 * i));
    y[i].bits = static_cast<unsigned short>(b >> (16 * i));
    x[i] = from_float<half_t>(to_float(x[i]) + to_float(y[i]));
  }
  a = x[0].bits | static_cast<unsigned int>(x[1].bits) << 16;
#else
  a = a * one + b;
#endif
#elif TYPE == TYPE_f64
  asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(a) : "d"(one), "d"(b));
#elif TYPE == TYPE_f32
  asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(a) : "f"(one), "f"(b));
#else
  asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(a) : "r"(one), "r"(b));
#endif
}

}  // namespace probe

extern "C" __global__ __launch_bounds__(block_size) void probe_fma(DTYPE* y, long long threads, int steps, float one) {
  using namespace probe;
  Pair at[chains];
#pragma unroll
  for (int c = 0; c < chains; ++c) at[c] = pair_of(c * one);
  const Pair factor = pair_of(one);
  Pair added = factor;
  for (int run = 0; run < steps / (64 * chains); ++run) {
#pragma unroll 8
    for (int i = 0; i < 64; ++i) {
#pragma unroll
      for (int c = 0; c < chains; ++c) step(at[c], factor, added);
    }
    added = negative(added);
  }
  Number sum = 0;
#pragma unroll
  for (int c = 0; c < chains; ++c) sum += sum_of(at[c]);
  const long long t = static_cast<long long>(blockIdx.x) * block_size + threadIdx.x;
  if (t < threads) y[t] = sum;
}
