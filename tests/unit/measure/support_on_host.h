// The GPU's support kernels, compiled for the host and run a thread at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/number.h"
#include "device/device.h"

namespace gpu {

struct Index {
  unsigned x = 0;
};
inline Index blockIdx, threadIdx, blockDim, gridDim;

inline float __fmaf_rn(float a, float b, float c) { return std::fmaf(a, b, c); }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline int __float2int_rn(float v) { return static_cast<int>(std::nearbyint(v)); }
inline float __uint_as_float(unsigned bits) {
  float v = 0;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}
inline unsigned __float_as_uint(float v) {
  unsigned bits = 0;
  std::memcpy(&bits, &v, sizeof bits);
  return bits;
}
inline double __ll2double_rn(long long v) { return static_cast<double>(v); }
inline int __ffsll(long long v) { return __builtin_ffsll(v); }
// Each thread runs alone, so its neighbours have nothing to add; every one counts as the first of its warp.
inline unsigned long long __shfl_xor_sync(unsigned, unsigned long long, int) { return 0; }
inline void atomicAdd(unsigned long long* to, unsigned long long v) { *to += v; }
inline void atomicMin(unsigned long long* to, unsigned long long v) { *to = std::min(*to, v); }
inline void atomicMax(unsigned long long* to, unsigned long long v) { *to = std::max(*to, v); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __longlong_as_double(long long bits) {
  double v = 0;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}
inline long long __double_as_longlong(double v) {
  long long bits = 0;
  std::memcpy(&bits, &v, sizeof bits);
  return bits;
}
inline unsigned short tuner_host_half(float v) { return tuner::to_f16(static_cast<double>(v)); }
inline float tuner_host_float(unsigned short bits) { return static_cast<float>(tuner::from_f16(bits)); }

#define TUNER_HOST 1
#define __global__ inline
#define __device__
#define __forceinline__ inline
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#include "../../../kernel_templates/support/support.cu"
#pragma GCC diagnostic pop
#undef TUNER_HOST
#undef PUT_INTEGER
#undef __global__
#undef __device__
#undef __forceinline__

// Every thread of `blocks` blocks; with 1 thread a block every thread is the first of a warp.
template <class Kernel>
inline void launch(unsigned blocks, Kernel kernel) {
  gridDim.x = blocks;
  blockDim.x = 1;
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) kernel();
}

}  // namespace gpu

namespace tuner {

inline device::Compared compare_on_host(const device::Comparison& c) {
  unsigned long long found[3] = {};
  gpu::launch(5, [&] {
    gpu::tuner_compare(reinterpret_cast<const void*>(c.result), static_cast<unsigned long long>(c.count),
                       static_cast<int>(c.type), reinterpret_cast<const double*>(c.value),
                       reinterpret_cast<const double*>(c.magnitude), c.tolerance.steps ? 1 : 0, c.tolerance.gamma,
                       c.tolerance.relative, c.tolerance.absolute, found);
  });
  return {static_cast<std::int64_t>(found[0]), std::bit_cast<double>(found[1]), std::bit_cast<double>(found[2])};
}

}  // namespace tuner
